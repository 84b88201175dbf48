// What every end-to-end test starts with: a scripted provider on loopback, the real client, and a few tools.

import { z } from "zod";
import {
  createAgent,
  tool,
  type Agent,
  type AgentOptions,
  type Check,
  type Event,
  type Tool,
} from "../../src/index.js";
import { openai, type OpenAIOptions } from "../../src/model/index.js";
import {
  assertWellFormedRequest,
  scriptedProvider,
  type Script,
  type ScriptedProvider,
} from "../../src/testing/index.js";
import { askQuestion, converse, giveUp, taskCompletion } from "../../src/tools/index.js";

/** Looks up a key; an unknown one is an error. What it says is its own word, so that prompts are easy to read. */
export const lookup = tool({
  name: "lookup",
  description: "Looks up a key",
  input: z.object({ key: z.string() }),
  effect: "read",
  readsOutside: false,
  run: ({ key }) => {
    if (key.startsWith("no")) throw new Error(`There is nothing under ${key}`);
    return `value of ${key}`;
  },
});

/** A loop-breaking tool of one's own. */
const submitReport = tool({
  name: "submit_report",
  description: "Submits the report",
  input: z.object({ findings: z.array(z.string()), grade: z.number() }),
  isLoopBreaking: true,
});

export const tools = [lookup, submitReport, taskCompletion(), askQuestion(), converse(), giveUp()] as const;

/** A check that does not pass before the task begins, nor at its first so many claims. */
export function failingFor(claims: number, output = "no"): Check {
  let asked = 0;
  return { name: "tests", verify: ({ when }) => ({ passed: when === "claim" && (asked += 1) > claims, output }) };
}

/** Everything one test needs, closed at its end. */
export interface Stage<Tools extends readonly Tool[]> extends AsyncDisposable {
  readonly agent: Agent<Tools>;
  readonly provider: ScriptedProvider;
  readonly events: Event[];
  readonly onEvent: (event: Event) => void;
  /** The types of the events so far, without deltas, and without `call-writing`: the clock makes it. */
  readonly types: () => readonly string[];
}

/** Starts a provider with the script and an agent on it, through the openai package. Retries wait a millisecond. */
export async function agentOn<const Tools extends readonly Tool[] = typeof tools>(
  script: Script,
  options: Partial<AgentOptions<Tools>> = {},
  reach: OpenAIOptions = {},
): Promise<Stage<Tools>> {
  const provider = await scriptedProvider(script);
  const model = openai({ baseURL: provider.url, model: "scripted", steady: { firstDelay: 1 }, ...reach });
  const events: Event[] = [];
  const whole = { model, tools, ...options } as unknown as AgentOptions<Tools>;
  return {
    agent: createAgent(whole),
    provider,
    events,
    onEvent: (event) => {
      events.push(event);
    },
    types: () => events.map(({ type }) => type).filter((type) => !/-delta$|^call-writing$/.test(type)),
    [Symbol.asyncDispose]: () => provider.close(),
  };
}

/** The messages of the n-th request (from 1) as `role: text`. */
export function prompt(provider: ScriptedProvider, number: number): readonly string[] {
  const { messages } = provider.requests[number - 1]!.body;
  return messages.map(({ role, content, tool_calls: calls }) => {
    const names = Array.isArray(calls) ? calls.map((call: { function: { name: string } }) => call.function.name) : [];
    return `${String(role)}: ${[typeof content === "string" ? content : "", ...names].filter(Boolean).join(" + ")}`;
  });
}

/** Fails where a request is not one that every server takes. */
export function assertPaired(provider: ScriptedProvider): void {
  for (const { body } of provider.requests) assertWellFormedRequest(body);
}
