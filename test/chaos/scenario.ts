// The scenario: one task in which every kind of thing happens, whatever interrupts it; its model goes by what the world looks like.

import { z } from "zod";
import { predicate } from "../../src/checks/index.js";
import { replay } from "../../src/core/index.js";
import {
  createAgent,
  noUsage,
  tool,
  type Agent,
  type AgentOptions,
  type Check,
  type Event,
  type JournalRecord,
  type Model,
  type Outcome,
  type State,
  type Tool,
} from "../../src/index.js";
import { openSession, windowed, type Store } from "../../src/memory/index.js";
import { allowAll } from "../../src/permission/index.js";
import { call, scriptedModel, type ScriptedModel, type Step } from "../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../src/tools/index.js";
import { tearableStore } from "./around-store.js";
import { checkInvariants, type SeenEffect } from "./invariants.js";

/** What is outside of every session. */
export interface World {
  /** Where the session is kept. */
  readonly store: Store;
  readonly effects: (SeenEffect & { readonly what: string })[];
  readonly states: State[];
  readonly tools: readonly Tool[];
  /** Tools that are at work. */
  running: number;
  pages: number;
  hasTalked: boolean;
  hasClaimed: boolean;
  isAnswered: boolean;
  isSteered: boolean;
}

/** What the model thinks of a page: words that no stub can stand for. */
const thoughts = "I read on, and think of what I read. ".repeat(40);

/** The id of the session. */
export const session = "s";

/** The ways in which a scenario is changed by whoever runs it. */
export interface Altered {
  readonly model?: (model: Model) => Model;
  readonly tool?: <T extends Tool>(tool: T) => T;
  readonly check?: (check: Check) => Check;
  readonly options?: Partial<AgentOptions<readonly Tool[]>>;
}

/** A world in which nothing has happened. */
export function freshWorld(store: Store = tearableStore()): World {
  const world: World = {
    store,
    effects: [],
    states: [],
    tools: [],
    running: 0,
    pages: 0,
    hasTalked: false,
    hasClaimed: false,
    isAnswered: false,
    isSteered: false,
  };
  return Object.assign(world, { tools: toolsIn(world) });
}

/** What the model says next: it looks at the world, so that it goes on wherever it was interrupted. */
function next(world: World): Step {
  const lacks = (what: string): boolean => !world.effects.some((effect) => effect.what === what);
  if (!world.hasTalked) {
    world.hasTalked = true;
    return "Let me think.";
  }
  if (lacks("a")) {
    const calls = [call("work", { what: "a" }), call("look"), call("put", { what: "b" }), call("fail")];
    return { text: "First this.", calls };
  }
  if (world.pages < 6) return { text: thoughts, calls: [call("read_page"), call("read_page")] };
  if (!world.isAnswered) return { calls: [call("ask_question", { question: "Which one?" })] };
  if (lacks("c")) return { calls: [call("work", { what: "c" })] };
  if (!world.hasClaimed) return { calls: [call("task_completion", { result: "early" })] };
  if (lacks("d")) return { calls: [call("work", { what: "d" })] };
  return { calls: [call("task_completion", { result: "done" })] };
}

function toolsIn(world: World): readonly Tool[] {
  const input = z.object({ what: z.string() });
  const act = async (what: string, callId: string): Promise<string> => {
    world.running += 1;
    try {
      world.effects.push({ what, callId, input: { what } });
      if (what === "c" && !world.isSteered) {
        world.isSteered = true;
        await world.store.send(session, { id: "steering", text: JSON.stringify({ text: "Hurry." }) });
      }
      await Promise.resolve();
      return `did ${what}`;
    } finally {
      world.running -= 1;
    }
  };
  const work = tool({
    name: "work",
    description: "Works",
    input,
    effect: "write",
    run: ({ what }, { callId }) => act(what, callId),
  });
  const put = tool({
    name: "put",
    description: "Puts",
    input,
    effect: "write",
    idempotent: true,
    async *run({ what }, { callId }) {
      yield "putting";
      return act(what, callId);
    },
  });
  const look = tool({ name: "look", description: "Looks", input: z.object({}), effect: "read", run: () => "seen" });
  const fail = tool({
    name: "fail",
    description: "Fails",
    input: z.object({}),
    effect: "read",
    run: () => {
      throw new Error("There is nothing here");
    },
  });
  const page = tool({
    name: "read_page",
    description: "Reads the next page",
    input: z.object({}),
    effect: "read",
    run: () => `page ${String((world.pages += 1))}: ${"words and more words. ".repeat(40)}`,
  });
  return [work, put, look, fail, page, taskCompletion(), askQuestion()];
}

/** The model with the tokens counted as a provider would: four characters each. */
function counting(model: Model): Model {
  return {
    name: model.name,
    provider: model.provider,
    async *respond(request, signal) {
      const { system, messages, tools } = request;
      const inputTokens = Math.ceil(JSON.stringify([system, tools, messages]).length / 4);
      const reply = yield* model.respond(request, signal);
      return { ...reply, usage: { ...noUsage, inputTokens, outputTokens: 20 } };
    },
  };
}

/** An agent in this world, as a new process has one. */
export function agentIn(
  world: World,
  { model, tool: around, check, options }: Altered = {},
): Agent & {
  readonly model: ScriptedModel;
} {
  const plain = scriptedModel(() => next(world));
  const done = predicate("d", ({ when }) => {
    if (when === "claim") world.hasClaimed = true;
    return world.effects.some(({ what }) => what === "d");
  });
  const summarize = scriptedModel(() => ({
    text: "I did a and b, and read.",
    usage: { inputTokens: 50, outputTokens: 9 },
  }));
  const agent = createAgent({
    model: counting(model?.(plain) ?? plain),
    tools: around === undefined ? world.tools : world.tools.map(around),
    permission: allowAll(),
    checks: [check?.(done) ?? done],
    memory: windowed({ window: 2400, summarize: model?.(summarize) ?? summarize, keep: 1 }),
    hooks: [
      {
        veto: (state) => {
          world.states.push(state);
          return undefined;
        },
      },
    ],
    ...options,
  });
  return { ...agent, model: plain };
}

/** One turn: the session is begun, answered or gone on with, whatever it calls for; undefined once it is completed. */
export async function turn(
  world: World,
  agent: Agent,
  store: Store,
  options: {
    readonly signal?: AbortSignal;
    readonly suspend?: AbortSignal;
    readonly onEvent?: (event: Event) => void;
  } = {},
): Promise<Outcome | undefined> {
  const records = await recordsIn(world);
  const handle = openSession({ store, id: session, onTorn: () => undefined });
  const last = records.at(-1);
  if (last === undefined) return agent.run("Go.", { ...options, session: handle });
  if (last.type === "outcome" && last.status === "completed") return undefined;
  // A question may also be what a run was closed with.
  const { claim, ended } = replay(records);
  if (ended === undefined || claim?.ending !== "waiting") return agent.resume(handle, options);
  world.isAnswered = true;
  return agent.run("The left one.", { ...options, session: handle });
}

/** Turn after turn, until the session is completed or a turn fails or is aborted. */
export async function live(world: World, agent: Agent, store: Store): Promise<Outcome | undefined> {
  for (let turns = 0; turns < 8; turns += 1) {
    const outcome = await turn(world, agent, store);
    if (outcome === undefined || outcome.status === "failed" || outcome.status === "completed") return outcome;
  }
  throw new Error("It came to no end.");
}

/** The journal as it is kept. */
export async function recordsIn({ store }: World): Promise<readonly JournalRecord[]> {
  return (await openSession({ store, id: session }).toJSON()).records;
}

/** Lives to the end in a store that is well, and holds what is left against the invariants. */
export async function survive(world: World): Promise<readonly JournalRecord[]> {
  const outcome = await live(world, agentIn(world), world.store);
  if (outcome?.status === "failed") throw outcome.fault;
  const records = await recordsIn(world);
  const { effects, tools } = world;
  checkInvariants({ records, requests: [], effects: effects.map(({ callId, input }) => ({ callId, input })), tools });
  const last = records.at(-1);
  if (last?.type !== "outcome" || last.status !== "completed") throw new Error(`It ended as ${JSON.stringify(last)}.`);
  return records;
}
