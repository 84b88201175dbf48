// Runs one command in a process group of its own, so that it can be ended with all that it started.

import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { explain } from "../core/index.js";

/** How a command ended. */
export type Ending =
  | { readonly how: "exited"; readonly code: number }
  | { readonly how: "killed"; readonly signal: string }
  | { readonly how: "timed-out" }
  | { readonly how: "aborted" };

/** A command, and with what and how long it runs. */
export interface ShellCommand {
  readonly command: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly seconds: number;
  /** Gets what both streams print, in the order in which it was written. */
  readonly onOutput: (chunk: Buffer) => void;
}

/** From being asked to end to being forced, in milliseconds. */
const grace = 500;
/** How often to look whether a group has ended, in milliseconds. */
const glance = 20;
/** How long output may still come once the shell has exited, in milliseconds. */
const drain = 100;

/** Two pipes would lose the order of what is written to them; `--` because a command may start with a `-`. */
const joinStreams = 'exec sh -c -- "$0" 2>&1';

/**
 * Runs a command to its end. What it left in the background runs on and is not waited for; at a timeout or an abort,
 * and when this process exits before it, the whole group is ended.
 * @throws Error where the shell could not be started.
 */
export async function runShell(shell: ShellCommand, signal: AbortSignal): Promise<Ending> {
  const child = await start(shell);
  child.stdout.on("data", shell.onOutput);
  const endWithUs = (): void => {
    if (child.pid !== undefined) send(child.pid, "SIGKILL");
  };
  process.on("exit", endWithUs);
  const done = exit(child);
  const over = new AbortController();
  const stop = AbortSignal.any([signal, over.signal]);
  const stopped = sleep<Ending>(shell.seconds * 1000, { how: "timed-out" }, { signal: stop }).catch((): Ending => ({
    how: "aborted",
  }));
  try {
    const ending = await Promise.race([done, stopped]);
    if (ending.how === "exited" || ending.how === "killed") return ending;
    await endGroup(child.pid);
    await Promise.race([done, sleep(drain)]);
    return ending;
  } finally {
    over.abort();
    process.off("exit", endWithUs);
    child.stdout.destroy();
  }
}

type Child = ChildProcessByStdio<null, Readable, null>;

async function start({ command, folder, environment }: ShellCommand): Promise<Child> {
  try {
    const child = spawn("sh", ["-c", joinStreams, command], {
      cwd: folder,
      env: environment,
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
    });
    await once(child, "spawn");
    return child;
  } catch (thrown) {
    throw new Error(`The shell could not be started (${explain(thrown)}), so nothing was run.`, { cause: thrown });
  }
}

/** The shell's own exit, with the output that had been written by then: somebody else may hold the pipe open. */
async function exit(child: Child): Promise<Ending> {
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  await Promise.race([finished(child.stdout), drained()]).catch(() => undefined);
  return code === null ? { how: "killed", signal: signal ?? "unknown" } : { how: "exited", code };
}

/** However late the timer fires, what waits in the pipe is read in the turn after it. */
async function drained(): Promise<void> {
  await sleep(drain);
  await turn();
}

/** Asks the group to end, and forces what is still there after the grace. */
async function endGroup(pid: number | undefined): Promise<void> {
  if (pid === undefined) return;
  if (!send(pid, "SIGTERM")) return;
  for (let waited = 0; waited < grace; waited += glance) {
    await sleep(glance);
    if (!send(pid, 0)) return;
  }
  send(pid, "SIGKILL");
}

/** Sends a signal to the group; false where there is no such group any more. */
function send(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-pid, signal);
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

/** How a command ended, in words. */
export function describeEnding(ending: Exclude<Ending, { how: "aborted" }>, seconds: number): string {
  switch (ending.how) {
    case "exited":
      return `exit code ${String(ending.code)}`;
    case "killed":
      return `killed by signal ${ending.signal}`;
    case "timed-out":
      return `timed out after ${String(seconds)} s; killed`;
  }
}
