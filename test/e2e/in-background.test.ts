import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, expectTypeOf, onTestFinished, test } from "vitest";
import { z } from "zod";
import {
  createAgent,
  sharedLimits,
  tool,
  type AgentOptions,
  type Event,
  type JournalRecord,
  type Session,
  type Tool,
} from "../../src/index.js";
import { command } from "../../src/checks/index.js";
import { fileStore, openSession } from "../../src/memory/index.js";
import { allowAll } from "../../src/permission/index.js";
import { assertWellFormed, call, scriptedModel, type ScriptedModel } from "../../src/testing/index.js";
import { askQuestion, delegate, handOver, inBackground, runCommand, taskCompletion } from "../../src/tools/index.js";
import { pause } from "../programs.js";

type Script = Parameters<typeof scriptedModel>[0];

const done = (result: string) => [call("task_completion", { result })];
const waitFor = (id: string, seconds = 30) => [call("background_result", { id, wait_seconds: seconds })];

function folderForTest(): string {
  const folder = mkdtempSync(join(tmpdir(), "lastcall-background-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** A tool that ends when it is told to. */
function gated(name = "work") {
  let open: (value: string) => void = () => undefined;
  const opened = new Promise<string>((resolve) => (open = resolve));
  const signals: AbortSignal[] = [];
  const made = tool({
    name,
    description: "Works",
    input: z.object({}),
    effect: "execute",
    readsOutside: false,
    async run(_, { signal }) {
      signals.push(signal);
      const stopped = new Promise<never>((_resolve, reject) => {
        signal.addEventListener("abort", () => {
          reject(signal.reason as Error);
        });
      });
      return Promise.race([opened, stopped]);
    },
  });
  const release = tool({
    name: "release",
    description: "Lets the work end",
    input: z.object({}),
    effect: "none",
    async run() {
      open("it went well");
      await new Promise((resolve) => setTimeout(resolve, 10));
      return "released";
    },
  });
  return { made, release, signals };
}

function agentWith<const Tools extends readonly Tool[]>(
  script: Script,
  tools: Tools,
  more: Partial<AgentOptions<Tools>> = {},
) {
  const model = scriptedModel(script);
  return { model, agent: createAgent({ model, tools, permission: allowAll(), ...more }) };
}

const wordsOf = (model: ScriptedModel, request: number): string => JSON.stringify(model.requests[request]?.messages);
const typesOf = (records: readonly JournalRecord[]): readonly string[] => records.map(({ type }) => type);

describe("work in the background", () => {
  test("returns at once, is told when it ends, and holds up a completion until then", async () => {
    const { made, release } = gated();
    const tools = [...inBackground(made), release, taskCompletion()] as const;
    const { agent, model } = agentWith(
      [[call("work", {})], done("too early"), [call("release", {})], done("done")],
      tools,
    );
    const events: Event[] = [];
    const outcome = await agent.run("Go.", { onEvent: (event) => void events.push(event) });
    expect(outcome).toMatchObject({ status: "completed", value: { result: "done" } });
    expect(wordsOf(model, 1)).toContain("It goes on in the background as bg-1.");
    expect(wordsOf(model, 2)).toContain("work goes on in the background, or its result was not told yet: bg-1 (work)");
    expect(wordsOf(model, 3)).toContain("bg-1 (work) in the background has ended:\\nit went well");
    expect(events.filter(({ type }) => type === "background-end")).toMatchObject([
      { work: "bg-1", result: { ok: true } },
    ]);
    assertWellFormed(outcome.session.records, { tools });
  });

  test("can be looked at, awaited and read again", async () => {
    const root = folderForTest();
    const tools = [...inBackground(runCommand({ root })), taskCompletion()] as const;
    const line = `echo begun; ${pause(0.3)}; echo ended`;
    const { agent, model } = agentWith(
      [
        [call("run_command", { command: line })],
        [call("background_result", { id: "bg-1" })],
        waitFor("bg-1"),
        [call("background_result", { id: "bg-1" })],
        [call("background_result", { id: "bg-7" })],
        done("done"),
      ],
      tools,
    );
    const outcome = await agent.run("Go.");
    expect(outcome.status).toBe("completed");
    expect(wordsOf(model, 2)).toContain("bg-1 runs");
    expect(wordsOf(model, 3)).toMatch(/bg-1 has ended. Its result follows.*has ended:.*begun\\\\?nended/s);
    expect(JSON.stringify(model.requests[4]!.messages.at(-1))).toContain("ended");
    expect(wordsOf(model, 5)).toContain('Nothing goes on as \\"bg-7\\"');
    assertWellFormed(outcome.session.records, { tools });
  });

  test("can be stopped, and its result says so", async () => {
    const root = folderForTest();
    const tools = [...inBackground(runCommand({ root })), taskCompletion()] as const;
    const server = `echo ready; while :; do ${pause(0.05)}; done; touch after`;
    const { agent, model } = agentWith(
      [
        [call("run_command", { command: server })],
        waitFor("bg-1", 1),
        [call("background_stop", { id: "bg-1" })],
        done("done"),
      ],
      tools,
    );
    const outcome = await agent.run("Go.");
    expect(outcome.status).toBe("completed");
    expect(wordsOf(model, 2)).toContain("bg-1 runs. Its latest output");
    expect(wordsOf(model, 3)).toMatch(
      /bg-1 was stopped.*in the background has ended:.*It was stopped. Its last output.*ready/s,
    );
    expect(existsSync(join(root, "after"))).toBe(false);
    assertWellFormed(outcome.session.records, { tools });
  });

  test("survives the claim gate: a claim is refused while tests run, by the check after they failed, and then accepted", async () => {
    const root = folderForTest();
    writeFileSync(join(root, "test.sh"), `${pause(0.3)}; test -e fixed\n`);
    const fix = tool({
      name: "fix",
      description: "Fixes",
      input: z.object({}),
      effect: "write",
      run: () => {
        writeFileSync(join(root, "fixed"), "");
        return "fixed";
      },
    });
    const tools = [...inBackground(runCommand({ root })), fix, taskCompletion()] as const;
    const run = [call("run_command", { command: "sh test.sh" })];
    const { agent, model } = agentWith(
      [
        run,
        done("while it runs"),
        waitFor("bg-1"),
        done("after it failed"),
        [call("fix", {})],
        run,
        waitFor("bg-2"),
        done("passed"),
      ],
      tools,
      { checks: [command("sh test.sh", { cwd: root })] },
    );
    const outcome = await agent.run("Make the tests pass.");
    expect(outcome).toMatchObject({ status: "completed", value: { result: "passed" }, verified: "checked" });
    const refusals = outcome.session.records.flatMap((record) =>
      record.type === "result" && record.result.failure !== undefined ? [record.result.failure.kind] : [],
    );
    expect(refusals).toEqual(["claim_refused", "check_failed"]);
    expect(wordsOf(model, 3)).toContain("exit");
    assertWellFormed(outcome.session.records, { tools });
  });

  test("ends with the run: a process is told to be gone in the next one, and its claim gate is open again", async () => {
    const { made, signals } = gated();
    const tools = [...inBackground(made), askQuestion(), taskCompletion()] as const;
    const { agent, model } = agentWith(
      [[call("work", {})], [call("ask_question", { question: "On?" })], done("too early"), done("done")],
      tools,
    );
    const asked = await agent.run("Go.");
    if (asked.status !== "waiting") throw new Error(asked.status);
    expect(signals[0]!.aborted).toBe(true);
    const outcome = await agent.run("Yes.", { session: JSON.parse(JSON.stringify(asked.session)) as Session });
    expect(outcome).toMatchObject({ status: "completed", value: { result: "too early" } });
    expect(wordsOf(model, 2)).toContain("bg-1 (work) in the background has failed");
    expect(wordsOf(model, 2)).toContain("it is gone. Its outcome is unknown");
    assertWellFormed(outcome.session.records, { tools });
  });

  test("of an agent goes on where a process left it, and draws from the limits of the run", async () => {
    const ran: string[] = [];
    const look = tool({
      name: "look",
      description: "Looks",
      input: z.object({ at: z.string() }),
      effect: "read",
      run: ({ at }) => {
        ran.push(at);
        return `saw ${at}`;
      },
    });
    const child = (script: Script) =>
      createAgent({ model: scriptedModel(script), tools: [look, taskCompletion()], permission: allowAll() });
    const childScript: Script = [[call("look", { at: "a" })], [call("look", { at: "b" })], done("found")];
    const script: Script = [[call("search", { task: "Find it." })], waitFor("bg-1"), done("done")];
    const make = (script: Script, childScript: Script) => {
      const search = delegate(child(childScript), { name: "search", description: "Searches", effect: "read" });
      return agentWith(script, [...inBackground(search), taskCompletion()] as const);
    };
    const budget = sharedLimits({ maxTokens: 1_000_000 });
    const events: Event[] = [];
    const whole = await make(script, childScript).agent.run("Go.", {
      budget,
      onEvent: (event) => void events.push(event),
    });
    expect(whole.status).toBe("completed");
    expect(events.filter(({ type }) => type === "child-event").length).toBeGreaterThan(5);
    expect(whole.session.records.filter(({ type }) => type === "spend")).toHaveLength(3);
    const [id] = Object.keys(whole.session.children ?? {});
    const below = whole.session.children![id!]!;
    const begun = whole.session.records.findIndex(({ type }) => type === "background");
    for (let count = 1; count < below.records.length; count += 1) {
      ran.length = 0;
      const records = whole.session.records.slice(0, begun + 3);
      const left = below.records.slice(0, count);
      const seen = left.filter(({ type }) => type === "reply").length;
      const children = { [id!]: { ...below, records: left } };
      const rest = make(script.slice(1), childScript.slice(seen));
      const outcome = await rest.agent.resume({ ...whole.session, records, children });
      expect([count, outcome.status]).toEqual([count, "completed"]);
      const results = outcome.session.children![id!]!.records.filter(({ type }) => type === "result");
      expect(results.length).toBe(2);
      expect(new Set(ran).size).toBe(ran.length);
    }
  });

  test("holds up a hand-over, since the next agent could not go on with it", async () => {
    const { made, release } = gated();
    const next = agentWith([done("taken over")], [taskCompletion()]);
    const tools = [...inBackground(made), release, handOver({ next: next.agent }), taskCompletion()] as const;
    const pass = [call("hand_over", { to: "next", message: "Go on." })];
    const { agent, model } = agentWith([[call("work", {})], pass, [call("release", {})], pass], tools);
    const outcome = await agent.run("Go.");
    expect(outcome).toMatchObject({ status: "completed", speaker: "next", value: { result: "taken over" } });
    expect(wordsOf(model, 2)).toContain("work goes on in the background, or its result was not told yet: bg-1 (work)");
    expect(typesOf(outcome.session.records).filter((type) => type === "hand-over")).toHaveLength(1);
    assertWellFormed(outcome.session.records, { tools });
  });

  test("is stored, and gone on with from the store", async () => {
    const store = fileStore(folderForTest());
    const { made } = gated();
    const tools = [...inBackground(made), askQuestion(), taskCompletion()] as const;
    const first = agentWith([[call("work", {})], [call("ask_question", { question: "On?" })]], tools);
    const session = openSession({ store, id: "s" });
    expect((await first.agent.run("Go.", { session })).status).toBe("waiting");
    const second = agentWith([done("done")], tools);
    const outcome = await second.agent.run("Yes.", { session: openSession({ store, id: "s" }) });
    expect(outcome.status).toBe("completed");
    expect(typesOf(outcome.session.records)).toContain("background-end");
  });

  test("of an agent that asks fails, and names the question", async () => {
    const child = createAgent({
      model: scriptedModel([[call("ask_question", { question: "Which?" })]]),
      tools: [askQuestion(), taskCompletion()],
    });
    const search = delegate(child, { name: "search", description: "Searches" });
    const tools = [...inBackground(search), taskCompletion()] as const;
    const { agent, model } = agentWith([[call("search", { task: "Find it." })], waitFor("bg-1"), done("done")], tools);
    const outcome = await agent.run("Go.");
    expectTypeOf(outcome.status).toEqualTypeOf<"completed" | "stopped" | "aborted" | "failed">();
    expect(outcome.status).toBe("completed");
    expect(wordsOf(model, 2)).toContain("nobody can be asked in the background");
    expect(wordsOf(model, 2)).toContain("Which?");
  });

  test("is not made of nothing, nor of a tool that ends the run", () => {
    expect(() => inBackground()).toThrow("inBackground needs a tool");
    expect(() => inBackground(taskCompletion())).toThrow("takes no loop-breaking tool such as task_completion");
  });
});
