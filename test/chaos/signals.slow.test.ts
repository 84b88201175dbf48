// The command with a session kept, and what may happen to its process and its terminal. Ctrl-C is in test/cli/command.slow.test.ts, kill -9 in
// test/cli/sessions/sessions.slow.test.ts.

import { readdir, readFile } from "node:fs/promises";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, test } from "vitest";
import { assertWellFormed, call, scriptedProvider, type Script } from "../../src/testing/index.js";
import { fileStore, openSession } from "../../src/memory/index.js";
import type { JournalRecord } from "../../src/index.js";
import { inTerminal, run, start, temporary } from "../cli/command.js";
import { bin } from "../dist.js";
import { isRunning } from "./processes.js";
import { counted } from "./counted.js";
import { isAll } from "./scale.js";

/** Runs for as long as it may, deaf to polite requests, and says its own id in a file. */
const stubborn = `trap '' TERM INT HUP; echo $$ > pid.new; mv pid.new pid; sleep 60`;

const done = [call("task_completion", { result: "I looked." })];

interface Place extends AsyncDisposable {
  readonly args: readonly string[];
  readonly requests: () => number;
  /** The only session. */
  readonly session: () => Promise<{ readonly id: string; readonly records: readonly JournalRecord[] }>;
  /** The process that has the session, by its lock, and the command that it runs, once both are there. */
  readonly atWork: () => Promise<readonly [number, number]>;
}

async function place(script: Script): Promise<Place> {
  const provider = await scriptedProvider(script);
  const folder = await temporary();
  const sessions = join(folder.path, "sessions");
  const store = fileStore(sessions);
  const session = async (): ReturnType<Place["session"]> => {
    const [only] = await store.list();
    return openSession({ store, id: only!.id }).toJSON();
  };
  const words = [
    "--base-url",
    provider.url,
    "--model",
    "m",
    "--workdir",
    folder.path,
    "--yes",
    "--no-sandbox",
    "--sessions",
    sessions,
  ];
  return {
    args: words,
    requests: () => provider.requests.length,
    session,
    async atWork() {
      await expect.poll(() => readdir(folder.path), { timeout: 45_000 }).toContain("pid");
      const [lock = ""] = await readdir(join(sessions, (await session()).id, "lock"));
      return [Number(lock.split("@")[0]), Number(await readFile(join(folder.path, "pid"), "utf8"))];
    },
    async [Symbol.asyncDispose]() {
      await provider.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The session was ended in order: the call that was at work has its result, which is that nobody knows. */
function expectAborted(records: readonly JournalRecord[]): void {
  assertWellFormed(records);
  expect(records.at(-1)).toMatchObject({ type: "outcome", status: "aborted" });
}

test("told to terminate while a command runs, it ends the command, closes the session in order, and leaves with 130", async () => {
  await using here = await place(({ number }) => (number === 1 ? [call("run_command", { command: stubborn })] : done));
  const { child, ended } = start(["do it", ...here.args]);
  const [, command] = await here.atWork();
  child.kill("SIGTERM");
  const { code, stdout, stderr } = await ended;
  expect({ code, stdout }).toEqual({ code: 130, stdout: "" });
  expect(stderr).toContain("lastcall resume");
  await expect.poll(() => isRunning(command)).toBe(false);
  const { id, records } = await here.session();
  expectAborted(records);
  expect(records.find(({ type }) => type === "result")).toMatchObject({ result: { failure: { kind: "interrupted" } } });
  expect(await run(["resume", id, ...here.args])).toMatchObject({ code: 0, stdout: "I looked.\n" });
  counted("sigterm", 1);
});

test("told to terminate while a reply streams, it keeps nothing of the reply", async () => {
  await using here = await place(({ number }) =>
    number === 1 ? { text: "words, words", piece: 3, pause: 300, calls: done } : done,
  );
  const { child, ended } = start(["do it", ...here.args]);
  await expect.poll(here.requests, { timeout: 45_000 }).toBe(1);
  child.kill("SIGTERM");
  expect((await ended).code).toBe(130);
  const { id, records } = await here.session();
  expectAborted(records);
  expect(records.map(({ type }) => type)).toEqual(["input", "outcome"]);
  expect(await run(["resume", id, ...here.args])).toMatchObject({ code: 0, stdout: "I looked.\n" });
  counted("sigterm", 1);
});

test("when its terminal is closed while a command runs, it ends the command and closes the session in order", async () => {
  await using here = await place(({ number }) => (number === 1 ? [call("run_command", { command: stubborn })] : done));
  const { child, ended } = inTerminal(["'do it'", ...here.args].join(" "));
  const [own, command] = await here.atWork().catch(async (thrown: unknown) => {
    child.kill("SIGKILL");
    throw new Error(JSON.stringify(await ended), { cause: thrown });
  });
  // The terminal is gone with whoever has its other end: its processes get SIGHUP, and what they write to it fails.
  child.kill("SIGKILL");
  await expect.poll(() => isRunning(own), { timeout: 10_000 }).toBe(false);
  await expect.poll(() => isRunning(command)).toBe(false);
  const { id, records } = await here.session();
  expectAborted(records);
  expect(await run(["resume", id, ...here.args])).toMatchObject({ code: 0, stdout: "I looked.\n" });
  counted("sighup-closed-tty", 1);
});

/** Starts the command and closes our end of these streams of it at once. */
async function unread(
  streams: readonly ("stdout" | "stderr")[],
  args: readonly string[],
): Promise<{ readonly code: number | null; readonly stderr: string }> {
  const child = spawn(process.execPath, [bin, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  for (const stream of streams) child[stream].destroy();
  // A pipe that is open and full is waited for.
  child.stdout.resume();
  const [code] = (await once(child, "close")) as [number | null];
  return { code, stderr };
}

const talkative: Script = ({ number }) =>
  number < 4
    ? { text: "words ".repeat(2000), calls: [call("list_files", { path: `.${"/.".repeat(number)}` })] }
    : [call("task_completion", { result: "x".repeat(200_000) })];

test("when nobody reads its log any more, it goes on to the end", async () => {
  await using here = await place(talkative);
  expect((await unread(["stderr"], ["do it", "--verbose", ...here.args])).code).toBe(0);
  const { records } = await here.session();
  assertWellFormed(records);
  expect(records.at(-1)).toMatchObject({ type: "outcome", status: "completed" });
  counted("stdout-epipe", 1);
});

test("when nobody takes its answer, the session is completed all the same, and the exit code is no success", async () => {
  await using here = await place(talkative);
  const { code, stderr } = await unread(["stdout"], ["do it", ...here.args]);
  expect(code).toBe(1);
  expect(stderr).not.toContain("    at ");
  expect(stderr).toContain("lastcall: The answer could not be written (write EPIPE).");
  expect((await here.session()).records.at(-1)).toMatchObject({ type: "outcome", status: "completed" });
  counted("stdout-epipe", 1);
});

test("a command that prints much more than there is memory for is read to its end", async () => {
  await using here = await place(({ number, lastText }) => {
    if (number === 1)
      return [call("run_command", { command: `yes | head -c ${isAll ? "300" : "80"}000000; echo the end` })];
    return [call("task_completion", { result: lastText.includes("the end") ? "All of it." : lastText.slice(-500) })];
  });
  const env = { NODE_OPTIONS: "--max-old-space-size=64" };
  expect(await run(["do it", ...here.args], env)).toMatchObject({ code: 0, stdout: "All of it.\n" });
  counted("oom-kill", 1);
});
