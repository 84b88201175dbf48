// Runs the command for tests: the built one as a process, or its sources within this process, which takes a tenth of the time.

import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { main } from "../../src/cli/main.js";
import { bin, dist } from "../dist.js";

const root = resolve(import.meta.dirname, "../..");

/** The default folder for sessions of the started commands. */
const state = mkdtempSync(join(tmpdir(), "lastcall-state-"));
process.on("exit", () => {
  rmSync(state, { recursive: true, force: true });
});

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when standard output and standard error together contain the words this many times, by default once. */
  seen(words: string, times?: number): Promise<void>;
}

const environment = (env: Readonly<Record<string, string>>): Readonly<Record<string, string | undefined>> => ({
  PATH: process.env["PATH"],
  HOME: process.env["HOME"],
  TERM: "xterm",
  XDG_STATE_HOME: state,
  ...env,
});

/** Starts the built command. Its environment has no key except a given one. */
export function start(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  program = process.execPath,
): Started {
  const child = spawn(program, program === process.execPath ? [bin, ...args] : args, {
    env: environment(env),
    stdio: "pipe",
  });
  let stdout = "";
  let stderr = "";
  const watching = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    watching.forEach((look) => {
      look();
    });
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
    watching.forEach((look) => {
      look();
    });
  });
  const ended = new Promise<Ended>((settle) => {
    child.on("close", (code) => {
      settle({ code, stdout, stderr });
    });
  });
  return {
    child,
    ended,
    seen: (words, times = 1) =>
      new Promise((settle) => {
        const look = (): void => {
          if ((stdout + stderr).split(words).length <= times) return;
          watching.delete(look);
          settle();
        };
        watching.add(look);
        look();
      }),
  };
}

/** Runs the built command to its end, with standard input closed. */
export async function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const { child, ended } = start(args, env);
  child.stdin?.end();
  return ended;
}

/**
 * Runs the sources of the command to their end within this process. `code` is the exit code. Standard input is closed, or a pipe with
 * these bytes.
 */
export async function runHere(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  piped?: string | Buffer,
): Promise<Ended> {
  const streams = { stdin: new PassThrough().end(piped), stdout: new PassThrough(), stderr: new PassThrough() };
  const { stdin, stdout, stderr } = streams as unknown as Pick<NodeJS.Process, keyof typeof streams>;
  const output = Promise.all([text(stdout), text(stderr)]);
  const { signal } = new AbortController();
  const process = {
    env: environment(env),
    isInputPiped: piped !== undefined,
    signal,
    interrupt: () => undefined,
    atInterrupt: () => undefined,
  };
  const code = await main(args, { stdin, stdout, stderr, ...process });
  stdout.end();
  stderr.end();
  const [answer, log] = await output;
  return { code, stdout: answer, stderr: log };
}

const hasScript = spawnSync("script", ["--version"]).stdout?.toString().includes("util-linux") ?? false;

/** The end of a test's name: the reason why there is no terminal here, or nothing. */
export const noTerminal: string = hasScript ? "" : " (left out: there is no script of util-linux)";

/** Starts the command in a terminal of its own. A shell splits the line, so quote its words. */
export function inTerminal(line: string, env: Readonly<Record<string, string>> = {}): Started {
  return start(["-qec", `${process.execPath} ${bin} ${line}`, "/dev/null"], env, "script");
}

/** A temporary folder, deleted at the end of the test. */
export async function temporary(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), "lastcall-test-"));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** Copies the built command to a place without the packages of this name or scope, until the end of the test. Returns its file. */
export async function commandWithout(left: string): Promise<string> {
  const place = await mkdtemp(join(tmpdir(), "lastcall-bare-"));
  onTestFinished(() => rm(place, { recursive: true, force: true }));
  await cp(dist, join(place, "dist"), { recursive: true });
  await writeFile(join(place, "package.json"), '{ "type": "module", "version": "0.0.0" }');
  await mkdir(join(place, "node_modules"));
  for (const name of await readdir(join(root, "node_modules")))
    if (name !== left) await symlink(join(root, "node_modules", name), join(place, "node_modules", name));
  return join(place, "dist/cli/bin.js");
}
