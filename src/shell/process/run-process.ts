// Runs one command in its own process group, so that it can be ended with all its processes.

import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { devNull } from "node:os";
import { Duplex, Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { explain, follow, maxTimerDelay } from "../../core/internal.js";
import { inheritedDescriptors } from "./descriptors.js";
import { endGroup, signalGroup, type Group } from "./group.js";
import { readReport, SandboxNotMade, type SandboxReport } from "./report.js";
import type { CommandExit, ShellCommand } from "../port/shell.js";

/** The program that runs a command. */
export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
  /**
   * How it reports why the command could not start. `errors`: a line on its error stream that begins with `sandbox`; the command
   * does not get this stream. `status`: bubblewrap also reports the fate of the command on descriptor 3 (`--json-status-fd 3`). A
   * program that reports makes a sandbox, so it gets no descriptors that this process inherited.
   */
  readonly reports: "nothing" | "errors" | "status";
  /** The number of empty inputs, behind the descriptors that are in use. */
  readonly emptyInputs: number;
  /**
   * Called with the id of the first process of a sandbox when that is made, and before the command runs: the sandbox writes a line to
   * descriptor 4 and waits for one. If it throws, the sandbox ends, and nothing is run.
   */
  readonly onMade?: (leader: number) => Promise<void>;
  /** Bytes for the program on the descriptor behind these pipes. */
  readonly input?: Buffer | undefined;
}

/** Milliseconds for which output may still come after the shell has exited and its group has ended. */
const drain = 100;

/**
 * Runs a command to its end, then ends the remaining processes of its group. A timeout, an abort and the exit of this
 * process end the whole group.
 * @throws Error if the command could not be started.
 */
export async function runProcess(launch: Launch, command: ShellCommand, signal: AbortSignal): Promise<CommandExit> {
  const { child, output, report, group } = await start(launch, command);
  const endWithUs = (): void => {
    signalGroup(group, "SIGKILL");
  };
  process.on("exit", endWithUs);
  const stop = new AbortController();
  const unfollow = follow(stop, signal);
  const time = Math.min(command.seconds * 1000, maxTimerDelay);
  const stopped = sleep<CommandExit>(time, { how: "timed-out" }, { signal: stop.signal }).catch((): CommandExit => ({
    how: "aborted",
  }));
  try {
    const ending = await Promise.race([exitOf(child), stopped]);
    await endGroup(group);
    // A process that left the group may hold the output open.
    await Promise.race([finished(output), drained()]).catch(() => undefined);
    if (ending.how === "exited") await report?.expectStarted();
    return ending;
  } finally {
    unfollow();
    stop.abort();
    process.off("exit", endWithUs);
    output.destroy();
    report?.close();
  }
}

interface Started {
  readonly child: ChildProcess;
  readonly output: Readable;
  readonly report: SandboxReport | undefined;
  /** The group of the command. */
  readonly group: Group;
}

async function start(launch: Launch, { folder, environment, onOutput }: ShellCommand): Promise<Started> {
  const { program, args, reports } = launch;
  const emptyInput = openSync(devNull, "r");
  try {
    const child = spawn(program, args, {
      cwd: folder,
      env: environment,
      detached: true,
      stdio: descriptorsFor(launch, emptyInput),
    });
    // Node drops output that nobody reads when the child exits, and a short command exits before its leader is known.
    child.stdout?.on("data", onOutput);
    await once(child, "spawn");
    if (launch.input !== undefined) passInput(child, pipesOf(launch), launch.input);
    const status = reports === "status" ? pipeOf(child, 3) : undefined;
    const report = reports === "nothing" ? undefined : readReport(pipeOf(child, 2), status);
    // A group can be ended only once its id is known.
    const leader = await report?.leader;
    const group = { id: leader ?? child.pid ?? 0, watcher: leader === undefined ? undefined : child.pid };
    if (launch.onMade !== undefined && leader !== undefined)
      await passGate(child, group, () => launch.onMade?.(leader));
    return { child, output: pipeOf(child, 1), report, group };
  } catch (thrown) {
    if (thrown instanceof SandboxNotMade) throw thrown;
    throw new Error(`The shell could not be started (${explain(thrown)}), so nothing was run.`, { cause: thrown });
  } finally {
    closeSync(emptyInput);
  }
}

/** Waits until the sandbox is made, does the work, and lets the command begin. A sandbox that could not be made says so by its report. */
async function passGate(child: ChildProcess, group: Group, work: () => Promise<void> | undefined): Promise<void> {
  const gate = child.stdio[4];
  if (!(gate instanceof Duplex)) throw new Error("descriptor 4 is no pipe");
  gate.on("error", () => undefined);
  const isMade = await Promise.race([
    once(gate, "data").then(() => true),
    once(gate, "close").then(() => false),
    once(gate, "end").then(() => false),
  ]).catch(() => false);
  try {
    if (isMade) await work();
    gate.end("\n");
  } catch (thrown) {
    await endGroup(group);
    await exitOf(child);
    throw thrown;
  }
}

/**
 * The descriptors of the child. For a sandbox: the pipes of the report, the empty inputs, and an empty input in place
 * of each descriptor that it would inherit.
 */
function descriptorsFor(launch: Launch, emptyInput: number): StdioOptions {
  const { reports, emptyInputs, input } = launch;
  if (reports === "nothing") return ["ignore", "pipe", "ignore"];
  const pipes = pipesOf(launch) + (input === undefined ? 0 : 1);
  const used: StdioOptions = ["ignore", ...Array.from({ length: pipes }, () => "pipe" as const)];
  const first = used.length;
  const inherited = inheritedDescriptors();
  const isEmpty = (descriptor: number): boolean => descriptor < first + emptyInputs || inherited.includes(descriptor);
  const count = Math.max(emptyInputs, ...inherited.map((descriptor) => descriptor - first + 1));
  const rest = Array.from({ length: count }, (_, at) => (isEmpty(at + first) ? emptyInput : "ignore"));
  return [...used, ...rest];
}

/** The number of pipes of the report and of the gate. They follow the input. */
function pipesOf({ reports, onMade }: Launch): number {
  return (reports === "status" ? 3 : 2) + (onMade === undefined ? 0 : 1);
}

/** Writes bytes to the descriptor behind the other pipes. A program that ends early does not read them. */
function passInput(child: ChildProcess, pipes: number, bytes: Buffer): void {
  const pipe = child.stdio[pipes + 1];
  if (!(pipe instanceof Duplex)) throw new Error(`descriptor ${String(pipes + 1)} is no pipe`);
  pipe.on("error", () => undefined).end(bytes);
}

function pipeOf(child: ChildProcess, descriptor: 1 | 2 | 3): Readable {
  const pipe = child.stdio[descriptor];
  if (pipe instanceof Readable) return pipe;
  throw new Error(`descriptor ${String(descriptor)} is no pipe`);
}

/** The exit of the shell, which may have happened already. */
async function exitOf(child: ChildProcess): Promise<CommandExit> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
  const { exitCode: code, signalCode: signal } = child;
  return code === null ? { how: "killed", signal: signal ?? "unknown" } : { how: "exited", code };
}

/** If the timer fires late, output may still wait in the pipe. One more turn of the event loop reads it. */
async function drained(): Promise<void> {
  await sleep(drain);
  await turn();
}
