// Tasks and kill -9: the process that serves them is killed at any moment, and a later process goes on when its client comes back.

import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  resultFromTaskOutcome,
  type SerializedTaskReference,
  type WithTasksOptions,
} from "@modelcontextprotocol/ext-tasks/client";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { JournalRecord } from "../../../src/index.js";
import { fileStore, openSession } from "../../../src/memory/index.js";
import { assertWellFormed } from "../../../src/testing/index.js";
import { ask, connectTasks } from "./task-client.js";
import "../../dist.js";

let folder: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tasks-"));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
});

interface Running {
  readonly url: URL;
  kill(): Promise<void>;
}

async function start(): Promise<Running> {
  const child = fork(join(import.meta.dirname, "tasks-victim.mjs"), [folder]);
  children.push(child);
  const [address] = (await once(child, "message")) as [string];
  return {
    url: new URL("/mcp", address),
    async kill() {
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      expect(await gone).toEqual([null, "SIGKILL"]);
    },
  };
}

/** Begins a task, and leaves it. */
async function begin({ url }: Running, task: string): Promise<SerializedTaskReference> {
  const session = await connectTasks(url);
  const execution = await session.callTool("clerk", { task });
  if (execution.kind !== "task") throw new Error(`It is no task: ${JSON.stringify(await execution.result())}`);
  const reference = execution.serializeReference();
  await execution.detach();
  // A session that closes before its execution is over cancels the task.
  await execution.result();
  await session.end();
  return reference;
}

/** Comes back to a task, and follows it to its result. */
async function comeBack(
  { url }: Running,
  reference: SerializedTaskReference,
  more: WithTasksOptions = {},
): Promise<string> {
  const session = await connectTasks(url, more);
  const { outcome } = await (await session.resumeTask(reference)).settle();
  await session.end();
  return JSON.stringify(resultFromTaskOutcome(outcome).content);
}

const lines = (name: string): number => {
  const path = join(folder, name);
  return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
};

/** The records so far. */
async function journalOf({ taskId }: SerializedTaskReference): Promise<readonly JournalRecord[]> {
  const id = taskId.split(".")[0] ?? "";
  return (await openSession({ store: fileStore(join(folder, "sessions")), id }).toJSON()).records;
}

/** The records of a run that has ended. */
async function recordsOf(reference: SerializedTaskReference): Promise<readonly JournalRecord[]> {
  const records = await journalOf(reference);
  assertWellFormed(records);
  return records;
}

test.each([0, 10, 40, 120])(
  "a task whose process is killed %i ms after its client has left has its result once",
  async (delay) => {
    writeFileSync(join(folder, "hold"), "");
    const first = await start();
    const reference = await begin(first, "pay");
    await sleep(delay);
    await first.kill();
    rmSync(join(folder, "hold"));
    const second = await start();
    const [one, other] = await Promise.all([comeBack(second, reference), comeBack(second, reference)]);
    expect([one, other]).toEqual([expect.stringContaining("Paid and looked."), one]);
    const records = await recordsOf(reference);
    // A process that dies between the intent and the payment has not paid.
    const intents = records.filter((record) => record.type === "intent").length;
    expect(lines("paid")).toBeLessThanOrEqual(1);
    expect([intents, records.filter(({ type }) => type === "outcome").length]).toEqual([1, 1]);
    // A third process tells the same.
    await second.kill();
    expect(await comeBack(await start(), reference)).toBe(one);
    expect(await recordsOf(reference)).toEqual(records);
  },
  60_000,
);

test("a question that waits, and an answer whose process is killed right after it, outlive kill -9", async () => {
  const first = await start();
  const reference = await begin(first, "ask");
  while (!(await journalOf(reference)).some(({ type }) => type === "outcome")) await sleep(20);
  await first.kill();
  const second = await start();
  const { result } = await ask(second.url, "tasks/get", { taskId: reference.taskId });
  const [key = ""] = Object.keys(result?.["inputRequests"] as object);
  writeFileSync(join(folder, "hold"), "");
  const inputResponses = { [key]: { action: "accept", content: { answer: "yes" } } };
  await ask(second.url, "tasks/update", { taskId: reference.taskId, inputResponses });
  await second.kill();
  rmSync(join(folder, "hold"));
  const questions: unknown[] = [];
  const onInputRequest: WithTasksOptions["onInputRequest"] = (request) => {
    questions.push(request);
    return { action: "cancel" } as never;
  };
  expect(await comeBack(await start(), reference, { onInputRequest })).toContain("Paid and looked.");
  expect([questions, lines("paid")]).toEqual([[], 1]);
}, 60_000);

test("an approval is asked after kill -9 of the process that parked the call, and the call runs once", async () => {
  writeFileSync(join(folder, "careful"), "");
  const first = await start();
  const reference = await begin(first, "pay");
  while (!(await journalOf(reference)).some(({ type }) => type === "outcome")) await sleep(20);
  await first.kill();
  const second = await start();
  const stranger = await ask(second.url, "tasks/get", { taskId: reference.taskId }, { headers: { "x-person": "ben" } });
  expect(stranger.error).toEqual({ code: -32602, message: "There is no such task." });
  const onInputRequest: WithTasksOptions["onInputRequest"] = () =>
    ({ action: "accept", content: { allowed: true } }) as never;
  expect(await comeBack(second, reference, { onInputRequest })).toContain("Paid and looked.");
  expect(lines("paid")).toBe(1);
  expect((await recordsOf(reference)).find(({ type }) => type === "approval")).toMatchObject({ by: { id: "ann" } });
}, 60_000);
