// Everyday commands through the real gate, without any rule: few of those that only read are asked about, none that do more run.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { plainVariables } from "../../src/shell/index.js";
import { gate } from "../../src/permission/index.js";
import type { Wall } from "../../src/index.js";
import { has, without } from "../programs.js";

interface Everyday {
  readonly command: string;
  readonly kind: "reads" | "builds" | "asks";
  readonly source: string;
}

const text = await readFile(join(import.meta.dirname, "../cases/everyday/commands.jsonl"), "utf8");
const everyday = text
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as Everyday);
const commandsOf = (kind: Everyday["kind"]): readonly string[] =>
  everyday.filter((one) => one.kind === kind).map(({ command }) => command);

/** The first 70 hold the figure; the rest of them is tried for completeness. */
const first = commandsOf("reads").slice(0, 70);
const needsGit = (command: string): boolean => command.startsWith("git ");

const files: Readonly<Record<string, string>> = {
  "package.json": '{"name":"p","scripts":{"test":"echo ok","lint":"echo ok"}}',
  "README.md": "a b\n",
  "src/a.ts": "x\n",
  "src/b.ts": "y\n",
  "src/a.js": "",
  "test/a.ts": "",
  "a.txt": "1\n",
  "b.txt": "2\n",
};

/** Asked before the folder of empty programs below comes first on the PATH. */
const hasGit = has("git");

// The gate looks for a program and never runs it: which ones the machine has must not matter here.
const programs =
  "ls cat head tail wc rg grep find tree git jq sed awk cut sort uniq diff file stat du node npm which date env printenv nl xargs echo basename ps python3 sha256sum column less tsc uname timeout";
const path = process.env["PATH"] ?? "";
let bin = "";
let root = "";

beforeAll(async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "lastcall-everyday-")));
  root = join(folder, "project");
  bin = join(folder, "bin");
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, name)), { recursive: true });
    await writeFile(join(root, name), content);
  }
  if (hasGit) await makeRepository();
  await mkdir(bin);
  for (const name of programs.split(" ")) await writeFile(join(bin, name), "", { mode: 0o755 });
  process.env["PATH"] = `${bin}${delimiter}${path}`;
});

afterAll(async () => {
  process.env["PATH"] = path;
  await rm(dirname(root), { recursive: true, force: true });
});

async function makeRepository(): Promise<void> {
  const env = { ...plainVariables(), GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" };
  const who = ["-c", "user.name=a", "-c", "user.email=a@b"];
  for (const args of [
    ["init", "-q"],
    ["add", "."],
    [...who, "commit", "-q", "-m", "x"],
  ])
    await promisify(execFile)("git", args, { cwd: root, env });
}

/** True if the command runs by itself; false if somebody is asked, or it is denied. */
async function runsUnasked(command: string, walls: readonly Wall[] = []): Promise<boolean> {
  let asked = 0;
  const approver = (): boolean => {
    asked += 1;
    return true;
  };
  const frozen = {
    id: "1",
    name: "run_command",
    effect: "execute" as const,
    input: { command },
    reach: { command, folder: ".", walls },
  };
  const deciding = {
    signal: new AbortController().signal,
    session: command,
    preview: () => Promise.resolve(undefined),
  };
  const { allowed } = await gate({ root, tier: "workspace-write", approver }).decide(frozen, deciding);
  return allowed && asked === 0;
}

async function askedOf(commands: readonly string[], walls?: readonly Wall[]): Promise<readonly string[]> {
  const asked: string[] = [];
  for (const command of commands) if (!(await runsUnasked(command, walls))) asked.push(command);
  return asked;
}

test("the list has its parts", () => {
  expect(commandsOf("reads").length).toBeGreaterThanOrEqual(70);
  expect(commandsOf("builds")).toHaveLength(20);
  expect(commandsOf("asks")).toHaveLength(10);
});

test(`at most 10 of 70 commands that only read are asked about${hasGit ? "" : `; not those of git${without("git")}`}`, async () => {
  const asked = await askedOf(first.filter((command) => hasGit || !needsGit(command)));
  expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(10);
});

test("commands that build or write are asked about, unless a rule allows them", async () => {
  expect(await askedOf(commandsOf("builds"))).toEqual(commandsOf("builds"));
});

test("commands that reach out, print secrets or write elsewhere are all asked about or denied", async () => {
  expect(await askedOf(commandsOf("asks"))).toEqual(commandsOf("asks"));
});

const sandboxed: readonly Wall[] = ["files", "protected", "network", "home", "secrets"];

test("inside walls, at most 3 of the 90 commands that read or build are asked about", async () => {
  const asked = await askedOf([...first, ...commandsOf("builds")], sandboxed);
  expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(3);
});

test("inside walls, commands that reach out, print secrets or write elsewhere are all asked about or denied", async () => {
  expect(await askedOf(commandsOf("asks"), sandboxed)).toEqual(commandsOf("asks"));
});

test.skipIf(!hasGit)(`the page of figures says how many are asked about${without("git")}`, async () => {
  const page = await readFile(join(import.meta.dirname, "../../docs/what-was-tried.md"), "utf8");
  const row = (name: string): readonly string[] | undefined =>
    page
      .split("\n")
      .find((line) => line.includes(name))
      ?.split("|")
      .slice(2, 4)
      .map((cell) => cell.trim());
  const counts = async (commands: readonly string[]): Promise<readonly string[]> => [
    String((await askedOf(commands, sandboxed)).length),
    String((await askedOf(commands)).length),
  ];
  expect(row("of the first 70 that only read")).toEqual(await counts(first));
  expect(row("of 20 that build or change")).toEqual(await counts(commandsOf("builds")));
  expect(row("of 10 that must be asked")).toEqual(await counts(commandsOf("asks")));
});
