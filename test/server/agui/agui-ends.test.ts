// AG-UI over real HTTP: ends that are no success, words that are taken back, clients that come and go.

import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createAgent, LastcallError, tool } from "../../../src/index.js";
import { openai, steady } from "../../../src/model/index.js";
import { memoryStore, openSession, type Store } from "../../../src/memory/index.js";
import { call, scriptedModel, scriptedProvider, type Step } from "../../../src/testing/index.js";
import { delegate, giveUp, handOver, taskCompletion } from "../../../src/tools/index.js";
import { ask } from "../client.js";
import { Client, done, served } from "./agui-client.js";

function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}

/** A tool that waits until it is let go. It says when it has begun. */
function waiting() {
  const begun = gate();
  const go = gate();
  const wait = tool({
    name: "wait",
    description: "Waits",
    effect: "read",
    input: z.object({}),
    run: async () => {
      begun.open();
      await go.opened;
      return "waited";
    },
  });
  onTestFinished(go.open);
  return { wait, begun: begun.opened, go: go.open };
}

describe("a run that", () => {
  test("stopped ends with an error that names the reason", async () => {
    const server = await served([[call("give_up", { reason: "There is no paint." })]], { tools: [giveUp()] });
    const client = await new Client(server).say("u1", "paint");
    expect(client.end).toMatchObject({ type: "RUN_ERROR", code: "gave_up", usage: [{}] });
    expect(client.agent.state).toMatchObject({ lastcall: { status: "stopped" } });
    expect(client.messages.at(-1)).toMatchObject({ role: "assistant", content: "There is no paint." });
    await client.expectReplay();
  });

  test("failed ends with an error that names the fault, and the thread goes on", async () => {
    const server = await served([{ status: 401, message: "no key" }, done]);
    const client = await new Client(server).say("u1", "go");
    expect(client.end).toMatchObject({ type: "RUN_ERROR", code: "authentication" });
    await client.expectReplay();
    await client.say("u2", "and now?");
    expect(client.end).toMatchObject({ outcome: { type: "success" } });
    await client.expectReplay();
  });

  test("was aborted in mid-reply ends cancelled, and the words of that reply leave", async () => {
    const server = await served([{ text: "This is a long story.", pause: 300, piece: 6, calls: done }]);
    const client = new Client(server);
    client.agent.subscribe({
      onTextMessageContentEvent: () => void ask(server.url, "/sessions/t/abort", { reason: "enough" }),
    });
    await client.say("u1", "go");
    expect(client.end).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "cancelled" } });
    expect(client.types()).toContain("TEXT_MESSAGE_CONTENT");
    expect(client.messages.map(({ role }) => role)).toEqual(["user"]);
    await client.expectReplay();
  });
});

describe("words that were shown", () => {
  test("leave when their reply breaks off, with its calls and its reasoning", async () => {
    const broken: Step = {
      reasoning: "A wrong thought.",
      text: "The answer is wr",
      calls: [call("look", { at: 1 })],
      piece: 3,
      cut: "reset",
    };
    const server = await served(steady(scriptedModel([broken, { text: "The answer is right.", calls: done }])));
    const client = await new Client(server).say("u1", "go");
    expect(client.types()).toContain("MESSAGES_SNAPSHOT");
    expect(client.custom("retry")).toMatchObject([{ attempt: 1, reason: expect.any(String) }]);
    expect(client.messages.filter(({ role }) => role !== "reasoning").map(({ content }) => content)).toEqual([
      "go",
      "The answer is right.",
      "Done.",
    ]);
    expect(client.messages.some(({ role, content }) => role === "reasoning" && content !== "")).toBe(false);
    await client.expectReplay();
  });

  test("leave when a check refuses the claim, which is a tool call with that result then", async () => {
    let runs = 0;
    const check = {
      name: "tests",
      verify: () => {
        const passed = (runs += 1) > 2;
        return { passed, output: passed ? "all passed" : "one failed" };
      },
    };
    const server = await served(
      [{ calls: [call("task_completion", { result: "I am done, or so I think." })], piece: 4 }, done],
      {
        checks: [check],
      },
    );
    const client = await new Client(server).say("u1", "go");
    const refused = client.messages.find(({ role }) => role === "tool");
    expect(refused).toMatchObject({ content: expect.stringContaining("one failed"), metadata: { lastcall: {} } });
    expect(client.messages.filter(({ role }) => role === "assistant")).toMatchObject([
      { toolCalls: [{ function: { name: "task_completion" } }] },
      { content: "Done." },
    ]);
    expect(client.custom("check")).toContainEqual(expect.objectContaining({ check: "tests", status: "failed" }));
    expect(client.custom("check")).toContainEqual(expect.objectContaining({ check: "tests", status: "running" }));
    expect(client.custom("notice")).toMatchObject([{ about: "baseline", text: expect.stringContaining("one failed") }]);
    expect(client.custom("receipts")).toMatchObject([{ verified: "checked", receipts: [{ check: "tests" }] }]);
    await client.expectReplay();
  });

  test("of a claim of one's own tool are text, whether the tool streams them or not", async () => {
    for (const streams of [undefined, "summary"] as const) {
      const report = tool({
        name: "report",
        description: "Reports",
        effect: "none",
        input: z.object({ summary: z.string(), pages: z.number() }),
        isLoopBreaking: true,
        ...(streams && { streams }),
      });
      const reply = { text: "Here it is:", calls: [call("report", { summary: "All is well.", pages: 2 })], piece: 5 };
      const server = await served([reply, reply], { tools: [report] });
      const client = await new Client(server).say("u1", "go");
      expect(client.messages.map(({ content }) => content)).toEqual(["go", "Here it is:", "All is well."]);
      await client.expectReplay();
      await client.say("u2", "again");
      await client.expectReplay();
    }
  });

  test("as arguments that had to be mended are those that were read", async () => {
    const provider = await scriptedProvider([[call("look", "{'at': 1,}")], done]);
    onTestFinished(() => provider.close());
    const server = await served(openai({ model: "m", baseURL: provider.url, apiKey: "k" }), { tools: [lookOf()] });
    const client = await new Client(server).say("u1", "go");
    expect(client.messages.find((message) => message.role === "assistant")).toMatchObject({
      toolCalls: [{ function: { arguments: '{"at":1}' } }],
    });
    await client.expectReplay();
  });
});

function lookOf() {
  return tool({
    name: "look",
    description: "Looks",
    effect: "read",
    input: z.object({ at: z.number() }),
    run: ({ at }) => `saw ${String(at)}`,
  });
}

describe("a client", () => {
  test("that hangs up ends no run, and sees it from its start with the same message", async () => {
    const { wait, begun, go } = waiting();
    const server = await served([{ text: "I wait.", reasoning: "Hm.", calls: [call("wait")], piece: 3 }, done], {
      tools: [wait],
    });
    const client = new Client(server);
    const first = client.say("u1", "go");
    await begun;
    client.agent.abortRun();
    await first;
    const second = client.run();
    const reloaded = new Client(server);
    const third = reloaded.say("u1", "go");
    await new Promise((resolve) => setTimeout(resolve, 50));
    go();
    await Promise.all([second, third]);
    for (const one of [client, reloaded]) {
      expect(one.end).toMatchObject({ outcome: { type: "success" } });
      expect(one.messages.filter(({ role }) => role !== "reasoning").map(({ content }) => content)).toEqual([
        "go",
        "I wait.",
        "waited",
        "Done.",
      ]);
      await one.expectReplay();
    }
    const { records } = await openSession({ store: server.store, id: "t" }).toJSON();
    expect(records.filter(({ type }) => type === "input")).toHaveLength(1);
    expect(records.filter(({ type }) => type === "steer")).toHaveLength(0);
  });

  test("that speaks during a run steers it, and all clients see the words of the others", async () => {
    const { wait, begun, go } = waiting();
    const server = await served([{ text: "I wait.", calls: [call("wait")] }, done], { tools: [wait] });
    const client = new Client(server);
    const first = client.say("u1", "go");
    await begun;
    const other = new Client(server);
    const second = other.say("u2", "faster");
    while ((await server.store.messages("t")).length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    go();
    await Promise.all([first, second]);
    for (const one of [client, other]) {
      expect(one.end).toMatchObject({ outcome: { type: "success" } });
      expect(one.messages.map(({ id, content }) => (id.startsWith("u") ? id : content))).toEqual([
        "u1",
        "I wait.",
        "waited",
        "u2",
        "Done.",
      ]);
      await one.expectReplay();
    }
  });

  test("learns that the server closes, and sees the run at the next one", async () => {
    const store = memoryStore();
    const first = await served([{ text: "Slowly.", calls: done, pause: 60_000, piece: 3 }], { store });
    const client = new Client(first);
    client.agent.subscribe({ onTextMessageContentEvent: () => void first.host.close() });
    await client.say("u1", "go");
    expect(client.end).toMatchObject({ type: "RUN_ERROR", code: "suspended" });
    const second = await served([{ text: "Quickly.", calls: done }], { store });
    client.agent.url = new URL("agui", second.url).href;
    await client.run();
    expect(client.messages.map(({ content }) => content)).toEqual(["go", "Quickly.", "Done."]);
    await client.expectReplay();
  });
});

test("words alone that count as a completion are the text of their reply, and not if they were cut", async () => {
  const server = await served(
    [
      { text: "This is too lo", finishReason: "length", piece: 3 },
      { text: "This is short.", piece: 3 },
    ],
    { onText: "task_completion" },
  );
  const client = await new Client(server).say("u1", "go");
  expect(client.end).toMatchObject({ outcome: { type: "success" } });
  expect(client.messages.map(({ content }) => content)).toEqual(["go", "This is short."]);
  expect(client.types().filter((type) => type === "MESSAGES_SNAPSHOT")).toHaveLength(1);
  await client.expectReplay();
});

test("a run that is passed to another agent goes on in the same thread", async () => {
  const painter = createAgent({
    model: scriptedModel([{ text: "I paint.", calls: [call("task_completion", { result: "Painted." })], piece: 3 }]),
    tools: [taskCompletion()],
  });
  const server = await served([[call("hand_over", { to: "painter", message: "Paint it." })]], {
    tools: [handOver({ painter })],
  });
  const client = await new Client(server).say("u1", "paint");
  expect(client.custom("hand-over")).toMatchObject([{ to: ["painter"] }]);
  expect(client.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "assistant"]);
  expect(client.messages.at(-1)).toMatchObject({ content: "Painted." });
  await client.expectReplay();
});

test("a store that fails ends the run with an error that says so", async () => {
  const kept = memoryStore();
  let isBroken = false;
  const store: Store = {
    ...kept,
    read: (...of) => (isBroken ? Promise.reject(new LastcallError("store", "The disk is gone.")) : kept.read(...of)),
  };
  const { wait, begun, go } = waiting();
  const server = await served([{ text: "I wait.", calls: [call("wait")] }, done], { tools: [wait], store });
  // The run is one of another process, so its records are read from the store.
  const agent = createAgent({
    model: scriptedModel([[call("wait")], done]),
    tools: [wait, taskCompletion()],
  });
  const outcome = agent.run("go", {
    session: openSession({ store: kept, id: "t", about: { agent: "worker" } }),
    inputId: "u1",
  });
  await begun;
  const client = new Client(server);
  client.agent.subscribe({ onRunStartedEvent: () => void (isBroken = true) });
  const told = client.say("u1", "go");
  await new Promise((resolve) => setTimeout(resolve, 300));
  go();
  await outcome;
  await told;
  expect(client.end).toMatchObject({
    type: "RUN_ERROR",
    code: "store",
    message: expect.stringContaining("disk is gone"),
  });
});

test("failures in a row and their end are told as custom events", async () => {
  const wrong = [call("nothing")];
  const server = await served([wrong, wrong, done]);
  const client = await new Client(server).say("u1", "go");
  expect(client.custom("circuit")).toMatchObject([
    { status: "failure", count: 1, inARow: 1 },
    { status: "failure", count: 2, inARow: 2 },
    { status: "closed" },
  ]);
  await client.expectReplay();
});

test("an agent below does not show in the thread but for its call", async () => {
  const below = createAgent({
    model: scriptedModel([
      { text: "I am below.", calls: [call("task_completion", { result: "From below." })], piece: 3 },
    ]),
    tools: [taskCompletion()],
  });
  const helper = delegate(below, { name: "helper", description: "Helps" });
  const server = await served([[call("helper", { task: "help" })], done], { tools: [helper] });
  const client = await new Client(server).say("u1", "go");
  expect(client.messages).toMatchObject([
    { content: "go" },
    { toolCalls: [{ function: { name: "helper" } }] },
    { role: "tool", content: expect.stringContaining("From below.") },
    { content: "Done." },
  ]);
  await client.expectReplay();
});
