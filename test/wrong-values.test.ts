// Every public function refuses a value of another kind at once, and says what to give: plain JavaScript has no types that would.

import { expect, test } from "vitest";
import { judge, predicate, command } from "../src/checks/index.js";
import { hostInProcess } from "../src/host/index.js";
import { createAgent, type Tool } from "../src/index.js";
import { fileStore, memoryStore, openSession } from "../src/memory/index.js";
import { mcpTools } from "../src/mcp/index.js";
import { steady } from "../src/model/index.js";
import { storeMetrics } from "../src/otel/index.js";
import { migrate, pgStore } from "../src/postgres/index.js";
import { createHandler, serve } from "../src/server/index.js";
import { scriptedModel } from "../src/testing/index.js";
import { delegate, handOver, inBackground, runCommand, taskCompletion } from "../src/tools/index.js";

const model = scriptedModel([]);
const store = memoryStore();
const tools = [taskCompletion()];
const agent = createAgent({ model, tools });
const host = await hostInProcess({ agents: { agent }, store });
const ofSdk = { specificationVersion: "v3", doStream: () => undefined };
/** Calls a function as plain JavaScript does. */
const plain = (use: (...given: never[]) => unknown, ...given: readonly unknown[]): unknown =>
  use(...(given as never[]));
const withOption = (option: Record<string, unknown>): unknown => createAgent({ model, tools, ...option });

const wrong: Record<string, [use: () => unknown, words: string]> = {
  "a list of tools in the list of tools": [
    () => withOption({ tools: [inBackground(runCommand({ root: "." })), taskCompletion()] }),
    "tools[0] is a list of tools: spread it",
  ],
  "a host without agents": [() => plain(hostInProcess, { store }), "needs the option agents"],
  "a host with a list of agents": [
    () => plain(hostInProcess, { agents: [agent], store }),
    "agents of hostInProcess is a list",
  ],
  "a host with one agent": [() => plain(hostInProcess, { agents: agent, store }), "made with createAgent({ ... })"],
  "a host with an agent's options": [
    () => plain(hostInProcess, { agents: { a: { model, tools } }, store }),
    'has the field "a", which is an object',
  ],
  "a host without a store": [() => plain(hostInProcess, { agents: { agent } }), "needs the option store: give a store"],
  "a host with a folder as store": [
    () => plain(hostInProcess, { agents: { agent }, store: "sessions" }),
    'is a text: give a store, for example fileStore("sessions")',
  ],
  "a host in the place of the options": [() => plain(createHandler, host), "needs an object of options"],
  "a server without a handler": [() => plain(serve, undefined), "The handler of serve is undefined"],
  "a server with a host": [() => plain(serve, host), "for example createHandler({ host })"],
  "a server with a port that is none": [() => serve(() => new Response(), { port: 80_000 }), "port is 80000"],
  "a model of the AI SDK": [() => withOption({ model: ofSdk }), "fromAiSdk(model) for a model of the AI SDK"],
  "a hook that was not awaited": [() => withOption({ hooks: [Promise.resolve({})] }), "is a promise (await it first)"],
  "a hook that is a text": [() => withOption({ hooks: ["x"] }), "hooks of createAgent has the member 0"],
  "a source that is no list": [
    () => withOption({ toolSources: { tools: [] } }),
    "toolSources of createAgent is an object",
  ],
  "a check that is a text": [() => withOption({ checks: ["npm test"] }), 'a check, for example command("npm test")'],
  "instructions that are a list": [() => withOption({ instructions: ["x"] }), "instructions of createAgent is a list"],
  "a budget that is a number": [() => plain(agent.run, "x", { budget: 5 }), "budget of run is 5: give a budget"],
  "a signal that is its controller": [
    () => plain(agent.run, "x", { signal: new AbortController() }),
    "signal of run is an object: give an AbortSignal",
  ],
  "a delegate without options": [() => plain(delegate, agent), "delegate needs an object of options"],
  "a delegate of an agent's options": [
    () => plain(delegate, { model, tools }, { name: "d", description: "d" }),
    "The agent of delegate is an object",
  ],
  "a hand-over to one agent": [() => plain(handOver, agent), "The agents of handOver"],
  "a list of tools in the background": [
    () => plain(inBackground, [runCommand({ root: "." })]),
    "Argument 1 of inBackground is a list: give a tool",
  ],
  "an address in the place of a pool": [() => plain(pgStore, "postgres://a"), "The pool of pgStore is a text"],
  "a pool of pg 7, which never connected": [
    () => {
      const silent = { Client: Map, options: { max: 10, idleTimeoutMillis: 10_000 } };
      return plain(pgStore, { ...silent, query: String, connect: String, on: String });
    },
    "The pool of pgStore is of the package pg 7, whose connections never open on this Node. pg 8 or later is needed: npm install pg@8",
  ],
  "tables without a pool": [() => plain(migrate), "The pool of migrate is undefined"],
  "metrics without a store": [() => plain(storeMetrics), "The store of storeMetrics is undefined"],
  "a session without a store": [() => plain(openSession, {}), "openSession needs the option store"],
  "a store without a folder": [() => plain(fileStore), "The folder of fileStore is undefined"],
  "a judge without a model": [() => plain(judge, "It is short."), "The model of judge is a text"],
  "a predicate without a function": [() => plain(predicate, "holds"), "The function of predicate is undefined"],
  "a check without a command": [() => plain(command), "The line of command is undefined"],
  "steadiness without a model": [() => plain(steady), "The model of steady is undefined"],
  "a server without a name": [() => plain(mcpTools, { command: "x" }), "mcpTools needs the option name"],
  "a command line as a program": [
    () => mcpTools({ name: "x", command: "no-such-program --stdio" }),
    "give the program alone as `command`, and its arguments as `args`",
  ],
};

test.each(Object.entries(wrong))("%s is refused with what to give", async (_name, [use, words]) => {
  await expect((async () => use())()).rejects.toMatchObject({
    code: "configuration",
    message: expect.stringContaining(words) as string,
  });
});

test("two lists of inBackground share its two tools", () => {
  const [one, other] = ["one", "two"].map((name) => ({ ...runCommand({ root: "." }), name }));
  const lists = [...inBackground(one as Tool), ...inBackground(other as Tool)];
  expect(() => createAgent({ model, tools: [...lists, ...tools] })).not.toThrow();
});
