// Makes one model of several: if one can't answer, the next model is asked.

import { LastcallError, type Model, type ModelEvent, type ModelRequest, type WrittenReply } from "../../core/index.js";
import { asFault, atCaller, checkOptions, type OptionKinds, milliseconds } from "../../core/internal.js";
import { makeBreaker, type Breaker, type Passage } from "../../breaker/index.js";
import { takenByAll } from "./taken-by-all.js";

/** The options of `fallback`. */
export interface FallbackOptions {
  /** Milliseconds for which a model that failed is asked after the other models. Default 30,000. */
  readonly pause?: number | undefined;
}

const fallbackOptions = { pause: "number" } satisfies OptionKinds<FallbackOptions>;

/** A model with its circuit, which opens at the first fault. */
interface Candidate {
  readonly model: Model;
  readonly breaker: Breaker;
}

/**
 * Makes one model of several. A request goes to the first; if that can't answer, to the next, and so on. The next is asked after
 * `provider_unavailable`, `provider_circuit_open`, and a quota that is used up (402, or `insufficient_quota` with 429). Other faults are
 * thrown: a wrong key or a refused request is for a person to mend, and a prompt that is too long is shortened by the memory. Text that a
 * failed model has shown is withdrawn by its `reply-retracted`. The change is a `request-adjusted`. Each reply names its writer.
 *
 * A model that failed is asked after the other models for `pause`. Then one request tries it first again. If every model failed, the
 * fault has the words of each. Wrap each model in `steady`, as `openai()` does, so that a short fault is retried before the next model is
 * asked.
 * @throws LastcallError `configuration` without two models, for an element that is no model, or for an invalid `pause`.
 */
export function fallback(models: readonly Model[], options: FallbackOptions = {}): Model {
  return atCaller(fallback, () => modelOf(models, options));
}

function modelOf(models: readonly Model[], options: FallbackOptions): Model {
  checkModels(models);
  checkOptions("fallback", options, fallbackOptions);
  const pause = milliseconds("pause", options.pause ?? 30_000);
  const candidates = models.map((model) => ({ model, breaker: makeBreaker(model.name, { identical: 1, pause }) }));
  const attachments = takenByAll(models.map((model) => model.attachments));
  return {
    name: models.map(({ name }) => name).join(" or "),
    models: [...new Set(models.flatMap(({ name, models: inner = [name] }) => inner))],
    provider: [...new Set(models.map(({ provider }) => provider))].join(" or "),
    ...(attachments !== undefined && { attachments }),
    respond: (request, signal) => respond(candidates, request, signal),
  };
}

/** @throws LastcallError `configuration` unless these are two models or more. */
function checkModels(models: unknown): void {
  const wrong = (problem: string): LastcallError =>
    new LastcallError(
      "configuration",
      `${problem}: give fallback([openai({ model: "..." }), openai({ model: "..." })]).`,
    );
  if (!Array.isArray(models) || models.length < 2) throw wrong("fallback needs a list of at least two models");
  for (const [index, model] of models.entries()) {
    if (typeof (model as Partial<Model> | undefined)?.respond !== "function")
      throw wrong(`The element ${String(index)} of fallback is no model`);
  }
}

/** Asks the models that do not rest in their order, and then the models that rest. */
async function* respond(
  candidates: readonly Candidate[],
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<ModelEvent, WrittenReply, void> {
  const resting: Model[] = [];
  const failed: Failed[] = [];
  for (const { model, breaker } of candidates) {
    const passage = await enter(breaker);
    if (passage === undefined) {
      resting.push(model);
      continue;
    }
    yield* tellChange(failed, model);
    const reply = yield* ask({ model, passage }, { request, signal, failed });
    if (reply !== undefined) return reply;
  }
  for (const model of resting) {
    yield* tellChange(failed, model);
    const reply = yield* ask({ model, passage: unbound }, { request, signal, failed });
    if (reply !== undefined) return reply;
  }
  throw allFailed(failed);
}

/** A model that did not answer this request. */
interface Failed {
  readonly model: Model;
  readonly fault: LastcallError;
}

/** A passage of a model that rests: its circuit learns nothing from it. */
const unbound: Passage = { succeeded: () => undefined, failed: () => undefined, abandoned: () => undefined };

/** The passage to a model; undefined while the model rests. */
async function enter(breaker: Breaker): Promise<Passage | undefined> {
  try {
    return await breaker.enter();
  } catch (thrown) {
    if (asFault(thrown).code === "provider_circuit_open") return undefined;
    throw thrown;
  }
}

function* tellChange(failed: readonly Failed[], next: Model): Generator<ModelEvent, void, void> {
  const last = failed.at(-1);
  if (last === undefined) return;
  yield {
    type: "request-adjusted",
    reason: `${last.model.name} did not answer, so ${next.name} is asked: ${last.fault.message}`,
  };
}

/** One request, and the models that did not answer it so far. */
interface Asking {
  readonly request: ModelRequest;
  readonly signal: AbortSignal;
  readonly failed: Failed[];
}

/** The reply of one model; undefined if another model may help. @throws any other fault. */
async function* ask(
  { model, passage }: { readonly model: Model; readonly passage: Passage },
  { request, signal, failed }: Asking,
): AsyncGenerator<ModelEvent, WrittenReply | undefined, void> {
  let isSettled = false;
  try {
    const reply = yield* model.respond(request, signal);
    isSettled = true;
    passage.succeeded();
    return { ...reply, model: reply.model ?? model.name };
  } catch (thrown) {
    signal.throwIfAborted();
    const fault = asFault(thrown);
    isSettled = true;
    if (!mayAskAnother(fault)) {
      passage.succeeded();
      throw fault;
    }
    passage.failed(fault);
    failed.push({ model, fault });
    return undefined;
  } finally {
    if (!isSettled) passage.abandoned();
  }
}

/** True for a fault that another model may not have. */
function mayAskAnother({ code, status }: LastcallError): boolean {
  if (code === "provider_unavailable" || code === "provider_circuit_open") return true;
  // A used up quota is refused with one of these; a rate limit with 429 is `provider_unavailable`.
  return code === "provider_rejected" && (status === 402 || status === 429);
}

/** The fault of a request that no model answered. A wait is asked for only if every model asks for one: then the shortest. */
function allFailed(failed: readonly Failed[]): LastcallError {
  const faults = failed.map(({ fault }) => fault);
  const code = (["provider_unavailable", "provider_circuit_open", "provider_rejected"] as const).find((one) =>
    faults.some((fault) => fault.code === one),
  );
  const waits = faults.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
  const words = failed.map(({ model, fault }) => `${model.name}: ${fault.message}`);
  return new LastcallError(code ?? "provider_unavailable", `No model answered. ${words.join(" ")}`, {
    cause: faults[0],
    ...(waits.length === faults.length && { retryAfterMs: Math.min(...waits) }),
  });
}
