// Server process: one local server in its own process group, which ends when it is closed and when this process dies.

import { spawn, type ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { LastcallError } from "../../core/index.js";
import { explain } from "../../core/internal.js";
import { foreignText } from "../foreign/foreign-text.js";

/** The command that starts a server. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** The variables that the server gets besides the plain variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

/** A server that runs. */
export interface ServerProcess {
  readonly pid: number;
  /** Writes one message. Rejects if the server has ended. */
  write(line: string): Promise<void>;
  /**
   * Asks the server to end, and forces it after a short time. With `atOnce` the end of its input does not count as asking. Resolves when
   * its process group is gone.
   */
  close(how?: { readonly atOnce: boolean }): Promise<void>;
}

/** The receivers of a server's output and of its end. */
export interface ProcessReceivers {
  readonly output: (bytes: Buffer) => void;
  /** Called once, when the server has ended and all its output was delivered. `how` is a sentence part with the end of its errors. */
  readonly ended: (how: string) => void;
}

/** Variables of this process that a server gets. They hold no key. */
const plainNames: readonly string[] = ["PATH", "HOME", "LANG", "LOGNAME", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];

/** The environment of a server: the plain variables, and the variables that its settings name. */
export function serverVariables(given: Readonly<Record<string, string>>): Record<string, string> {
  const plain = Object.entries(process.env).filter(
    ([name, value]) => value !== undefined && (plainNames.includes(name) || name.startsWith("LC_")),
  );
  return { ...(Object.fromEntries(plain) as Record<string, string>), ...given };
}

/** Characters of a server's error output that are kept. */
const keptErrors = 4000;

/** Milliseconds that a server gets to end after its input was closed, and again after it was asked to. */
const grace = 1000;

/**
 * Starts a server.
 * @throws LastcallError `configuration` if the command can't be started: it is missing, or may not be run.
 */
export async function startServer(given: ServerCommand, receivers: ProcessReceivers): Promise<ServerProcess> {
  const child = spawn(given.command, given.args, {
    cwd: given.cwd,
    env: serverVariables(given.env),
    stdio: ["pipe", "pipe", "pipe"],
    // Its own group: what the server starts ends with it, and an interrupt at the terminal is for this process alone.
    detached: true,
    windowsHide: true,
  });
  await spawned(child, given);
  const pid = child.pid ?? 0;
  const watcher = watchOver(pid);
  let errors = "";
  let isOver = false;
  child.stdin.on("error", () => undefined);
  child.stdout.on("data", receivers.output);
  child.stderr.on("data", (bytes: Buffer) => {
    errors = (errors + bytes.toString("utf8")).slice(-keptErrors);
  });
  const ended = whenEnded(child).then((how) => {
    isOver = true;
    signalGroup(pid, "SIGKILL");
    watcher?.kill("SIGKILL");
    const { text } = foreignText(errors.trim(), keptErrors);
    receivers.ended(text === "" ? how : `${how}. The end of its error output:\n${text}`);
  });
  leaveAlone(child, watcher);
  return {
    pid,
    write: (line) =>
      new Promise((resolve, reject) => {
        const settle = (hasFailed: boolean): void => {
          if (hasFailed) reject(new Error("the server has ended"));
          else resolve();
        };
        if (isOver) settle(true);
        else
          child.stdin.write(line, (error) => {
            settle(error !== null && error !== undefined);
          });
      }),
    async close({ atOnce } = { atOnce: false }) {
      if (isOver) return;
      child.stdin.end();
      if (!atOnce && (await within(grace, ended))) return;
      for (const signal of ["SIGTERM", "SIGKILL"] as const) {
        signalGroup(pid, signal);
        if (await within(grace, ended)) return;
      }
    },
  };
}

async function within(ms: number, promise: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController();
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false);
  const isDone = await Promise.race([promise.then(() => true), late]);
  timer.abort();
  return isDone;
}

async function spawned(child: ChildProcess, { command, cwd }: ServerCommand): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", (error) => {
      const where = cwd === undefined ? "" : ` in ${cwd}`;
      const advice = /\s/.test(command)
        ? "give the program alone as `command`, and its arguments as `args`, a list"
        : "give a program that is installed, by its path or by a name that is in PATH";
      const message = `The command ${JSON.stringify(command)}${where} can't be started (${explain(error)}): ${advice}.`;
      reject(new LastcallError("configuration", message, { cause: error }));
    });
  });
  child.on("error", () => undefined);
}

/**
 * Resolves with the way in which the process ended, after its output. A process that it left behind may hold the output open:
 * it is not waited for.
 */
function whenEnded(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => {
      const how = signal === null ? `it ended with the code ${String(code)}` : `it was ended by ${signal}`;
      const timer = setTimeout(() => {
        resolve(how);
      }, 200);
      child.once("close", () => {
        clearTimeout(timer);
        resolve(how);
      });
    });
  });
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone.
  }
}

/**
 * Ends the group of the server when this process dies in any way: a shell waits for the end of its input, which only this process holds.
 * Undefined if there is no shell.
 */
function watchOver(pid: number): ChildProcess | undefined {
  const script = 'read -r _; sleep 1; kill -s TERM -- "-$1"; sleep 1; kill -s KILL -- "-$1"';
  try {
    const watcher = spawn("/bin/sh", ["-c", script, "sh", String(pid)], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
      env: { PATH: process.env["PATH"] ?? "/usr/bin:/bin" },
    });
    watcher.on("error", () => undefined);
    watcher.stdin.on("error", () => undefined);
    return watcher;
  } catch {
    return undefined;
  }
}

/** A server that is only kept ready does not keep this process alive. A call that waits for it does, by its timer. */
function leaveAlone(...children: readonly (ChildProcess | undefined)[]): void {
  for (const child of children) {
    child?.unref();
    for (const stream of child?.stdio ?? []) (stream as { unref?: () => void } | null)?.unref?.();
  }
}
