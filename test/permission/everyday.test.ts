// Everyday commands through the real gate, without any rule: few of those that only read are asked about, none that do more run.

import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { plainVariables } from "../../src/shell/index.js";
import { gate } from "../../src/permission/index.js";
import type { Permission, Wall } from "../../src/index.js";
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
  "ls cat head tail wc rg grep find tree git jq sed awk cut sort uniq diff file stat du node npm which date env printenv nl xargs echo basename ps python3 sha256sum column less tsc uname timeout bat xxd strings go cargo rustc java free lscpu make gcc tar unzip tac pgrep id nproc cmp od man mkdir touch rm cp mv";
const path = process.env["PATH"] ?? "";
let bin = "";
let root = "";
/** The gate of all decisions, and how often somebody was asked. */
let permission: Permission;
let asked = 0;

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
  const approver = (): boolean => {
    asked += 1;
    return true;
  };
  permission = gate({ root, tier: "workspace-write", approver });
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
  const before = asked;
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
  const { allowed } = await permission.decide(frozen, deciding);
  return allowed && asked === before;
}

async function askedOf(commands: readonly string[], walls?: readonly Wall[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const command of commands) if (!(await runsUnasked(command, walls))) found.push(command);
  return found;
}

test("the list has its parts, each command once and with its source", () => {
  expect(commandsOf("reads")).toHaveLength(153);
  expect([...commandsOf("builds"), ...commandsOf("asks")]).toHaveLength(40);
  expect(commandsOf("asks")).toHaveLength(10);
  expect(new Set(everyday.map(({ command }) => command)).size).toBe(193);
  expect(everyday.filter(({ source }) => source === "")).toEqual([]);
});

const reads = commandsOf("reads").filter((command) => hasGit || !needsGit(command));
const mayAsk = hasGit ? "" : `; not those of git${without("git")}`;

test(`without a sandbox, at most 8 of 153 commands that only read are asked about${mayAsk}`, async () => {
  const asked = await askedOf(reads);
  expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(8);
});

test("without a sandbox, commands that build or write are asked about, unless a rule allows them", async () => {
  expect(await askedOf(commandsOf("builds"))).toEqual(commandsOf("builds"));
});

test("commands that reach out, print secrets or write elsewhere are all asked about or denied", async () => {
  expect(await askedOf(commandsOf("asks"))).toEqual(commandsOf("asks"));
});

/** The walls of Landlock, and those of bubblewrap. */
const few: readonly Wall[] = ["files", "home"];
const all: readonly Wall[] = ["files", "protected", "network", "home", "secrets"];

test(`inside few walls, at most 8 of 153 commands that only read are asked about${mayAsk}`, async () => {
  const asked = await askedOf(reads, few);
  expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(8);
});

test("inside few walls, of those that build or write only the ones that make empty files run unasked", async () => {
  const asked = await askedOf(commandsOf("builds"), few);
  expect(commandsOf("builds").filter((command) => !asked.includes(command))).toEqual(["mkdir -p out", "touch a"]);
  expect(await askedOf(commandsOf("asks"), few)).toEqual(commandsOf("asks"));
});

test(`inside all walls, at most 2 of 153 commands that only read are asked about${mayAsk}`, async () => {
  const asked = await askedOf(reads, all);
  expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(2);
});

test("inside all walls, at most 6 of 30 commands that build or write are asked about", async () => {
  const asked = await askedOf(commandsOf("builds"), all);
  expect(asked.length, asked.join("\n")).toBeLessThanOrEqual(6);
});

test("inside all walls, commands that reach out, print secrets or write elsewhere are all asked about or denied", async () => {
  expect(await askedOf(commandsOf("asks"), all)).toEqual(commandsOf("asks"));
});

const page = await readFile(join(import.meta.dirname, "../../docs/what-was-tried.md"), "utf8");
const rowOf = (name: string): readonly string[] | undefined =>
  page
    .split("\n")
    .find((line) => line.includes(name))
    ?.split("|")
    .slice(2, 5)
    .map((cell) => cell.trim());
const isWritten = rowOf("of 153 that only read") !== undefined;

test.skipIf(!hasGit || !isWritten)(
  `the page of figures says how many are asked about${isWritten ? without("git") : " (left out: the page has no such rows)"}`,
  async () => {
    const counts = async (commands: readonly string[]): Promise<readonly string[]> => {
      const found: string[] = [];
      for (const walls of [all, few, []]) found.push(String((await askedOf(commands, walls)).length));
      return found;
    };
    expect(rowOf("of 153 that only read")).toEqual(await counts(commandsOf("reads")));
    expect(rowOf("of 30 that build or change")).toEqual(await counts(commandsOf("builds")));
    expect(rowOf("of 10 that must be asked")).toEqual(await counts(commandsOf("asks")));
  },
);
