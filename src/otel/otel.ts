// The hook that makes spans and metrics of OpenTelemetry.

import {
  type AnyOutcome,
  type Event,
  type Execution,
  type FrozenCall,
  type Hook,
  type ModelEvent,
  type ModelRequest,
  type NextCall,
  type NextRequest,
  type NextRun,
  type RunStart,
  type WrittenReply,
} from "../core/index.js";
import { checkOptions, type OptionKinds } from "../core/internal.js";
import { loadApi, type Api, type Context, type Meter, type Tracer } from "./data/api.js";
import { errorType } from "./data/error-type.js";
import { runKeyOf } from "./data/ids.js";
import { isIdle, makeMetrics, type Metrics } from "./live/metrics.js";
import { scope } from "./data/names.js";
import type { OpenSpan } from "./live/open-span.js";
import { providerName } from "./data/provider.js";
import { RunTrace } from "./live/run-trace.js";
import { within } from "./live/within.js";

/** The options of `otel`. */
export interface OtelOptions {
  /** The name of the agent, for the names of its spans and as an attribute of its metrics. Default: none. */
  readonly agent?: string | undefined;
  /**
   * True records texts as well: the prompt and the reply of each request, arguments and results of calls, outputs of checks, and messages
   * of errors. Secrets are redacted as in the journal, also in the words of the user and of the model. Default false.
   */
  readonly content?: boolean | undefined;
  /** Default: the tracer `lastcall` of the provider that the program has registered. */
  readonly tracer?: Tracer | undefined;
  /** Default: the meter `lastcall` of the provider that the program has registered. */
  readonly meter?: Meter | undefined;
}

const otelOptions = {
  agent: "text",
  content: "flag",
  tracer: "object",
  meter: "object",
} satisfies OptionKinds<OtelOptions>;

/**
 * Makes the hook. Put it first among `hooks`, so that its spans surround the other hooks. It never changes a run, and an error in it does
 * not reach the run: OpenTelemetry's `diag` gets it.
 * @throws LastcallError `configuration` if the package `@opentelemetry/api` is missing; the message has the line that installs it.
 */
export async function otel(options: OtelOptions = {}): Promise<Hook> {
  checkOptions("otel", options, otelOptions);
  return watching(await loadApi(), options);
}

/** Makes the hook on a loaded package. */
function watching(api: Api, { agent, content = false, tracer, meter }: OtelOptions): Hook {
  /** The runs in progress, by their keys. */
  const runs = new Map<string, RunTrace>();
  const metricsNow = latestMetrics(() => meter ?? api.metrics.getMeter(scope));
  const safely = <Made>(work: () => Made): Made | undefined => {
    try {
      return work();
    } catch (thrown) {
      // A run must not fail because it is watched.
      api.diag.error("lastcall: the telemetry of a run failed", thrown);
      return undefined;
    }
  };

  async function* watchRun(trace: RunTrace, start: RunStart, next: NextRun): AsyncGenerator<Event, void, void> {
    runs.set(start.key, trace);
    const observe = (event: Event): void => {
      safely(() => {
        trace.observe(event);
      });
    };
    let outcome: AnyOutcome | undefined;
    try {
      outcome = yield* within(api, next(), { context: () => trace.context, observe });
    } finally {
      if (runs.get(start.key) === trace) runs.delete(start.key);
      safely(() => {
        trace.end(outcome);
      });
    }
  }

  return {
    run(start, next) {
      const trace = safely(() => {
        const { metrics, idle } = metricsNow();
        const telemetry = { api, tracer: tracer ?? api.trace.getTracer(scope), metrics, agent, content };
        const begun = new RunTrace(telemetry, start, providerName(start.model.provider));
        return idle && !begun.isTraced ? undefined : begun;
      });
      // Nobody watches. The run itself is passed on, because a generator around it would cost something for each event.
      return trace === undefined
        ? (next() as unknown as AsyncGenerator<Event, void, void>)
        : watchRun(trace, start, next);
    },
    request(request, next, signal) {
      const run = runs.get(runKeyOf(request.key));
      return run === undefined ? next(request) : watchRequest(request, next, { api, safely, signal, run });
    },
    call(call, next) {
      const run = runs.get(runKeyOf(call.id));
      return run === undefined ? next(call) : watchCall(call, next, { api, safely, run });
    },
  };
}

/** The telemetry around one request or call. */
interface Watch {
  readonly api: Api;
  readonly safely: <Made>(work: () => Made) => Made | undefined;
  readonly run: RunTrace;
}

async function* watchRequest(
  request: ModelRequest,
  next: NextRequest,
  { api, safely, run, signal }: Watch & { readonly signal: AbortSignal },
): AsyncGenerator<ModelEvent, WrittenReply, void> {
  const trace = safely(() => run.startRequest(request));
  if (trace === undefined) return yield* next(request);
  const observe = (event: ModelEvent): void => {
    safely(() => {
      trace.observe(event);
    });
  };
  try {
    const reply = yield* within(api, next(request), { context: () => trace.context, observe });
    safely(() => {
      trace.answered(reply);
    });
    return reply;
  } catch (thrown) {
    safely(() => {
      if (!signal.aborted) trace.failed(errorType(thrown));
    });
    throw thrown;
  } finally {
    safely(() => {
      trace.interrupt();
    });
  }
}

async function* watchCall(
  call: FrozenCall,
  next: NextCall,
  { api, safely, run }: Watch,
): AsyncGenerator<Event, Execution, void> {
  const own = run.contextOfCall(call);
  if (own === undefined) return yield* next(call);
  let check: OpenSpan | undefined;
  const observe = (event: Event): void => {
    safely(() => {
      if (event.type === "check-start") check = run.startEditCheck(event, own);
      if (event.type !== "check-end") return;
      run.endCheck(check, event);
      check = undefined;
    });
  };
  const context = (): Context => check?.context ?? own;
  try {
    return yield* within(api, next(call), { context, observe });
  } finally {
    safely(() => {
      check?.interrupt();
      run.stopCall(call);
    });
  }
}

/** The metrics, and whether nobody reads them. */
interface MetricsInUse {
  readonly metrics: Metrics;
  readonly idle: boolean;
}

/** Makes the metrics of the present meter. A program may register its meters after it has made its agents. */
function latestMetrics(meterNow: () => Meter): () => MetricsInUse {
  let last: (MetricsInUse & { readonly meter: Meter }) | undefined;
  return () => {
    const meter = meterNow();
    if (last?.meter !== meter) last = { meter, metrics: makeMetrics(meter), idle: isIdle(meter) };
    return last;
  };
}
