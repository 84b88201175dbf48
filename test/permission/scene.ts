// A real workspace with files and links, a folder of programs beside it, and the gate's answer to commands there.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Wall } from "../../src/index.js";
import { gate } from "../../src/permission/index.js";

/** A file by its content, or a link by its target. */
export type Files = Readonly<Record<string, string | { readonly to: string }>>;

/** A workspace for one test. */
export interface Scene {
  /** The workspace. Beside it is the file `outside.txt`. */
  readonly root: string;
  /** The folder of the programs, which are empty files: the gate looks for them and never runs them. */
  readonly bin: string;
  /** True if the command runs by itself; false if somebody is asked, or it is denied. */
  runs(command: string, walls?: readonly Wall[]): Promise<boolean>;
  /** The question about the command; undefined if there is none. */
  question(
    command: string,
    walls?: readonly Wall[],
    variables?: Readonly<Record<string, string>>,
  ): Promise<string | undefined>;
}

/** Makes a workspace with the files, and the programs. */
export function makeScene(files: Files, programs: string): Scene {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lastcall-scene-")));
  const [root, bin] = [join(folder, "project"), join(folder, "bin")];
  const before = process.env["PATH"];
  onTestFinished(() => {
    process.env["PATH"] = before;
    rmSync(folder, { recursive: true, force: true });
  });
  const put = (path: string, content: Files[string]): void => {
    mkdirSync(dirname(path), { recursive: true });
    if (typeof content === "string") writeFileSync(path, content);
    else symlinkSync(content.to, path);
  };
  for (const [path, content] of Object.entries(files)) put(join(root, path), content);
  put(join(folder, "outside.txt"), "outside\n");
  mkdirSync(root, { recursive: true });
  mkdirSync(bin);
  for (const name of programs.split(" ")) writeFileSync(join(bin, name), "", { mode: 0o755 });
  process.env["PATH"] = bin;
  const question: Scene["question"] = async (command, walls = [], variables = {}) => {
    let why: string | undefined;
    const approver = (_call: unknown, asking: { readonly why: string }): boolean => {
      why = asking.why;
      return false;
    };
    const reach = { command, folder: ".", walls, variables };
    const call = { id: "1", name: "run_command", effect: "execute" as const, input: { command }, reach };
    const deciding = { signal: new AbortController().signal, session: "s", preview: () => Promise.resolve(undefined) };
    const { allowed, reason } = await gate({ root, approver }).decide(call, deciding);
    return allowed ? undefined : (why ?? reason);
  };
  const runs: Scene["runs"] = async (command, walls) => (await question(command, walls)) === undefined;
  return { root, bin, runs, question };
}
