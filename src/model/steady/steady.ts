// Steady: a model around a model that sends a request again when it failed in a way that may pass.

import {
  LastcallError,
  systemRuntime,
  type Model,
  type ModelEvent,
  type ModelRequest,
  type Runtime,
  type WrittenReply,
} from "../../core/index.js";
import { asFault, wholeNumber } from "../../core/internal.js";
import { breakerFor, type BreakerOptions } from "./breaker.js";

/** How often, and how long between. */
export interface SteadyOptions {
  /** How often a request is sent at the most. Default 4. */
  readonly attempts?: number | undefined;
  /** Milliseconds: the first wait is a random part of this, and it doubles. Default 500. */
  readonly firstDelay?: number | undefined;
  /** Milliseconds: no wait of ours is longer. Default 30,000. */
  readonly longestDelay?: number | undefined;
  /** Milliseconds: a provider that asks for a longer wait is not waited for. Default 60,000. */
  readonly longestRetryAfter?: number | undefined;
  /** When the circuit around the provider opens, and for how long; shared by all models at that address. */
  readonly circuit?: BreakerOptions | undefined;
  /** Default: the machine's clock and randomness. */
  readonly runtime?: Runtime | undefined;
}

/**
 * Makes a model steady: 429, 5xx, timeouts, refused and broken connections are tried again; other faults are not.
 * A wait the provider asks for is kept, up to a minute. Every attempt that is followed by another is an event; the fault
 * of the last one says how many there were.
 * @throws LastcallError `configuration` for a number of attempts that is none.
 */
export function steady(model: Model, options: SteadyOptions = {}): Model {
  const { longestRetryAfter = 60_000, runtime = systemRuntime } = options;
  const attempts = wholeNumber("attempts", options.attempts ?? 4);

  async function* respond(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent, WrittenReply, void> {
    const breaker = await breakerFor(model.provider, options.circuit ?? {});
    for (let attempt = 1; ; attempt += 1) {
      const fault = yield* once(await breaker.enter(), request, signal);
      if (!(fault instanceof LastcallError)) return fault;
      const delay = fault.retryAfterMs ?? backoff(attempt, options, runtime);
      if (attempt >= attempts || delay > longestRetryAfter) throw spent(fault, attempt);
      yield { type: "request-retry", attempt, delay, reason: fault.message };
      await runtime.sleep(delay, signal);
    }
  }

  /** One attempt: its reply, or a fault that may pass. */
  async function* once(
    passage: Awaited<ReturnType<Awaited<ReturnType<typeof breakerFor>>["enter"]>>,
    request: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelEvent, WrittenReply | LastcallError, void> {
    let isSettled = false;
    try {
      const reply = yield* model.respond(request, signal);
      isSettled = true;
      passage.succeeded();
      return reply;
    } catch (thrown) {
      signal.throwIfAborted();
      const fault = asFault(thrown);
      isSettled = true;
      if (fault.code !== "provider_unavailable") {
        passage.succeeded();
        throw fault;
      }
      passage.failed(fault);
      return fault;
    } finally {
      if (!isSettled) passage.abandoned();
    }
  }

  return { name: model.name, provider: model.provider, respond };
}

/** Full jitter: a random part of a bound that doubles. */
function backoff(
  attempt: number,
  { firstDelay = 500, longestDelay = 30_000 }: SteadyOptions,
  runtime: Runtime,
): number {
  return Math.round(runtime.random() * Math.min(longestDelay, firstDelay * 2 ** (attempt - 1)));
}

function spent(fault: LastcallError, attempts: number): LastcallError {
  const { code, message, status, retryAfterMs } = fault;
  const asked = retryAfterMs === undefined ? "" : ` It asks to wait ${String(Math.ceil(retryAfterMs / 1000))} s.`;
  return new LastcallError(
    code,
    `${message} (tried ${attempts === 1 ? "once" : `${String(attempts)} times`})${asked}`,
    {
      cause: fault,
      ...(status !== undefined && { status }),
    },
  );
}
