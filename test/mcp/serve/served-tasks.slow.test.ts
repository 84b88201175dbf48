// Agents as tasks of MCP, over real HTTP: answers, tenants, ends.

import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { resultFromTaskOutcome, type TaskEnabledSession } from "@modelcontextprotocol/ext-tasks/client";
import { afterEach, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  createAgent,
  fourEyes,
  tool,
  type AnyOutcome,
  type ApprovalOptions,
  type Principal,
} from "../../../src/index.js";
import { mcpHandler, type McpHandlerOptions, type ServedAgent } from "../../../src/mcp/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { serve as listenOn } from "../../../src/server/index.js";
import { call, scriptedModel, type Script } from "../../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";
import { ask, connectTasks, showsForms, type Answer } from "./task-client.js";

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const people: Readonly<Record<string, Principal>> = {
  ann: { id: "ann", tenant: "acme" },
  ben: { id: "ben", tenant: "acme" },
  cat: { id: "ann", tenant: "initech" },
};
const as = (name: string) => ({ headers: { "x-person": name } });

let store = memoryStore();

/** Serves an agent. The header `x-person` says who asks, and nobody has to say it. */
async function serve(agent: ServedAgent, more: Partial<McpHandlerOptions> = {}): Promise<URL> {
  const sessions: McpHandlerOptions["sessions"] = (id, about) => openSession({ store, id, about });
  const authenticate: McpHandlerOptions["authenticate"] = ({ headers }) =>
    people[headers.get("x-person") ?? ""] ?? true;
  const server = await listenOn(mcpHandler({ agents: { paint: agent }, sessions, authenticate, ...more }));
  cleanups.push(() => server.close());
  return new URL("/mcp", server.url);
}

async function client(...args: Parameters<typeof connectTasks>): Promise<TaskEnabledSession> {
  const session = await connectTasks(...args);
  cleanups.push(() => session.end());
  return session;
}

const painted = [call("task_completion", { result: "Painted blue." })];
const asks: Script = [[call("ask_question", { question: "Which colour?" })], painted];

function painter(script: Script): ServedAgent {
  const agent = createAgent({ model: scriptedModel(script), tools: [askQuestion(), taskCompletion()] });
  return { description: "Paints things.", agent };
}

/** An agent that pays after a yes, and the people whose rights it paid with. */
function payer(approvals: ApprovalOptions = {}) {
  const paid: (string | undefined)[] = [];
  const pay = tool({
    name: "pay",
    description: "Pays.",
    effect: "network",
    input: z.object({ amount: z.number() }),
    run: ({ amount }, { principal }) => {
      paid.push(principal?.id);
      return `paid ${String(amount)}`;
    },
  });
  const agent = createAgent({
    model: scriptedModel([[call("pay", { amount: 5 })], [call("task_completion", { result: "Paid." })]]),
    tools: [pay, taskCompletion()],
    permission: () => ({ later: true as const, reason: "it is money" }),
    approvals,
  });
  return { agent, served: { description: "Pays.", agent }, paid };
}

/** An agent whose tool works until `go`, and the number of times that it began. */
function worker() {
  let begun = 0;
  let go = (): void => undefined;
  const gate = new Promise<void>((resolve) => (go = resolve));
  const work = tool({
    name: "work",
    description: "Works.",
    input: z.object({}),
    effect: "read",
    run: async (_input, { signal }) => {
      begun += 1;
      await Promise.race([gate, once(signal, "abort").then(() => Promise.reject(new Error("aborted")))]);
      return "worked";
    },
  });
  const agent = createAgent({
    model: scriptedModel(({ lastText }) => (/worked|hurry/.test(lastText) ? painted : [call("work")])),
    tools: [work, taskCompletion()],
  });
  const open = (): void => {
    go();
  };
  return { served: { description: "Works.", agent }, go: open, begun: () => begun };
}

type Fields = Record<string, unknown>;
type More = Parameters<typeof ask>[3];

async function begin(url: URL, input: Record<string, string>, more?: More): Promise<string> {
  const { result } = await ask(url, "tools/call", { name: "paint", arguments: input }, more);
  expect(result).toMatchObject({ resultType: "task", status: "working" });
  return String(result?.["taskId"]);
}

const get = (url: URL, taskId: string, more?: More): Promise<Answer> => ask(url, "tasks/get", { taskId }, more);
const update = (url: URL, taskId: string, inputResponses: object, more?: More): Promise<Answer> =>
  ask(url, "tasks/update", { taskId, inputResponses }, more);

/** The task as soon as it is no longer at work. */
async function settled(url: URL, taskId: string, more?: More): Promise<Fields> {
  for (;;) {
    const { result } = await get(url, taskId, more);
    if (result?.["status"] !== "working") return result ?? {};
    await sleep(20);
  }
}

const keyIn = (task: Fields): string => Object.keys(task["inputRequests"] as object)[0] ?? "";
const sessionOf = (taskId: string): string => taskId.split(".")[0] ?? "";
const recordsOf = async (taskId: string) => (await openSession({ store, id: sessionOf(taskId) }).toJSON()).records;
const wordsOf = ({ result }: Fields): string => JSON.stringify((result as Fields | undefined)?.["content"]);

describe("the official client of tasks", () => {
  test("follows a call to its result, through a question", async () => {
    const url = await serve(painter(asks));
    const questions: string[] = [];
    const session = await client(url, {
      onInputRequest: (request) => {
        questions.push(request.kind === "elicitation" ? String(request.params["message"]) : request.kind);
        return { action: "accept", content: { answer: "blue" } } as never;
      },
    });
    const execution = await session.callTool("paint", { task: "the fence" });
    expect(execution.kind).toBe("task");
    const { outcome, lastTask } = await execution.settle();
    expect(JSON.stringify(resultFromTaskOutcome(outcome).content)).toContain("Painted blue.");
    expect([questions, lastTask?.retentionMs, lastTask?.status]).toEqual([["Which colour?"], null, "completed"]);
  });

  test("leaves, and comes back to the task on another connection", async () => {
    const { served, go, begun } = worker();
    const url = await serve(served);
    const execution = await (await client(url)).callTool("paint", { task: "x" });
    if (execution.kind !== "task") throw new Error("It is no task.");
    const reference = execution.serializeReference();
    await execution.detach();
    while (begun() === 0) await sleep(10);
    go();
    const again = await (await client(url)).resumeTask(reference);
    const { outcome } = await again.settle();
    expect(JSON.stringify(resultFromTaskOutcome(outcome).content)).toContain("Painted blue.");
    expect(begun()).toBe(1);
  });

  test("cancels, and the run is aborted by the person who asked for it", async () => {
    const { served, begun } = worker();
    const url = await serve(served);
    const execution = await (await client(url, as("ann"))).callTool("paint", { task: "x" });
    while (begun() === 0) await sleep(10);
    await execution.cancel();
    const taskId = execution.handle?.taskId ?? "";
    expect(await settled(url, taskId, as("ann"))).toMatchObject({
      status: "cancelled",
      statusMessage: expect.stringContaining("the caller cancelled the task") as string,
    });
    expect((await recordsOf(taskId)).at(-1)).toMatchObject({ type: "outcome", status: "aborted", by: people["ann"] });
  });
});

describe("a client without tasks", () => {
  test("gets the result of the call as before, and no method of tasks", async () => {
    const url = await serve(painter([painted]));
    const capabilities = { ...showsForms, extensions: { other: {} } };
    const { result } = await ask(url, "tools/call", { name: "paint", arguments: { task: "x" } }, { capabilities });
    expect(result).toMatchObject({ resultType: "complete", content: [{ text: "Painted blue." }, {}] });
    const taskId = await begin(await serve(painter([painted])), { task: "x" });
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const { error } = await ask(url, method, { taskId, inputResponses: {} }, { capabilities });
      expect(error).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: { extensions: { "io.modelcontextprotocol/tasks": {} } } },
      });
    }
  });
});

describe("a task", () => {
  test("is told with its times, its next look and its end", async () => {
    const url = await serve(painter([painted]));
    const before = Date.now();
    const taskId = await begin(url, { task: "x" });
    const task = await settled(url, taskId);
    expect(task).toMatchObject({
      taskId,
      status: "completed",
      ttlMs: null,
      resultType: "complete",
    });
    const [created, updated] = ["createdAt", "lastUpdatedAt"].map((name) => Date.parse(String(task[name])));
    expect(created).toBeGreaterThanOrEqual(before);
    expect(updated).toBeGreaterThanOrEqual(created!);
    expect(task["pollIntervalMs"]).toBeGreaterThanOrEqual(250);
    expect({ ...(await settled(url, taskId)), pollIntervalMs: 0 }).toEqual({ ...task, pollIntervalMs: 0 });
  });

  test("of a session that another call goes on with is told apart from the task of that call", async () => {
    const url = await serve(painter([painted, [call("task_completion", { result: "Painted red." })]]));
    const first = await begin(url, { task: "blue" });
    await settled(url, first);
    const second = await begin(url, { task: "red", session: sessionOf(first) });
    expect(sessionOf(second)).toBe(sessionOf(first));
    expect(wordsOf(await settled(url, second))).toContain("Painted red.");
    expect(wordsOf(await settled(url, first))).toContain("Painted blue.");
  });

  test("takes words during its run, which are a task with the same end", async () => {
    const { served, go, begun } = worker();
    const url = await serve(served);
    const first = await begin(url, { task: "x" });
    while (begun() === 0) await sleep(10);
    const second = begin(url, { task: "hurry", session: sessionOf(first) });
    while ((await store.messages(sessionOf(first))).length === 0) await sleep(10);
    go();
    for (const taskId of [first, await second]) expect(wordsOf(await settled(url, taskId))).toContain("Painted blue.");
    expect((await recordsOf(first)).filter(({ type }) => type === "steer" || type === "outcome")).toHaveLength(2);
  });

  test("has no end of the protocol: a run that fails is a result with isError", async () => {
    const url = await serve(painter([]));
    const task = await settled(url, await begin(url, { task: "x" }));
    expect(task).toMatchObject({ status: "completed", result: { isError: true } });
  });

  test("is no task if its session can't take the words", async () => {
    const { served } = payer();
    const url = await serve(served);
    const taskId = await begin(url, { task: "pay" });
    while ((await recordsOf(taskId)).at(-1)?.type !== "outcome") await sleep(10);
    const call = { name: "paint", arguments: { task: "yes", session: sessionOf(taskId) } };
    expect(JSON.stringify((await ask(url, "tools/call", call)).result)).toContain("only its owner can give");
    const other = { name: "paint", arguments: { task: "x", session: "mcp-paint-12345678901234567890.x" } };
    expect(JSON.stringify((await ask(url, "tools/call", other)).result)).toContain("There is no session");
  });

  test("of another person does not exist, whatever is asked of it", async () => {
    const { served, paid } = payer();
    const url = await serve(served);
    const taskId = await begin(url, { task: "pay" }, as("ann"));
    const task = await settled(url, taskId, as("ann"));
    const before = await recordsOf(taskId);
    const known = sessionOf(taskId);
    const made = taskId.replace(/[\da-f]{12}$/, "0".repeat(12));
    for (const who of ["ben", "cat", "nobody"])
      for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
        const inputResponses = { [keyIn(task)]: { action: "accept", content: { allowed: true } } };
        for (const id of [taskId, made, known, `${known}.`, `${taskId}.x`, ""]) {
          const { error } = await ask(url, method, { taskId: id, inputResponses }, as(who));
          // A task that is another's and a task that is nobody's are told of in the same words.
          expect([who, method, error]).toEqual([who, method, { code: -32602, message: "There is no such task." }]);
        }
      }
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"])
      expect((await ask(url, method, { taskId: made, inputResponses: {} }, as("ann"))).error?.code).toBe(-32602);
    expect([await recordsOf(taskId), paid]).toEqual([before, []]);
  });
});

describe("a question of a task", () => {
  test("takes the first answer, and passes over answers to other questions and to none", async () => {
    const url = await serve(painter(asks));
    const taskId = await begin(url, { task: "x" });
    const task = await settled(url, taskId);
    const yes = { action: "accept", content: { answer: "blue" } };
    expect(task).toMatchObject({ status: "input_required" });
    for (const responses of [
      { other: yes },
      { [keyIn(task)]: { action: "cancel" } },
      { [keyIn(task)]: { action: "decline" } },
    ])
      expect((await update(url, taskId, responses)).result).toMatchObject({ resultType: "complete" });
    expect((await update(url, taskId, { [keyIn(task)]: { action: "accept", content: {} } })).error?.code).toBe(-32602);
    expect((await get(url, taskId)).result).toMatchObject({ status: "input_required" });
    await Promise.all([1, 2, 3].map(() => update(url, taskId, { [keyIn(task)]: yes })));
    expect(wordsOf(await settled(url, taskId))).toContain("Painted blue.");
    expect((await update(url, taskId, { [keyIn(task)]: yes })).result).toMatchObject({ resultType: "complete" });
    expect((await recordsOf(taskId)).filter(({ type }) => type === "input")).toHaveLength(2);
  });

  test("is the result for a caller that can't be asked, and a call with the session goes on", async () => {
    const url = await serve(painter(asks));
    const capabilities = { extensions: { "io.modelcontextprotocol/tasks": {} } };
    const first = await begin(url, { task: "x" }, { capabilities });
    const words = wordsOf(await settled(url, first, { capabilities }));
    expect(words).toContain("The agent asks a question and waits: Which colour?");
    const second = await begin(url, { task: "blue", session: sessionOf(first) }, { capabilities });
    expect(wordsOf(await settled(url, second, { capabilities }))).toContain("Painted blue.");
    // The end of a task stays its end.
    for (const more of [{ capabilities }, undefined]) expect(wordsOf(await settled(url, first, more))).toBe(words);
  });

  test("is cancelled with the task, and the journal says that nobody answered", async () => {
    const url = await serve(painter(asks));
    const taskId = await begin(url, { task: "x" }, as("ann"));
    await settled(url, taskId, as("ann"));
    expect((await ask(url, "tasks/cancel", { taskId }, as("ann"))).result).toMatchObject({ resultType: "complete" });
    expect(await settled(url, taskId, as("ann"))).toMatchObject({ status: "cancelled" });
    const [answer, end] = (await recordsOf(taskId))
      .filter(({ type }) => type === "input" || type === "outcome")
      .slice(-2);
    expect(answer).toMatchObject({ text: "The caller cancelled the task.", by: people["ann"] });
    expect(end).toMatchObject({ status: "aborted", by: people["ann"] });
    expect((await ask(url, "tasks/cancel", { taskId }, as("ann"))).result).toMatchObject({ resultType: "complete" });
  });
});

describe("an approval of a task", () => {
  test("is asked of its owner, and the call runs once after the yes, with the rights of the owner", async () => {
    const { served, paid } = payer();
    const url = await serve(served);
    const asked: string[] = [];
    const session = await client(url, {
      ...as("ann"),
      onInputRequest: ({ params }) => {
        asked.push(String((params as Fields)["message"]));
        return { action: "accept", content: { allowed: true, reason: "it is due" } } as never;
      },
    });
    const { outcome } = await (await session.callTool("paint", { task: "pay" })).settle();
    expect(JSON.stringify(resultFromTaskOutcome(outcome).content)).toContain("Paid.");
    expect([asked, paid]).toEqual([['The agent asks for an approval of pay: it is money\n{"amount":5}'], ["ann"]]);
  });

  test("takes a no, which a form that is declined is too, and what is neither is refused", async () => {
    for (const response of [
      { action: "decline" },
      { action: "accept", content: { allowed: false, reason: "too much" } },
    ]) {
      const { served, paid } = payer();
      const url = await serve(served);
      const taskId = await begin(url, { task: "pay" }, as("ann"));
      const key = keyIn(await settled(url, taskId, as("ann")));
      for (const allowed of ["yes", 1, undefined]) {
        const wrong = { [key]: { action: "accept", content: { allowed } } };
        expect((await update(url, taskId, wrong, as("ann"))).error?.message).toContain("neither a yes nor a no");
      }
      await update(url, taskId, { [key]: response }, as("ann"));
      await settled(url, taskId, as("ann"));
      const approval = (await recordsOf(taskId)).find(({ type }) => type === "approval");
      expect([approval, paid]).toEqual([expect.objectContaining({ allowed: false, by: people["ann"] }), []]);
    }
  });

  test("is not asked of a caller without a name: the task waits for its owner, and takes no words", async () => {
    const { served, agent, paid } = payer();
    const url = await serve(served);
    const taskId = await begin(url, { task: "pay" });
    while ((await recordsOf(taskId)).at(-1)?.type !== "outcome") await sleep(10);
    const { result } = await get(url, taskId);
    expect(result).toMatchObject({
      status: "working",
      statusMessage: expect.stringContaining("only its owner") as string,
    });
    const waiting = await openSession({ store, id: sessionOf(taskId) }).waiting();
    await update(url, taskId, { [waiting!.id]: { action: "accept", content: { allowed: true } } });
    expect((await ask(url, "tasks/cancel", { taskId })).error?.message).toContain("only its owner");
    expect(paid).toEqual([]);
    // The owner answers in the session, in any process, and the task goes on.
    const outcome: AnyOutcome = await agent.run(
      { allowed: true },
      { session: openSession({ store, id: sessionOf(taskId) }) },
    );
    expect([outcome.status, paid.length]).toEqual(["completed", 1]);
    expect(wordsOf(await settled(url, taskId))).toContain("Paid.");
  });

  test("that the owner may not give is not asked of the owner, and taken from somebody else elsewhere", async () => {
    const { served, agent, paid } = payer({ mayApprove: fourEyes });
    const url = await serve(served);
    const taskId = await begin(url, { task: "pay" }, as("ann"));
    while ((await recordsOf(taskId)).at(-1)?.type !== "outcome") await sleep(10);
    expect((await get(url, taskId, as("ann"))).result).toMatchObject({
      status: "working",
      statusMessage: expect.stringContaining("an approval of somebody else") as string,
    });
    const session = openSession({ store, id: sessionOf(taskId) });
    const key = (await session.waiting())!.id;
    await update(url, taskId, { [key]: { action: "accept", content: { allowed: true } } }, as("ann"));
    expect(paid).toEqual([]);
    await agent.run({ allowed: true }, { session, by: people["ben"] });
    expect(wordsOf(await settled(url, taskId, as("ann")))).toContain("Paid.");
    expect(paid).toEqual(["ann"]);
  });
});

test("an approval that needs two people takes the yes of the owner once, and waits for somebody else", async () => {
  const { served, agent, paid } = payer({ quorum: 2 });
  const url = await serve(served);
  const taskId = await begin(url, { task: "pay" }, as("ann"));
  const key = keyIn(await settled(url, taskId, as("ann")));
  const yes = { [key]: { action: "accept", content: { allowed: true } } };
  for (let times = 0; times < 2; times += 1) {
    await update(url, taskId, yes, as("ann"));
    await expect.poll(async () => (await recordsOf(taskId)).at(-1)?.type).toBe("outcome");
    expect((await get(url, taskId, as("ann"))).result).toMatchObject({
      status: "working",
      statusMessage: expect.stringContaining("an approval of somebody else") as string,
    });
  }
  await agent.run({ allowed: true }, { session: openSession({ store, id: sessionOf(taskId) }), by: people["ben"] });
  expect(wordsOf(await settled(url, taskId, as("ann")))).toContain("Paid.");
  expect([paid, (await recordsOf(taskId)).filter(({ type }) => type === "approval").length]).toEqual([["ann"], 2]);
});

describe("a task whose process is gone", () => {
  /** A session as a process leaves it that dies during a call of a tool that only reads. */
  async function left(served: ServedAgent, resumes = 0): Promise<string> {
    const session = "mcp-paint-00000000-0000-4000-8000-000000000000";
    const inputId = "task-00000000-0000-4000-8000-000000000000";
    const stop = new AbortController();
    const running = served.agent.run("x", {
      session: openSession({ store, id: session }),
      inputId,
      suspend: stop.signal,
      signal: new AbortController().signal,
      onEvent: ({ type }) => {
        if (type === "iteration-start") stop.abort();
      },
    });
    await running;
    const lease = await openSession({ store, id: session }).lease();
    for (let count = 0; count < resumes; count += 1) {
      const seq = lease!.records.length + count;
      await lease!.append({ type: "resume", life: "aaaaaa", seq, at: Date.now() });
    }
    await lease!.release();
    return `${session}.${inputId}`;
  }

  test("goes on in the process that is asked, once, however many ask", async () => {
    store = memoryStore();
    const { served, go, begun } = worker();
    const taskId = await left(served);
    const urls = [await serve(served), await serve(served)] as const;
    const told = await Promise.all([1, 2, 3].flatMap(() => urls.map((url) => get(url, taskId))));
    expect(new Set(told.map(({ result }) => result?.["status"]))).toEqual(new Set(["working"]));
    while (begun() === 0) await sleep(10);
    // The other process has nothing to abort.
    const errors = await Promise.all(urls.map(async (url) => (await get(url, taskId)).error));
    expect(errors).toEqual([undefined, undefined]);
    go();
    for (const url of urls) expect(wordsOf(await settled(url, taskId))).toContain("Painted blue.");
    expect([begun(), (await recordsOf(taskId)).filter(({ type }) => type === "resume").length]).toEqual([1, 1]);
  });

  test("is cancelled by any process, unless another is at work on it, which is told", async () => {
    store = memoryStore();
    const { served, begun } = worker();
    const taskId = await left(served);
    const [here, there] = [await serve(served), await serve(served)];
    await get(here, taskId);
    while (begun() === 0) await sleep(10);
    expect((await ask(there, "tasks/cancel", { taskId })).error?.message).toContain("Another process is at work");
    expect((await ask(here, "tasks/cancel", { taskId })).error).toBeUndefined();
    expect(await settled(there, taskId)).toMatchObject({ status: "cancelled" });
    store = memoryStore();
    const idle = await left(served);
    await ask(there, "tasks/cancel", { taskId: idle });
    expect([(await settled(here, idle))["status"], begun()]).toEqual(["cancelled", 1]);
  });

  test("ends after ten processes that got no further", async () => {
    store = memoryStore();
    const { served, begun } = worker();
    const taskId = await left(served, 10);
    const task = await settled(await serve(served), taskId);
    expect(task).toMatchObject({
      status: "cancelled",
      statusMessage: expect.stringContaining("resumed 10 times") as string,
    });
    expect(begun()).toBe(0);
  });

  test("is told at once, though its agent has its runs one after the other, and goes on when its turn comes", async () => {
    store = memoryStore();
    const { served } = worker();
    const taskId = await left(served);
    let turns = 0;
    let turn = (): void => undefined;
    const gate = new Promise<void>((resolve) => (turn = resolve));
    const run: ServedAgent["agent"]["run"] = async (input, options) => {
      turns += 1;
      await gate;
      return served.agent.run(input, options);
    };
    const url = await serve({ description: "Works.", agent: { run } });
    for (let looks = 0; looks < 2; looks += 1)
      expect((await get(url, taskId)).result).toMatchObject({ status: "working", statusMessage: "iteration 1" });
    expect(turns).toBe(1);
    turn();
    await expect.poll(async () => (await recordsOf(taskId)).some(({ type }) => type === "resume")).toBe(true);
  });

  test("says why it can't go on", async () => {
    store = memoryStore();
    const { served } = worker();
    const taskId = await left(served);
    const broken = {
      description: "Works.",
      agent: { run: () => Promise.reject(new Error("no key in /home/ann/keys")) },
    };
    const { result } = await get(await serve(broken), taskId);
    expect(result).toMatchObject({
      status: "working",
      statusMessage: "The run can't go on here: Unexpected error: no key in …",
    });
  });
});
