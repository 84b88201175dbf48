// Runs one command in a process group of its own, so that it can be ended with all that it started.

import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { explain } from "../core/internal.js";
import { inheritedDescriptors } from "./descriptors.js";
import { endGroup, signalGroup, type Group } from "./group.js";
import { readReport, type Report } from "./report.js";
import type { CommandExit, ShellCommand } from "./shell.js";

/** The program that runs a command. */
export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  /**
   * True: it is bubblewrap, which writes to its third descriptor what became of the command (`--json-status-fd 3`), and to its
   * error stream why it could not start it.
   */
  readonly reports: boolean;
  /** How many descriptors from the fourth on are empty inputs. */
  readonly emptyInputs: number;
}

/** How long output may still come once the shell has exited and its group is gone, in milliseconds. */
const drain = 100;
/** Timers of Node can't wait longer, in milliseconds. */
const longest = 2 ** 31 - 1;

/**
 * Runs a command to its end, then ends what it left in its group. At a timeout or an abort, and when this process exits before
 * it, the whole group is ended.
 * @throws Error where it could not be started.
 */
export async function runProcess(launch: Launch, command: ShellCommand, signal: AbortSignal): Promise<CommandExit> {
  const { child, output, report, group } = await start(launch, command);
  output.on("data", command.onOutput);
  const endWithUs = (): void => {
    signalGroup(group, "SIGKILL");
  };
  process.on("exit", endWithUs);
  const over = new AbortController();
  const stop = AbortSignal.any([signal, over.signal]);
  const time = Math.min(command.seconds * 1000, longest);
  const stopped = sleep<CommandExit>(time, { how: "timed-out" }, { signal: stop }).catch((): CommandExit => ({
    how: "aborted",
  }));
  try {
    const ending = await Promise.race([exit(child), stopped]);
    await endGroup(group);
    // Somebody who left the group may hold the output open.
    await Promise.race([finished(output), drained()]).catch(() => undefined);
    if (ending.how === "exited") await report?.expectStarted();
    return ending;
  } finally {
    over.abort();
    process.off("exit", endWithUs);
    output.destroy();
    report?.close();
  }
}

interface Started {
  readonly child: ChildProcess;
  readonly output: Readable;
  readonly report: Report | undefined;
  /** The group of the command. */
  readonly group: Group;
}

async function start(launch: Launch, { folder, environment }: ShellCommand): Promise<Started> {
  const { program, args, reports } = launch;
  const nothing = openSync(devNull, "r");
  try {
    const child = spawn(program, args, {
      cwd: folder,
      env: environment,
      detached: true,
      stdio: descriptorsFor(launch, nothing),
    });
    await once(child, "spawn");
    const report = reports ? readReport(pipeOf(child, 2), pipeOf(child, 3)) : undefined;
    // A group that is not known yet could not be ended.
    const leader = await report?.leader;
    const group = { id: leader ?? child.pid ?? 0, watcher: leader === undefined ? undefined : child.pid };
    return { child, output: pipeOf(child, 1), report, group };
  } catch (thrown) {
    throw new Error(`The shell could not be started (${explain(thrown)}), so nothing was run.`, { cause: thrown });
  } finally {
    closeSync(nothing);
  }
}

/** For a sandbox: the pipes of the report, the empty inputs, and nothing in the place of what it would get unasked. */
function descriptorsFor({ reports, emptyInputs }: Launch, nothing: number): StdioOptions {
  if (!reports) return ["ignore", "pipe", "ignore"];
  const unasked = inheritedDescriptors();
  const isEmpty = (descriptor: number): boolean => descriptor < 4 + emptyInputs || unasked.includes(descriptor);
  const count = Math.max(emptyInputs, ...unasked.map((descriptor) => descriptor - 3));
  const rest = Array.from({ length: count }, (_, at) => (isEmpty(at + 4) ? nothing : "ignore"));
  return ["ignore", "pipe", "pipe", "pipe", ...rest];
}

function pipeOf(child: ChildProcess, descriptor: 1 | 2 | 3): Readable {
  const pipe = child.stdio[descriptor];
  if (pipe instanceof Readable) return pipe;
  throw new Error(`descriptor ${String(descriptor)} is no pipe`);
}

/** The shell's own exit, which may have been before anybody asked. */
async function exit(child: ChildProcess): Promise<CommandExit> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  const { exitCode: code, signalCode: signal } = child;
  return code === null ? { how: "killed", signal: signal ?? "unknown" } : { how: "exited", code };
}

/** However late the timer fires, what waits in the pipe is read in the turn after it. */
async function drained(): Promise<void> {
  await sleep(drain);
  await turn();
}
