// Runs the examples as a user does: compiled, in a project of their own that has the package, as processes.

import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import ts from "typescript";
import type { ScriptedProvider } from "../../src/testing/index.js";
import "../dist.js";

const root = resolve(import.meta.dirname, "../..");
const folder = join(root, "examples");

/** What the page says that an example prints, in the order of the page: the blocks of no language under its heading. */
export function printed(name: string): readonly string[] {
  const page = readFileSync(join(folder, "README.md"), "utf8");
  const section = page.split(/^## /m).find((section) => section.startsWith(`${name}.ts\n`)) ?? "";
  return [...section.matchAll(/^```(.*)\n([^]*?)^```$/gm)].flatMap(([, language, text]) =>
    language === "" ? [text ?? ""] : [],
  );
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** What it printed to standard output so far. */
  stdout(): string;
  /** Settles once what it printed so far has the words. */
  seen(words: string): Promise<void>;
}

export interface Project extends AsyncDisposable {
  /** A folder of its own, where the example is started. */
  readonly path: string;
  start(args: readonly string[], provider: ScriptedProvider): Started;
  /** Runs it to its end, with such a standard input. */
  run(args: readonly string[], provider: ScriptedProvider, stdin?: string): Promise<Ended>;
}

/** A project that has the built package and one example, compiled. */
export async function projectWith(name: string): Promise<Project> {
  const path = await realpath(await mkdtemp(join(tmpdir(), "lastcall-example-")));
  const source = readFileSync(join(folder, `${name}.ts`), "utf8");
  const compilerOptions = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext };
  await mkdir(join(path, "node_modules"));
  await symlink(root, join(path, "node_modules/lastcall"));
  await symlink(join(root, "node_modules/zod"), join(path, "node_modules/zod"));
  await writeFile(join(path, `${name}.mjs`), ts.transpileModule(source, { compilerOptions }).outputText);

  const start = (args: readonly string[], provider: ScriptedProvider): Started => {
    const { PATH, HOME } = process.env;
    const env = { PATH, HOME, OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: "sk-test" };
    return follow(spawn(process.execPath, [`${name}.mjs`, ...args], { cwd: path, env, stdio: "pipe" }));
  };
  return {
    path,
    start,
    run(args, provider, stdin = "") {
      const { child, ended } = start(args, provider);
      child.stdin?.end(stdin);
      return ended;
    },
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}

function follow(child: ChildProcess): Started {
  const said = { stdout: "", stderr: "" };
  const watching = new Set<() => void>();
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      said[name] += text;
      for (const look of watching) look();
    });
  }
  return {
    child,
    ended: new Promise((settle) => {
      child.on("close", (code, signal) => {
        settle({ code, signal, ...said });
      });
    }),
    stdout: () => said.stdout,
    seen: (words) =>
      new Promise((settle) => {
        const look = (): void => {
          if ((said.stdout + said.stderr).includes(words)) settle();
        };
        watching.add(look);
        look();
      }),
  };
}
