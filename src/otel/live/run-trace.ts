// The trace of a run in progress: its open spans, the context of each, and what events add to them.

import type {
  AnyOutcome,
  Call,
  Event,
  FrozenCall,
  JournalResult,
  ModelRequest,
  RunStart,
  ToolDescription,
} from "../../core/index.js";
import type { Api, Attributes, Context, Tracer } from "../data/api.js";
import { definitions, inputMessages, instructions } from "../describe/content.js";
import {
  acceptedClaim,
  describeCall,
  describeCheck,
  describeRequest,
  describeResult,
  describeVerdict,
  isRefusedClaim,
} from "../describe/describe-effect.js";
import { describeEnding, describeRun, endingOf, type RunFacts } from "../describe/describe-run.js";
import { noEnd, type Privacy, type SpanEnd, type SpanStart } from "../describe/span-parts.js";
import { partKey, startKeyed } from "../data/ids.js";
import { AskedCalls } from "./asked-calls.js";
import type { Metrics } from "./metrics.js";
import { serverOf } from "../data/provider.js";
import { attribute } from "../data/names.js";
import { OpenSpan } from "./open-span.js";
import { RequestTrace } from "./request-trace.js";
import { runEvent } from "../describe/run-events.js";

/** The parts of the telemetry that all runs share. */
export interface Telemetry {
  readonly api: Api;
  readonly tracer: Tracer;
  readonly metrics: Metrics;
  /** The name of the agent; undefined if it has none. */
  readonly agent: string | undefined;
  readonly content: boolean;
}

type CheckStart = Extract<Event, { readonly type: "check-start" }>;
type CheckEnd = Extract<Event, { readonly type: "check-end" }>;

/** The context key under which the spans of a run find their run. */
const runKey = Symbol("lastcall run");

/** One run, or the part that this process does. */
export class RunTrace {
  readonly #telemetry: Telemetry;
  readonly #facts: RunFacts;
  readonly #privacy: Privacy;
  /** The attributes of all metrics of the run. */
  readonly #about: Attributes;
  readonly #root: OpenSpan;
  readonly #calls = new Map<string, OpenSpan>();
  readonly #asked: AskedCalls;
  #check: OpenSpan | undefined;
  #iteration = 0;
  /** The tools of the last request. */
  #tools: readonly ToolDescription[] = [];

  constructor(telemetry: Telemetry, { key, session, model, record, secrets }: RunStart, provider: string) {
    const { agent, content } = telemetry;
    this.#telemetry = telemetry;
    this.#facts = { key, session, agent, model: model.name, provider, server: serverOf(model.provider) };
    this.#privacy = { content, secrets };
    this.#asked = new AskedCalls(this.#privacy);
    this.#about = {
      ...(agent !== undefined && { [attribute.agent]: agent }),
      [attribute.provider]: provider,
      [attribute.model]: model.name,
    };
    const start = describeRun(this.#facts, record, this.#privacy);
    this.#root = this.#open(start, telemetry.api.context.active(), partKey(key, record));
    if (record.type !== "input") this.#root.linkToFirst(key);
  }

  /** True if the run has a span, be it sampled or not. It has none without an SDK. */
  get isTraced(): boolean {
    return this.#root.isValid;
  }

  /** The context of the run's next step: the check's context while a check runs, otherwise the run's context. */
  get context(): Context {
    return (this.#check ?? this.#root).context;
  }

  /** The context of a call's run; undefined if the call is not known. */
  contextOfCall({ id }: FrozenCall): Context | undefined {
    return this.#calls.get(id)?.context;
  }

  /** Takes note of an event of the run. */
  observe(event: Event): void {
    if (event.type === "iteration-start") this.#iteration = event.iteration;
    else if (event.type === "call-start") this.#startCall(event.call);
    else if (event.type === "call-asking") this.#asked.ask(event, this.#calls.get(event.callId));
    else if (event.type === "call-decision") this.#asked.end(event.callId, this.#calls.get(event.callId));
    else if (event.type === "call-end") this.#endCall(event.result);
    else if (event.type === "claim-accepted" || event.type === "hand-over") this.#acceptClaim(event.tool);
    // A call that waits is told when somebody has answered and it has run, perhaps in another process.
    else if (event.type === "call-parked" || event.type === "call-question") this.#leaveCall(event.callId);
    else if (event.type === "check-start" && event.key !== undefined) this.#startCheck(event, event.callId);
    else if (event.type === "check-end" && event.when !== "edit") this.#endCheck(event);
    else if (event.type === "circuit-open") this.#countOpening(event.signature);
    const noted = runEvent(event, this.#privacy);
    if (noted !== undefined) this.#root.note(noted.name, noted.attributes);
  }

  /** Opens the span of a request. */
  startRequest(request: ModelRequest): RequestTrace {
    const { key, system, messages, tools } = request;
    const { content, secrets } = this.#privacy;
    const about = { key, iteration: this.#iteration };
    this.#tools = tools;
    const start = describeRequest(this.#facts, about, this.#privacy);
    const span = this.#open(start, this.#inside(), key);
    if (content && span.isRecording) {
      span.add({
        [attribute.system]: instructions(system, secrets),
        [attribute.inputMessages]: inputMessages(messages, secrets),
        [attribute.toolDefinitions]: definitions(tools, secrets),
      });
    }
    const { metrics } = this.#telemetry;
    return new RequestTrace(about, span, { metrics, about: this.#about, privacy: this.#privacy });
  }

  /** Opens the span of a check that runs within a call, after an edit. */
  startEditCheck(event: CheckStart, call: Context): OpenSpan {
    return this.#openCheck(event, call);
  }

  /** Ends the span of a check. */
  endCheck(span: OpenSpan | undefined, event: CheckEnd): void {
    const { passed, duration } = event;
    const check = this.#privacy.secrets.text(event.check);
    this.#telemetry.metrics.check(this.#about, { check, duration, passed });
    span?.end(describeVerdict(event, this.#privacy));
  }

  /** The call's tool has ended, and its result is not recorded yet. */
  stopCall({ id }: FrozenCall): void {
    this.#calls.get(id)?.stop();
  }

  /** Ends the run with its outcome, or without one if it threw. */
  end(outcome: AnyOutcome | undefined): void {
    this.#check?.interrupt();
    for (const [id, span] of this.#calls) {
      this.#asked.end(id, span);
      span.interrupt();
    }
    this.#calls.clear();
    if (outcome === undefined) {
      this.#root.interrupt();
      return;
    }
    const ending = endingOf(outcome);
    this.#telemetry.metrics.run(this.#about, { ending, duration: this.#root.elapsed });
    this.#root.end(this.#root.isRecording ? describeEnding(ending, this.#privacy) : noEnd);
  }

  #startCall(call: Call): void {
    const description = this.#tools.find(({ name }) => name === call.name)?.description;
    const start = describeCall(call, { session: this.#facts.session, description }, this.#privacy);
    this.#calls.set(call.id, this.#open(start, this.#inside(), call.id));
  }

  #leaveCall(callId: string): void {
    this.#asked.end(callId, undefined);
    this.#calls.delete(callId);
  }

  #endCall(result: JournalResult): void {
    const { callId, name, failure } = result;
    const span = this.#calls.get(callId);
    const tool = isOfModel(failure?.kind) ? otherTool : this.#privacy.secrets.text(name);
    if (failure !== undefined && isRefusedClaim(failure.kind))
      this.#telemetry.metrics.claimRefused(this.#about, { tool, failure: failure.kind });
    if (span === undefined) return;
    const ended = { tool, duration: span.elapsed, ...(failure !== undefined && { failure: failure.kind }) };
    this.#telemetry.metrics.call(this.#about, ended);
    this.#close(callId, span, span.isRecording ? describeResult(result, this.#privacy) : noEnd);
  }

  /** The claim is the only call that is open then. */
  #acceptClaim(tool: string): void {
    for (const [id, span] of this.#calls) {
      this.#telemetry.metrics.call(this.#about, { tool, duration: span.elapsed });
      this.#close(id, span, acceptedClaim);
    }
  }

  #close(callId: string, span: OpenSpan, end: SpanEnd): void {
    this.#asked.end(callId, span);
    this.#calls.delete(callId);
    span.end(end);
  }

  #startCheck(event: CheckStart, claim: string | undefined): void {
    const call = claim === undefined ? undefined : this.#calls.get(claim);
    this.#check = this.#openCheck(event, (call ?? this.#root).context);
  }

  #openCheck(event: CheckStart, parent: Context): OpenSpan {
    return this.#open(describeCheck(event, this.#privacy), parent, event.key);
  }

  #endCheck(event: CheckEnd): void {
    this.endCheck(this.#check, event);
    this.#check = undefined;
  }

  #countOpening(signature: string): void {
    const [failure = "", tool = ""] = signature.split("|");
    this.#telemetry.metrics.circuitOpen(this.#about, { failure, tool: isOfModel(failure) ? "" : tool });
  }

  /** The active context, if it is within this run: a hook may have opened a span there. Otherwise the run's context. */
  #inside(): Context {
    const active = this.#telemetry.api.context.active();
    return active.getValue(runKey) === this ? active : this.#root.context;
  }

  /** Starts a span. With a key, an SDK with our generator gives it the ids of that key. */
  #open(start: SpanStart, parent: Context, key?: string): OpenSpan {
    const { api, tracer } = this.#telemetry;
    const begin = (): OpenSpan => new OpenSpan(api, { tracer, start, parent, inner: parent.setValue(runKey, this) });
    return key === undefined ? begin() : startKeyed({ run: this.#facts.key, span: key }, begin);
  }
}

/** The tool of calls whose name is the model's invention, in metrics: a separate name for each would be no dimension. */
const otherTool = "_OTHER";

/** True for failures of calls whose name need not be a tool's name. */
function isOfModel(kind: string | undefined): boolean {
  return kind === "unknown_tool" || kind === "malformed_call" || kind === "truncated";
}
