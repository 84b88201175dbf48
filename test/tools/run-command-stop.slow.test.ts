// run_command: after its end, no process that it started is left.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { runCommand } from "../../src/tools/index.js";
import { isRunning } from "../chaos/processes.js";
import { pause } from "../programs.js";
import { call, makeFolder, start } from "./fixture.js";

/** Writes to `beats` until it is killed, and ignores SIGTERM. */
const stubborn = `sh -c 'trap "" TERM; while :; do echo x >> beats; ${pause(0.02)}; done' 2>/dev/null`;

async function untilBeating(root: string): Promise<void> {
  while (!existsSync(join(root, "beats"))) await sleep(10);
}

async function expectNoMoreBeats(root: string): Promise<void> {
  const count = (): number => readFileSync(join(root, "beats")).length;
  const before = count();
  expect(before).toBeGreaterThan(0);
  await sleep(150);
  expect(count()).toBe(before);
}

describe("processes left in the background", () => {
  test("is not waited for, though it holds the output open, and is ended", async () => {
    const root = await makeFolder();
    const began = performance.now();
    const text = await call(runCommand({ root }), { command: `${pause(30)} & echo hi $!` });
    const id = Number(/^exit code 0\nhi (\d+)\n$/.exec(text)?.[1]);
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(isRunning(id)).toBe(false);
  });

  test("can't flood the result", async () => {
    const root = await makeFolder();
    const began = performance.now();
    const command = `(while :; do echo y; done) & (while :; do echo x >> beats; echo tick; ${pause(0.02)}; done) & ${pause(0.2)}; exit 0`;
    const text = await call(runCommand({ root }), { command });
    expect(performance.now() - began).toBeLessThan(15_000);
    expect(text.startsWith("exit code 0\n")).toBe(true);
    expect(text.length).toBeLessThan(33_000);
    await expectNoMoreBeats(root);
  });
});

describe("at its timeout", () => {
  test("a command is killed and its output until then is the result", async () => {
    const root = await makeFolder();
    const began = performance.now();
    const text = await call(runCommand({ root }), { command: `echo begun; ${pause(30)}`, timeout_seconds: 0.2 });
    expect(text).toBe("timed out after 0.2 s; killed\nbegun\n");
    expect(performance.now() - began).toBeLessThan(15_000);
  });

  test("all that it started is killed too, also what does not listen to SIGTERM", async () => {
    const root = await makeFolder();
    const text = await call(runCommand({ root }), { command: `${stubborn} & wait`, timeout_seconds: 0.3 });
    expect(text).toMatch(/^timed out after 0.3 s; killed\n/);
    await expectNoMoreBeats(root);
  });

  test("it has half a second to clean up", async () => {
    const root = await makeFolder();
    const command = `trap 'echo cleaned; exit 0' TERM; ${pause(30)} & wait`;
    const text = await call(runCommand({ root }), { command, timeout_seconds: 0.2 });
    expect(text).toBe("timed out after 0.2 s; killed\ncleaned\n");
  });
});

describe("an abort", () => {
  test("kills the group, and the signal's reason is thrown once it is gone", async () => {
    const root = await makeFolder();
    const abort = new AbortController();
    const reason = new Error("the run was aborted");
    const running = call(runCommand({ root }), { command: stubborn }, abort.signal);
    running.catch(() => undefined);
    await untilBeating(root);
    const began = performance.now();
    abort.abort(reason);
    await expect(running).rejects.toBe(reason);
    expect(performance.now() - began).toBeLessThan(15_000);
    await expectNoMoreBeats(root);
  });

  test("before the start runs nothing", async () => {
    const root = await makeFolder();
    const reason = new Error("too late");
    await expect(call(runCommand({ root }), { command: "echo x > ran" }, AbortSignal.abort(reason))).rejects.toBe(
      reason,
    );
    expect(existsSync(join(root, "ran"))).toBe(false);
  });

  test("reaches a command whose watcher does not read on", async () => {
    const root = await makeFolder();
    const abort = new AbortController();
    const running = start(runCommand({ root }), { command: `echo go; ${stubborn}` }, abort.signal);
    await running.next();
    await untilBeating(root);
    abort.abort();
    await sleep(700);
    await expectNoMoreBeats(root);
  });

  test("is also what leaving the generator does", async () => {
    const root = await makeFolder();
    const running = start(runCommand({ root }), { command: `echo go; ${stubborn}` });
    for await (const piece of running) {
      expect(piece).toBe("go\n");
      await untilBeating(root);
      break;
    }
    await expectNoMoreBeats(root);
  });
});
