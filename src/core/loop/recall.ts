// Recall: gets the prompt from the memory and checks it against the rules of every server; or records that no prompt fits the window.

import type { Event, Stage } from "../ports/event.js";
import { follow, unlessAborted } from "../time/abort.js";
import { isReservation } from "../ports/budget.js";
import { noUsage } from "../data/call.js";
import { readerName } from "../journal/clip.js";
import { explain, LastcallError } from "../data/fault.js";
import { around, inContext } from "../ports/hook.js";
import type { Consultation, Folding, Recalling } from "../ports/memory.js";
import type { Message } from "../data/message.js";
import { wholeReply, type Model, type WrittenReply } from "../ports/model.js";
import type { Run } from "../run/run.js";
import { dearest, expectedPrice, priceOf, spentOn, tokensOf } from "../journal/spent.js";
import { wait } from "../time/stage.js";

/** The messages of a prompt. */
export interface Prompt {
  readonly messages: readonly Message[];
  /** True if it differs from the prompt before. */
  readonly isChanged: boolean;
}

/**
 * Recalls the prompt. If it does not fit the window, records an overflow and returns undefined. `key` is the key of the model requests
 * that the memory makes; `refusal` is the fault of a provider that refused the last prompt as too long.
 */
export function* recall(run: Run, key: string, refusal?: LastcallError): Stage<Prompt | undefined> {
  /** The events of the memory's own requests. */
  const told: Event[] = [];
  const tell = (event: Event): void => void told.push(event);
  const source = run.memory.recall(recalling(run, { key, tell, overflowed: refusal !== undefined }));
  let isRewritten = false;
  try {
    for (;;) {
      const next = yield* wait(source.next());
      yield* told.splice(0);
      if (next.done === true) return { messages: next.value, isChanged: run.ledger.take(next.value, isRewritten) };
      isRewritten = true;
      yield next.value;
    }
  } catch (thrown) {
    if (!isOverflow(thrown)) throw thrown;
    yield* wait(overflow(run, refusal ?? thrown));
    return undefined;
  }
}

/** Records that the prompt does not fit the window, so no further request can be sent. */
export async function overflow(run: Run, { message }: LastcallError): Promise<void> {
  await run.append({ type: "overflow", message });
}

/** True for the fault of a prompt that is too long. */
export function isOverflow(thrown: unknown): thrown is LastcallError {
  return thrown instanceof LastcallError && thrown.code === "context_overflow";
}

/** The circumstances of one recall. */
interface Circumstances {
  readonly key: string;
  readonly tell: (event: Event) => void;
  readonly overflowed: boolean;
}

function recalling(run: Run, { key, tell, overflowed }: Circumstances): Recalling {
  const { overhead, tools } = run.parts;
  return {
    signal: run.signal,
    overflowed,
    compact: run.takeCompact(),
    measured: run.state.prompt.measured !== undefined,
    reader: tools.find(readerName) === undefined ? undefined : readerName,
    tokensOf: (characters) => tokensOf(run.state.prompt, overhead + characters),
    append: async (record) => {
      await run.append(record);
    },
    consult: (model, question) => consult(run, { key, model, question, tell }),
    fold: (folding, summarize) => fold(run, folding, summarize),
  };
}

/** Passes a fold through the hooks, around the function that makes the summary. */
async function fold(
  run: Run,
  folding: Folding,
  summarize: (folding: Folding) => Promise<string>,
): Promise<string | undefined> {
  const through = around<Folding, never, string | undefined>(
    run.parts.hooks.map((hook) => inContext(hook.fold?.bind(hook), run.context)),

    async function* (asked) {
      return await summarize(asked);
    },
    run.signal,
  );
  const { done, value } = await unlessAborted(through(folding).next(), run.signal);
  if (done === true && (value === undefined || typeof value === "string")) return value;
  const problem = done === true ? "returned something else than a text" : "yielded an event, and a fold has none";
  throw new LastcallError(
    "configuration",
    `The \`fold\` of a hook ${problem}: return a summary, or undefined for a veto.`,
  );
}

/** One request that the memory makes to a model. */
interface MemoryRequest {
  readonly key: string;
  readonly model: Model;
  readonly question: Consultation;
  /** Takes the events of the request for watchers. */
  readonly tell: (event: Event) => void;
}

/**
 * Asks a model for the memory. Reserves the likely usage first, as for an agent in a tool, and records the actual usage. Returns undefined
 * if a limit forbids the request.
 */
async function consult(run: Run, request: MemoryRequest): Promise<WrittenReply | undefined> {
  const { model, question } = request;
  const { prices } = run.parts.limits;
  const price = expectedPrice(model, prices) ?? dearest(prices);
  const budget = run.purse.open();
  const inputTokens = tokensOf(
    { counted: 0, characters: 0, longestReply: 0 },
    question.system.length + question.text.length,
  );
  const likely = { ...spentOn({ ...noUsage, inputTokens }, price), iterations: 0 };
  const reservation = await budget.reserve(likely, request.key);
  if (!isReservation(reservation)) return undefined;
  try {
    const reply = await askInTime(run, request).catch((thrown: unknown) => {
      reservation.release();
      if (!run.signal.aborted) request.tell(unanswered(model, thrown));
      throw thrown;
    });
    const { usage } = reply;
    const counted = usage.inputTokens + usage.outputTokens > 0 ? usage : { ...noUsage, inputTokens };
    const paid = reply.model === undefined ? price : (priceOf(reply.model, prices) ?? dearest(prices));
    await reservation.settle({ ...spentOn(counted, paid), iterations: 0 });
    return reply;
  } finally {
    budget.close();
  }
}

/** The event of a question that the model did not answer. */
function unanswered({ name }: Model, thrown: unknown): Event {
  return { type: "request-adjusted", reason: `the memory does without ${name}: ${explain(thrown)}` };
}

/** Asks the model and waits at most `timeout`, even for a model that ignores its signal. */
async function askInTime(run: Run, { key, model, question }: MemoryRequest): Promise<WrittenReply> {
  const { system, text, timeout } = question;
  const stop = new AbortController();
  const unfollow = follow(stop, run.signal);
  const timer = new AbortController();
  const late = new LastcallError("provider_unavailable", `${model.name} did not answer within ${String(timeout)} ms.`);
  run.parts.runtime.sleep(timeout, timer.signal).then(
    () => {
      stop.abort(late);
    },
    () => undefined,
  );
  try {
    const request = { key, system, messages: [{ role: "user", text } as const], tools: [], needsCall: false };
    return await unlessAborted(wholeReply(model.respond(request, stop.signal), stop.signal), stop.signal);
  } catch (thrown) {
    run.signal.throwIfAborted();
    throw thrown;
  } finally {
    unfollow();
    timer.abort();
  }
}
