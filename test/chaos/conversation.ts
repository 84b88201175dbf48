// Random conversations: an agent with every kind of tool, and a model that does by a seed whatever a model may do.

import { z } from "zod";
import { createAgent, tool, type Agent, type Check, type Runtime, type Tool } from "../../src/index.js";
import { systemRuntime } from "../../src/core/index.js";
import { transcript, windowed } from "../../src/memory/index.js";
import { openai } from "../../src/model/index.js";
import { askFirst } from "../../src/approval/index.js";
import { call, scriptedModel, type ScriptedCall, type Step } from "../../src/testing/index.js";
import { askQuestion, converse, giveUp, readResult, taskCompletion } from "../../src/tools/index.js";
import type { SeenEffect } from "./invariants.js";

/** One of these. */
function anyOf<Item>(random: () => number, items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)]!;
}

const calls: readonly ScriptedCall[] = [
  call("work", { what: "a" }),
  call("work", { what: "b" }),
  call("work", { what: "bad" }),
  call("set", { what: "c" }),
  call("set", { what: "bad" }),
  call("look", { what: "long" }),
  call("look", { what: "short" }),
  call("look", { wat: "short" }),
  call("look", '{"what": "sho'),
  call("look", ""),
  call("work", { what: "d" }, "call_same"),
  call("toString"),
  call("functions.look:0", { what: "short" }),
];

const endings: readonly ScriptedCall[] = [
  call("task_completion", { result: "All done." }),
  call("ask_question", { question: "Which one?" }),
  call("converse", { message: "Hello." }),
  call("sign", { what: "Ada" }),
  call("sign", { what: "draft" }),
  call("sign", { what: "bad" }),
  call("give_up", { reason: "It can't be done." }),
];

/** What a provider does wrong, by its name. */
const failing = {
  "status 500": { status: 500 },
  "status 429": { status: 429 },
  "status 400": { status: 400, message: "no" },
  "an end in a call": { text: "I was about to", calls: [call("work", { what: "cut" })], cut: "end" },
  "a reset in a call": { text: "I was about to", calls: [call("work", { what: "cut" })], cut: "reset" },
  "a reply that is too long": { calls: [call("work", { what: "cut" })], finishReason: "length" },
  "a refusal": { text: "No.", finishReason: "content_filter" },
} as const satisfies Readonly<Record<string, Step>>;

/** The names of what a provider does wrong. */
export const failures = Object.keys(failing) as (keyof typeof failing)[];

/** What the model says next, and the name of what is wrong with it. */
export function anyReply(random: () => number): { readonly step: Step; readonly failure?: keyof typeof failing } {
  const chance = random();
  if (chance < 0.1) {
    const failure = anyOf(random, failures);
    return { step: failing[failure], failure };
  }
  return { step: anyGoodReply(random, chance) };
}

function anyGoodReply(random: () => number, chance: number): Step {
  if (chance < 0.15) return anyOf(random, ["", "I think I am done.", "Grüße 👋"]);
  const text = random() < 0.3 ? "Words and words. ".repeat(random() < 0.2 ? 100 : 1) : "";
  const few = Array.from({ length: Math.floor(random() * 4) }, () => anyOf(random, calls));
  const end = random() < 0.25 ? [anyOf(random, endings)] : [];
  // The same reply again and again, for the circuit and the stall.
  if (random() < 0.1) return { text, calls: [anyOf(random, calls.slice(5, 9))] };
  return { text, calls: [...few, ...end], usage: random() < 0.5 ? {} : { inputTokens: 700, outputTokens: 20 } };
}

/** What is there besides the model. */
export interface World {
  readonly tools: readonly Tool[];
  readonly agent: Agent;
}

/** An agent whose tools tell of their effects, on a provider. All that is random about it follows from the numbers. */
export function worldOf(random: () => number, url: string, effects: SeenEffect[]): World {
  const worker = (name: string, idempotent: boolean): Tool =>
    tool({
      name,
      description: "Works",
      input: z.object({ what: z.string() }),
      effect: "write",
      idempotent,
      run: async (input, { callId }) => {
        effects.push({ callId, input });
        await Promise.resolve();
        if (input.what === "bad") throw new Error("It broke in the middle");
        return `did ${input.what}`;
      },
    });
  const look = tool({
    name: "look",
    description: "Looks",
    input: z.object({ what: z.string() }),
    effect: "read",
    run: ({ what }) => (what === "long" ? "line after line\n".repeat(300) : what),
  });
  const sign = tool({
    name: "sign",
    description: "Ends the run with an effect",
    input: z.object({ what: z.string() }),
    effect: "network",
    isLoopBreaking: ({ what }) => what !== "draft",
    run: (input, { callId }) => {
      effects.push({ callId, input });
      if (input.what === "bad") throw new Error("The ink ran out");
    },
  });
  const tools: readonly Tool[] = [
    ...[worker("work", false), worker("set", true), look, sign],
    ...[taskCompletion(), askQuestion(), converse(), giveUp(), readResult()],
  ];
  const model = openai({ baseURL: url, model: "m", steady: false, forcing: "auto" });
  const permission = askFirst(() => {
    if (random() < 0.05) throw new Error("Nobody is there");
    return random() < 0.9;
  });
  const summarize = scriptedModel(() => (random() < 0.7 ? "I did what I did." : { status: 500 }));
  const memory = random() < 0.5 ? transcript : windowed({ window: 4000, keep: 2, summarize });
  const checks = random() < 0.5 ? [] : [checkIn(random)];
  const limits = random() < 0.7 ? {} : { maxIterations: 12 };
  return { tools, agent: createAgent({ model, tools, permission, memory, checks, limits, clip: 2000, runtime }) };
}

function checkIn(random: () => number): Check {
  const every = random() < 0.5 ? "claim" : "iteration";
  return { name: "tests", every, verify: () => ({ passed: random() < 0.4, output: "not yet" }) };
}

/** Whoever waits for a session that is busy looks more often; what a dead process would say is not printed. */
const runtime: Runtime = {
  ...systemRuntime,
  warn: () => undefined,
  sleep: (ms, signal) => systemRuntime.sleep(ms === 100 ? 2 : ms, signal),
};
