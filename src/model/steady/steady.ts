// Wraps a model so that requests are retried after transient faults.

import {
  LastcallError,
  systemRuntime,
  type Model,
  type ModelEvent,
  type ModelRequest,
  type Runtime,
  type WrittenReply,
} from "../../core/index.js";
import { asFault, checkOptions, expectKind, portKinds, type OptionKinds, wholeNumber } from "../../core/internal.js";
import { breakerFor, type BreakerOptions } from "../../breaker/index.js";

/** The number of attempts, and the waits between them. */
export interface SteadyOptions {
  /** The maximum number of times a request is sent. Default 4. */
  readonly attempts?: number | undefined;
  /** Milliseconds: upper bound of the first wait. It doubles with each attempt; the wait is a random part of this bound. Default 500. */
  readonly firstDelay?: number | undefined;
  /** Milliseconds: the longest wait, unless the provider asks for a longer wait. Default 30,000. */
  readonly maxDelay?: number | undefined;
  /** Milliseconds: if the provider asks for a longer wait than this, the request fails at once. Default 60,000. */
  readonly maxRetryAfter?: number | undefined;
  /** When the circuit of the provider opens, and for how long. Models at one address with the same options share it. */
  readonly circuit?: BreakerOptions | undefined;
  /** Default: the machine's clock and randomness. */
  readonly runtime?: Runtime | undefined;
}

const steadyOptions = {
  attempts: "number",
  firstDelay: "number",
  maxDelay: "number",
  maxRetryAfter: "number",
  circuit: "object",
  runtime: portKinds.runtime,
} satisfies OptionKinds<SteadyOptions>;

const breakerOptions = { identical: "number", pause: "number" } satisfies OptionKinds<BreakerOptions>;

/**
 * Makes a model that retries after 429, 5xx, timeouts, and refused or broken connections; other faults are thrown at once.
 * A wait that the provider asks for is kept, up to `maxRetryAfter`. Each retry is a `request-retry` event. The last
 * fault says how many attempts were made.
 * @throws LastcallError `configuration` if `attempts` is not a positive whole number.
 */
export function steady(model: Model, options: SteadyOptions = {}): Model {
  expectKind("The model of steady", model, portKinds.model);
  checkOptions("steady", options, steadyOptions);
  checkOptions("circuit", options.circuit ?? {}, breakerOptions);
  const { maxRetryAfter = 60_000, runtime = systemRuntime } = options;
  const attempts = wholeNumber("attempts", options.attempts ?? 4);

  async function* respond(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, WrittenReply, void> {
    const breaker = breakerFor(model.provider, options.circuit ?? {});
    for (let attempt = 1; ; attempt += 1) {
      const entered = breaker.enter();
      const passage = entered instanceof Promise ? await entered : entered;
      let isSettled = false;
      let fault: LastcallError;
      try {
        const reply = yield* model.respond(request, signal);
        isSettled = true;
        passage.succeeded();
        return reply;
      } catch (thrown) {
        signal.throwIfAborted();
        fault = asFault(thrown);
        isSettled = true;
        if (fault.code !== "provider_unavailable") {
          passage.succeeded();
          throw fault;
        }
        passage.failed(fault);
      } finally {
        if (!isSettled) passage.abandoned();
      }
      const delay = fault.retryAfterMs ?? backoff(attempt, options, runtime);
      if (attempt >= attempts || delay > maxRetryAfter) throw withAttempts(fault, attempt);
      yield { type: "request-retry", attempt, delay, reason: fault.message };
      await runtime.sleep(delay, signal);
    }
  }

  const { name, provider, attachments } = model;
  return { name, provider, ...(attachments !== undefined && { attachments }), respond };
}

/** The wait before the next attempt, in milliseconds. Full jitter: a random part of a bound that doubles. */
function backoff(attempt: number, { firstDelay = 500, maxDelay = 30_000 }: SteadyOptions, runtime: Runtime): number {
  return Math.round(runtime.random() * Math.min(maxDelay, firstDelay * 2 ** (attempt - 1)));
}

function withAttempts(fault: LastcallError, attempts: number): LastcallError {
  const { code, message, status, retryAfterMs } = fault;
  const requestedWait =
    retryAfterMs === undefined || retryAfterMs === 0
      ? ""
      : ` It asks to wait ${String(Math.ceil(retryAfterMs / 1000))} s.`;
  return new LastcallError(
    code,
    `${message} (tried ${attempts === 1 ? "once" : `${String(attempts)} times`})${requestedWait}`,
    {
      cause: fault,
      ...(status !== undefined && { status }),
    },
  );
}
