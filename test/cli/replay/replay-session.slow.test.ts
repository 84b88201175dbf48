import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, scriptedProvider, type Script } from "../../../src/testing/index.js";
import { findSandbox } from "../../../src/tools/index.js";
import { runHere, type Ended } from "../command.js";

const script: Script = [
  [call("read_file", { path: "a.txt" }), call("list_files", { path: "." })],
  [call("write_file", { path: "b.txt", content: "hello" })],
  [call("run_command", { command: "node -e 0" })],
  [call("task_completion", { result: "Copied." })],
];

const rights = ["--yes", "--no-sandbox", "--no-config"];

/** A stored session of the command, and the folder that it worked in, as it was before. */
interface Recorded {
  readonly sessions: string;
  readonly id: string;
  readonly before: string;
}

async function recorded(args: readonly string[] = rights, said: Script = script): Promise<Recorded> {
  const home = mkdtempSync(join(tmpdir(), "replay-"));
  const [folder, before, sessions] = ["work", "before", "sessions"].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ];
  cpSync(mkdtempSync(join(tmpdir(), "empty-")), folder, { recursive: true });
  writeFileSync(join(folder, "a.txt"), "hello\n");
  writeFileSync(join(folder, "AGENTS.md"), "Be exact.");
  cpSync(folder, before, { recursive: true });
  await using provider = await scriptedProvider(said);
  const server = ["--model", "m", "--base-url", provider.url, "--sessions", sessions, "--workdir", folder];
  const live = await runHere([...server, ...args, "Copy a.txt"]);
  expect(live).toMatchObject({ code: 0, stdout: "Copied.\n" });
  const { stdout } = await runHere(["sessions", "--sessions", sessions]);
  return { sessions, id: stdout.split(" ")[0] ?? "", before };
}

/** Replays in the folder as it was, without the server and without a key. */
function again({ sessions, id, before }: Recorded, args: readonly string[] = rights): Promise<Ended> {
  return runHere(["replay", id, "--sessions", sessions, "--workdir", before, ...args], { OPENAI_API_KEY: "" });
}

test("a session of the command replays in another folder, without its server, a key or a call", async () => {
  const run = await recorded();
  const bytes = bytesIn(run.sessions);
  const { code, stdout } = await again(run);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: 'It goes the same way.\nends as it did: completed by task_completion: {"result":"Copied."}\n',
  });
  expect(readdirSync(run.before)).toEqual(["AGENTS.md", "a.txt"]);
  expect(bytesIn(run.sessions)).toEqual(bytes);
});

test.each<[string, readonly string[], (run: Recorded) => void, readonly string[]]>([
  [
    "instructions of the folder",
    rights,
    ({ before }) => {
      writeFileSync(join(before, "AGENTS.md"), "Be quick.");
    },
    ["departs at 1/model:1 (request)", "Be exact.", "Be quick."],
  ],
  [
    "a tool that is gone",
    [...rights, "--no-explore"],
    () => undefined,
    ["departs at 1/model:1", "tool explore is gone"],
  ],
  [
    "an added check",
    [...rights, "--until", "true"],
    () => undefined,
    ["departs at 1/baseline (check)", "check true is new"],
  ],
  [
    "a changed file, with --read",
    [...rights, "--read"],
    ({ before }) => {
      writeFileSync(join(before, "a.txt"), "hullo\n");
    },
    ["departs at 1/call:1:0 (result)", "hello", "hullo"],
  ],
  [
    "a rule that forbids",
    [...rights, "--deny", "run_command(node *)"],
    () => undefined,
    ["departs at 1/call:3:0 (decision)", 'was "allowed" and is "refused"'],
  ],
  [
    "rights that were not given again",
    ["--no-sandbox", "--no-config"],
    () => undefined,
    ["departs at 1/call:3:0 (decision)", 'was "by the rules" and is "by a person"'],
  ],
])("%s is named at its first departure", async (_name, args, change, words) => {
  const run = await recorded();
  change(run);
  const { code, stdout } = await again(run, args);
  expect(code).toBe(2);
  for (const word of words) expect(stdout).toContain(word);
});

test("the report is JSON for programs", async () => {
  const { code, stdout } = await again(await recorded(), [...rights, "--json"]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    ...{ identical: true, departures: [], unsaid: 0 },
    session: { records: expect.arrayContaining([expect.objectContaining({ type: "claim" })]) },
  });
});

test.each([
  [["replay"], "lastcall replay needs the id of a session"],
  [["replay", "none"], "There is no session none"],
])("%j is refused", async (words, message) => {
  const sessions = mkdtempSync(join(tmpdir(), "none-"));
  const { code, stderr } = await runHere([...words, "--sessions", sessions, "--no-config"]);
  expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining(message) });
});

test("bisect is refused without two agents", async () => {
  const { sessions, id } = await recorded();
  const { code, stderr } = await runHere(["bisect", id, "--sessions", sessions, "--no-config"]);
  expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining("needs two agents") });
});

test("--live is refused if a command of the session has no walls", async () => {
  const { code, stderr } = await again(await recorded(), [...rights, "--live"]);
  expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining("There is no sandbox") });
});

const sandbox = await findSandbox({ root: tmpdir(), writable: true });
const noSandbox = sandbox.ok ? "" : ` (left out: ${sandbox.reason})`;

test.skipIf(noSandbox !== "")(`with --live, all runs in a copy of the folder${noSandbox}`, async () => {
  const args = ["--yes", "--no-config"];
  const run = await recorded(args);
  const same = await again(run, [...args, "--live"]);
  expect(same).toMatchObject({ code: 0, stdout: expect.stringContaining("It goes the same way.") });
  expect(same.stderr).toContain("in a copy of ");
  expect(readdirSync(run.before)).toEqual(["AGENTS.md", "a.txt"]);

  const failing = await again(run, [...args, "--live", "--until", "test -f c.txt"]);
  expect(failing.code).toBe(2);
  expect(failing.stdout).toContain("check test -f c.txt is new");
  expect(failing.stdout).toContain("goes on with 1/model:5");
});

test("--live is refused if a recorded call may reach beyond the copy", async () => {
  const module = join(mkdtempSync(join(tmpdir(), "module-")), "send.mjs");
  writeFileSync(
    module,
    `export const send = ({ tool }) => tool({ name: "send", description: "Sends.", effect: "write", input: { type: "object", properties: {} }, run: () => "Sent." });\n`,
  );
  const args = [...rights, "--tools", module];
  const run = await recorded(args, [[call("send")], [call("task_completion", { result: "Copied." })]]);
  const { code, stderr } = await again(run, [...args, "--live"]);
  expect({ code, stderr }).toMatchObject({
    code: 4,
    stderr: expect.stringContaining("called send, which may reach beyond a copy"),
  });
});

function bytesIn(folder: string): readonly (readonly [string, string])[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), "utf8")] as const);
}
