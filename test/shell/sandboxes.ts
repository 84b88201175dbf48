// Shared by the tests of shells: whether a sandbox works here, and a function that runs one command.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished } from "vitest";
import {
  bubblewrap,
  landlock,
  sandboxExec,
  type Finding,
  type SandboxOptions,
  type Shell,
} from "../../src/tools/index.js";
import type { CommandExit, ShellCommand } from "../../src/shell/index.js";
import { pause } from "../programs.js";

/** A function that makes a sandbox, and whether it works on this system. */
export interface Candidate {
  readonly name: string;
  readonly make: (options: SandboxOptions) => Shell;
  readonly finding: Finding;
}

async function tried(name: string, make: Candidate["make"]): Promise<Candidate> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "lastcall-tried-")));
  try {
    const shell = make({ root, writable: false });
    const { ending } = await run(shell, root, "true");
    const works = ending.how === "exited" && ending.code === 0;
    return { name, make, finding: works ? { ok: true, shell } : { ok: false, reason: `${name} runs nothing here` } };
  } catch (thrown) {
    return { name, make, finding: { ok: false, reason: (thrown as Error).message.replace(/\.$/, "") } };
  } finally {
    rmSync(root, { recursive: true });
  }
}

/** All sandboxes. */
export const candidates: readonly Candidate[] = await Promise.all([
  tried("bubblewrap", bubblewrap),
  tried("sandbox-exec", sandboxExec),
  tried("Landlock", landlock),
]);

/** Whether bubblewrap works here. */
export const finding: Finding = candidates[0]!.finding;

/** For the name of a suite that is skipped without a sandbox: the reason. */
export const why: string = finding.ok ? "" : ` (left out: ${finding.reason})`;

/** Removes a folder. It is tried again, because a killed command may create a file while its folder is removed. */
async function removeFolder(path: string): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      rmSync(path, { recursive: true, force: true });
      return;
    } catch (thrown) {
      if (tries === 50) throw new Error(`${path} still has ${readdirSync(path).join(", ")}`, { cause: thrown });
      await sleep(50);
    }
  }
}

/** A fresh folder, as its real path; removed after the test. */
export function folder(): string {
  const made = realpathSync(mkdtempSync(join(tmpdir(), "lastcall-shell-")));
  onTestFinished(() => removeFolder(made));
  return made;
}

/** A fresh folder outside `/tmp`, beside the repository. */
export function folderElsewhere(): string {
  const cache = join(import.meta.dirname, "../.cache");
  mkdirSync(cache, { recursive: true });
  const made = realpathSync(mkdtempSync(join(cache, "shell-")));
  onTestFinished(() => removeFolder(made));
  return made;
}

export interface Ran {
  readonly ending: CommandExit;
  readonly output: string;
  /** Milliseconds. */
  readonly time: number;
}

export interface Terms {
  readonly seconds?: number;
  readonly signal?: AbortSignal;
  readonly environment?: Readonly<Record<string, string>>;
  readonly opens?: ShellCommand["opens"];
}

/** Runs a command to its end. */
export async function run(shell: Shell, where: string, command: string, terms: Terms = {}): Promise<Ran> {
  const { seconds = 15, signal = new AbortController().signal, opens = [] } = terms;
  const environment = { PATH: process.env["PATH"] ?? "", ...terms.environment };
  const chunks: Uint8Array[] = [];
  const onOutput = (chunk: Uint8Array): void => void chunks.push(chunk);
  const began = performance.now();
  const ending = await shell.run({ command, folder: where, environment, seconds, onOutput, opens }, signal);
  return { ending, output: Buffer.concat(chunks).toString(), time: performance.now() - began };
}

/** Writes to `beats` until it is killed, and ignores SIGTERM. The shell's message about a killed pause is dropped. */
export const stubborn = `sh -c 'trap "" TERM; while :; do echo x >> beats; ${pause(0.02)}; done' 2>/dev/null`;

function beats(where: string): number {
  try {
    return readFileSync(join(where, "beats")).length;
  } catch {
    return 0;
  }
}

export async function untilBeating(where: string): Promise<void> {
  while (beats(where) === 0) await sleep(10);
}

export async function expectNoMoreBeats(where: string): Promise<void> {
  const before = beats(where);
  expect(before).toBeGreaterThan(0);
  await sleep(150);
  expect(beats(where)).toBe(before);
}
