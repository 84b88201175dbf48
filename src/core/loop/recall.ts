// Recall: the prompt is asked of the memory and held against what every server takes; or there is none that would fit.

import type { Event } from "../ports/event.js";
import { unlessAborted } from "../time/abort.js";
import { isReservation } from "../ports/budget.js";
import { noUsage } from "../data/call.js";
import { readerName } from "../journal/clip.js";
import { LastcallError } from "../data/fault.js";
import type { Consultation, Recalling } from "../ports/memory.js";
import type { Message } from "../data/message.js";
import { wholeReply, type Model, type WrittenReply } from "../ports/model.js";
import type { Run } from "../run/run.js";
import { dearest, priceOf, spentOn, tokensOf } from "../journal/spent.js";

/** A prompt, and whether it differs from the one before. */
export interface Recalled {
  readonly messages: readonly Message[];
  readonly isChanged: boolean;
}

/**
 * Recalls the prompt; undefined where it does not fit the window, which is then recorded. `refusal` is what the provider
 * said of the prompt before, where it refused it as too long.
 */
export async function* recall(
  run: Run,
  key: string,
  refusal?: LastcallError,
): AsyncGenerator<Event, Recalled | undefined, void> {
  const source = run.memory.recall(recalling(run, key, refusal !== undefined));
  run.compacts = false;
  let isRewritten = false;
  try {
    for (;;) {
      const next = await source.next();
      if (next.done === true) return { messages: next.value, isChanged: run.ledger.take(next.value, isRewritten) };
      isRewritten = true;
      yield next.value;
    }
  } catch (thrown) {
    if (!isOverflow(thrown)) throw thrown;
    await overflow(run, refusal ?? thrown);
    return undefined;
  }
}

/** Records that no further request can be sent. */
export async function overflow(run: Run, { message }: LastcallError): Promise<void> {
  await run.append({ type: "overflow", message });
}

/** True where a prompt was too long. */
export function isOverflow(thrown: unknown): thrown is LastcallError {
  return thrown instanceof LastcallError && thrown.code === "context_overflow";
}

function recalling(run: Run, key: string, overflowed: boolean): Recalling {
  const { overhead, tools } = run.parts;
  return {
    signal: run.signal,
    overflowed,
    compact: run.compacts,
    measured: run.state.prompt.measured !== undefined,
    reader: tools.find(readerName) === undefined ? undefined : readerName,
    tokensOf: (characters) => tokensOf(run.state.prompt, overhead + characters),
    append: async (record) => {
      await run.append(record);
    },
    consult: (model, asked) => consult(run, key, model, asked),
  };
}

/** What it is likely to take is set aside before, as for an agent in a tool; what it took is recorded. */
async function consult(run: Run, key: string, model: Model, asked: Consultation): Promise<WrittenReply | undefined> {
  const { prices } = run.parts.limits;
  const price = priceOf(model.name, prices) ?? dearest(prices);
  const budget = run.purse.open();
  const inputTokens = tokensOf({ counted: 0, characters: 0, longestReply: 0 }, asked.system.length + asked.text.length);
  const hold = budget.reserve({ ...spentOn({ ...noUsage, inputTokens }, price), iterations: 0 });
  if (!isReservation(hold)) return undefined;
  try {
    const reply = await inTime(run, key, model, asked).catch((thrown: unknown) => {
      hold.release();
      throw thrown;
    });
    const { usage } = reply;
    const counted = usage.inputTokens + usage.outputTokens > 0 ? usage : { ...noUsage, inputTokens };
    await hold.settle({ ...spentOn(counted, price), iterations: 0 });
    return reply;
  } finally {
    budget.close();
  }
}

/** Waits for the model, and no longer than it may take, whether it listens to its signal or not. */
async function inTime(
  run: Run,
  key: string,
  model: Model,
  { system, text, timeout }: Consultation,
): Promise<WrittenReply> {
  const stop = new AbortController();
  const signal = AbortSignal.any([run.signal, stop.signal]);
  const over = new AbortController();
  const late = new LastcallError("provider_unavailable", `${model.name} did not answer within ${String(timeout)} ms.`);
  run.parts.runtime.sleep(timeout, over.signal).then(
    () => {
      stop.abort(late);
    },
    () => undefined,
  );
  try {
    const request = { key, system, messages: [{ role: "user", text } as const], tools: [], needsCall: false };
    return await unlessAborted(wholeReply(model.respond(request, signal)), signal);
  } catch (thrown) {
    run.signal.throwIfAborted();
    throw thrown;
  } finally {
    over.abort();
  }
}
