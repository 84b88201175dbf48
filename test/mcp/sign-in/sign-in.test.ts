// Signing in at a real server: the question, the callback, the call; refresh, step-up, revocation, other people, lies.

import { afterEach, describe, expect, it } from "vitest";
import { createAgent, type AnyOutcome, type Event, type Principal } from "../../../src/index.js";
import { memoryStore, openSession, type Store } from "../../../src/memory/index.js";
import { mcpTools, memoryVault, signIns, type McpTools, type SignInQuestion, type SignIns, type Vault } from "../../../src/mcp/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { guardedServer, type Behaviour, type Guarded } from "./guarded-server.js";

const redirect = "http://127.0.0.1:9/oauth/callback";
const open: { close(): Promise<unknown> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

interface Place {
  readonly guarded: Guarded;
  readonly vault: Vault;
  readonly signIn: SignIns;
  readonly store: Store;
  readonly events: Event[];
  readonly told: string[];
  tools(): Promise<McpTools>;
  run(tool: string, id: string, by?: Principal): Promise<AnyOutcome>;
  answer(id: string, outcome: AnyOutcome, answer: object, by?: Principal): Promise<AnyOutcome>;
}

async function place(behaviour: Behaviour = {}): Promise<Place> {
  const guarded = await guardedServer(behaviour);
  open.push(guarded);
  const vault = memoryVault();
  const signIn = signIns({ vault, redirect });
  const store = memoryStore();
  const events: Event[] = [];
  const told: string[] = [];
  const tools = async (): Promise<McpTools> => {
    const server = await mcpTools({ name: "bank", url: guarded.url, signIn, tell: (line) => told.push(line) });
    open.push(server);
    return server;
  };
  let server: McpTools | undefined;
  const agentFor = async (tool: string): Promise<ReturnType<typeof createAgent>> => {
    server ??= await tools();
    return createAgent({
      model: scriptedModel([[call(tool, {})], [call("task_completion", { result: "done" })]]),
      permission: () => true,
      tools: [taskCompletion()],
      toolSources: [server],
    }) as never;
  };
  const agents = new Map<string, ReturnType<typeof createAgent>>();
  const onEvent = (event: Event): void => void events.push(event);
  return {
    guarded,
    vault,
    signIn,
    store,
    events,
    told,
    tools,
    async run(tool, id, by) {
      const agent = await agentFor(tool);
      agents.set(id, agent);
      return agent.run("Go.", { session: openSession({ store, id }), by, onEvent });
    },
    async answer(id, outcome, answer, by) {
      const agent = agents.get(id);
      if (agent === undefined || outcome.status !== "waiting") throw new Error(`nothing waits: ${JSON.stringify(outcome)}`);
      return agent.run(JSON.stringify(answer), { session: openSession({ store, id }), answers: outcome.id, by, onEvent });
    },
  };
}

function questionOf(outcome: AnyOutcome): SignInQuestion {
  if (outcome.status !== "waiting") throw new Error(`it does not wait: ${JSON.stringify(outcome)}`);
  return outcome.value as SignInQuestion;
}

async function resultOf({ store }: Place, id: string): Promise<string> {
  const { records } = await openSession({ store, id }).toJSON();
  return records.flatMap((record) => (record.type === "result" ? [record.result.text] : [])).at(0) ?? "";
}

const ann: Principal = { id: "ann", tenant: "acme" };
const bob: Principal = { id: "bob", tenant: "acme" };

/** Begins a run that asks, signs the person in, and goes on. */
async function signedIn(at: Place, tool: string, id: string, by: Principal): Promise<AnyOutcome> {
  const outcome = await at.run(tool, id, by);
  const { address } = questionOf(outcome);
  const { answer } = await at.signIn.complete(await at.guarded.open(address, by.id), by);
  return at.answer(id, outcome, answer, by);
}

describe("a server that lists its tools freely", () => {
  it("has its call asked for a sign-in, and made once as the person who asked", async () => {
    const at = await place({ listsFreely: true });
    const outcome = await at.run("bank__whoami", "s", ann);
    const question = questionOf(outcome);
    expect(question).toMatchObject({ kind: "sign_in", server: "bank", scopes: ["read"] });
    expect(question.address).toContain(`${at.guarded.issuer}/authorize?`);
    expect(at.guarded.calls).toEqual([]);
    const { answer } = await at.signIn.complete(await at.guarded.open(question.address, "ann"), ann);
    expect((await at.answer("s", outcome, answer, ann)).status).toBe("completed");
    expect(at.guarded.calls).toEqual(["whoami ann"]);
    expect(await resultOf(at, "s")).toContain("You are ann.");
  });
});
