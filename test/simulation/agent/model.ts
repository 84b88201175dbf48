// A model whose replies follow from the key of the request alone, so that a run that is resumed is answered as before.

import {
  LastcallError,
  noUsage,
  type Model,
  type ModelEvent,
  type ModelRequest,
  type WrittenCall,
  type WrittenReply,
} from "../../../src/core/index.js";
import { hashed } from "../world/random.js";
import type { Place } from "./place.js";

/** The model of all simulated agents. It asks `place` in which world and process it is. */
export function simulatedModel(place: () => Place): Model {
  return {
    name: "simulated",
    provider: "simulated:",
    async *respond(request, signal): AsyncGenerator<ModelEvent, WrittenReply, void> {
      const { world, life } = place();
      const { scheduler, random } = world;
      const sent = scheduler.now;
      const reply = replyTo(request);
      const took = random.chance(0.03) ? random.whole(1000, 45_000) : random.whole(10, 800);
      await life.say(() => answerIn(took / 2, place(), signal));
      for (const [index, { name, input }] of reply.calls.entries())
        yield { type: "call-delta", index, name, text: JSON.stringify(input) };
      await answerIn(took / 2, { world, life }, signal);
      if (world.strikes(0.01)) {
        yield { type: "reply-retracted", reason: "the connection was lost" };
        throw new LastcallError("provider_unavailable", "The connection to the model was lost.");
      }
      world.charges.push({ key: request.key, worker: life.name, sent, usage: reply.usage });
      return { ...reply, calls: reply.calls.map(({ name, input }): WrittenCall => ({ type: "call", name, input })) };
    },
  };
}

function answerIn(ms: number, { world, life }: Place, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.addEventListener(
      "abort",
      () => {
        reject(signal.reason as Error);
      },
      { once: true },
    );
    world.scheduler.after(ms, resolve, life);
  });
}

interface SimulatedCall {
  readonly name: string;
  readonly input: Readonly<Record<string, string>>;
}

function replyTo({
  key,
  messages,
  tools,
}: ModelRequest): Omit<WrittenReply, "calls"> & { readonly calls: readonly SimulatedCall[] } {
  const iteration = /model:(\d+)/.exec(key)?.[1];
  const usage = {
    ...noUsage,
    inputTokens: 20 + 10 * messages.length,
    outputTokens: 5 + Math.floor(hashed(`${key} out`) * 20),
  };
  const has = new Set(tools.map(({ name }) => name));
  const calls = callsOf(key, iteration === undefined ? Infinity : Number(iteration)).filter(
    ({ name }) => has.has(name) || name === "unknown",
  );
  return { text: "", calls, finish: "complete", usage };
}

/** The calls of an iteration. The sixth one is the last. */
function callsOf(key: string, iteration: number): readonly SimulatedCall[] {
  const choice = hashed(key);
  const does = (name: string, index = 0): SimulatedCall => ({
    name,
    input: { what: `${name} ${key.slice(-20)} ${String(index)}` },
  });
  if (iteration >= 6 || (iteration > 1 && choice < 0.2))
    return [{ name: "task_completion", input: { result: "It is done." } }];
  if (choice < 0.3) return [does("look"), does("look", 1), does("note", 2)];
  if (choice < 0.42) return [does("send"), does("look", 1)];
  if (choice < 0.54) return [does("pay")];
  if (choice < 0.64) return [does("look"), does("send", 1), does("send", 2)];
  if (choice < 0.76) return [{ name: "ask_question", input: { question: `Which one for ${key.slice(-24)}?` } }];
  if (choice < 0.84) return [does("form")];
  if (choice < 0.91) return [does("note"), does("wire", 1)];
  if (choice < 0.95) return [does("unknown")];
  return choice < 0.97 ? [] : [does("pay"), does("send", 1)];
}
