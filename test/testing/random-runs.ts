// Random runs: scripts with everything a model and a provider may do wrong, and an agent's options to run them with.

import fc from "fast-check";
import { z } from "zod";
import { tool, type AgentOptions, type Check, type LimitOptions, type Tool } from "../../src/index.js";
import { call, type ScriptedCall, type Seen, type Step } from "../../src/testing/index.js";

import { tools as common } from "../e2e/agent-on.js";

const note = tool({
  name: "note",
  description: "Declares no effect and shows progress",
  input: z.object({ text: z.string() }),
  async *run({ text }) {
    yield "writing";
    if (text === "bad") throw new Error("The pen broke");
  },
});

const send = tool({
  name: "send",
  description: "Has an effect that is not allowed",
  input: z.object({}),
  effect: "network",
  run: () => "sent",
});

const sign = tool({
  name: "sign",
  description: "Ends the run with an effect, and fails at times",
  input: z.object({ name: z.string() }),
  isLoopBreaking: ({ name }) => name !== "draft",
  run: ({ name }) => {
    if (name === "bad") throw new Error("The ink ran out");
    return name === "nothing" ? undefined : { signed: name };
  },
});

/** What the agent of every random run has. */
export const tools: readonly Tool[] = [...common, note, send, sign];

/** What ends every run that got so far. */
export const done: ScriptedCall = call("task_completion", { result: "all done" });

const anyCall = fc.constantFrom<ScriptedCall>(
  call("lookup", { key: "a" }),
  call("lookup", { key: "b" }, "call_same"),
  call("lookup", { key: "none" }),
  call("lookup", { ky: "a" }),
  call("lookup", '{"key": "a'),
  call("lookup", '{ "key" : "a" }'),
  call("lookup", ""),
  call("look up!", { key: "a" }),
  call("toString"),
  call("note", { text: "good" }),
  call("note", { text: "bad" }),
  call("send"),
  call("sign", { name: "draft" }),
  call("sign", { name: "Ada" }),
  call("sign", { name: "bad" }),
  call("sign", { name: "nothing" }),
  call("submit_report", { findings: ["one"], grade: 1 }),
  call("ask_question", { question: "Which one?" }),
  call("converse", { message: "Hello." }),
  call("give_up", { reason: "It can't be done." }),
  done,
);

const words = fc.constantFrom("", "", "I think I am done.", "Grüße 👋");

const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ text: words, calls: fc.array(anyCall, { maxLength: 4 }) }) },
  { weight: 1, arbitrary: words },
  {
    weight: 2,
    arbitrary: fc.record({
      text: words,
      calls: fc.array(anyCall, { maxLength: 3 }),
      finishReason: fc.constantFrom("length", "content_filter", "stop"),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      text: words,
      calls: fc.array(anyCall, { maxLength: 2 }),
      cut: fc.constantFrom("end", "reset"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ status: fc.constantFrom(400, 429, 500) }) },
);

/** One random run, and one that goes on from it. */
export interface RandomRun {
  readonly steps: readonly Step[];
  /** The number of the event at which it is aborted, from 0. */
  readonly abortAt: number | undefined;
  /** How often the check fails before it passes. */
  readonly failing: number;
  readonly every: "claim" | "iteration";
  readonly limits: LimitOptions;
}

/** No warnings: they are told between two iterations wherever they come, and would hide what ends the run. */
const anyLimits: fc.Arbitrary<LimitOptions> = fc.oneof(
  fc.constant({}),
  fc.record({
    maxIterations: fc.integer({ min: 1, max: 5 }),
    maxTokens: fc.constantFrom(2000, 5000, 1_000_000),
    reserve: fc.constantFrom(0, 0.1, 0.5),
    warnAt: fc.constantFrom(0.2, 0.8, 1),
  }),
);

export const randomRun: fc.Arbitrary<RandomRun> = fc.record({
  steps: fc.array(anyStep, { maxLength: 7 }),
  abortAt: fc.option(fc.nat(40), { nil: undefined }),
  failing: fc.nat(3),
  every: fc.constantFrom("claim", "iteration"),
  limits: anyLimits,
});

/** The random steps and then, for as long as it is asked, the end. */
export function scriptOf({ steps }: RandomRun): (seen: Seen) => Step {
  return ({ number }) => steps[number - 1] ?? [done];
}

type Options = Pick<AgentOptions<readonly Tool[]>, "checks" | "maxAttempts" | "limits">;

/** Options of an agent whose check fails so often. */
export function optionsOf({ failing, every, limits }: RandomRun): Options {
  let asked = 0;
  const check: Check = { name: "tests", every, verify: () => ({ passed: (asked += 1) > failing, output: "no" }) };
  return { checks: [check], maxAttempts: 3, limits };
}
