import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openEventLog } from "../../../src/cli/show/event-log.js";
import { redactor, type Event } from "../../../src/index.js";
import { call, scriptedProvider, type Script } from "../../../src/testing/index.js";
import { without } from "../../programs.js";
import { inTerminal, noTerminal, runHere, temporary } from "../command.js";

const done = [call("task_completion", { result: "all done" })];
const secret = "hunter2hunter2";
const planted = `sk-proj-${"Ab3dEf9hIj".repeat(5)}`;

type Line = Readonly<Record<string, unknown>> & {
  readonly at: string;
  readonly session: string;
  readonly type: string;
};

async function linesIn(file: string): Promise<readonly Line[]> {
  const text = await readFile(file, "utf8");
  expect(text.endsWith("\n")).toBe(true);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

/** Runs the command on a scripted provider in one folder, with its event log in another. */
async function logged(script: Script, log: string, ...args: readonly string[]): ReturnType<typeof runHere> {
  await using provider = await scriptedProvider(script);
  await using folder = await temporary();
  const at = ["--base-url", provider.url, "--model", "m", "--workdir", folder.path, "--log", log];
  return await runHere([...at, ...args], { DEPLOY_TOKEN: secret });
}

describe("--log", () => {
  const touch = [call("run_command", { command: "touch made" })];
  const typesIn = async (log: string): Promise<readonly string[]> => (await linesIn(log)).map(({ type }) => type);

  test("- prints the events as they come, and the outcome in place of the answer", async () => {
    const { code, stdout } = await logged([touch, done], "-", "do it", "--no-sandbox", "--yes");
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Line);
    expect(code).toBe(0);
    expect(lines[0]).toMatchObject({ type: "run-start" });
    expect(lines.at(-1)).toMatchObject({
      type: "run-end",
      outcome: { status: "completed", value: { result: "all done" } },
    });
    expect(lines.some(({ type }) => type === "call-end")).toBe(true);
    expect(stdout).not.toMatch(/^all done$/m);
  });

  test("- is refused beside --json, and where standard output has something else", async () => {
    const both = await logged([done], "-", "do it", "--json");
    expect(both).toMatchObject({
      code: 4,
      stdout: "",
      stderr: expect.stringContaining("both print to standard output"),
    });
    const chat = await logged([done], "-", "chat");
    expect(chat).toMatchObject({ code: 4, stdout: "", stderr: expect.stringContaining("Name a file: --log FILE.") });
  });

  test("has no call-asking if nobody is there, and none of a call that is parked", async () => {
    await using place = await temporary();
    const log = join(place.path, "log.jsonl");
    const refused = await logged([touch, done], log, "do it", "--no-sandbox");
    expect(refused.stderr).toContain("nobody was there to ask");
    const parked = await logged([touch], log, "do it", "--no-sandbox", "--park", "--sessions", join(place.path, "s"));
    expect(parked.code).toBe(3);
    expect(await typesIn(log)).toEqual(expect.arrayContaining(["call-decision", "call-parked"]));
    expect(await typesIn(log)).not.toContain("call-asking");
  });

  test.skipIf(noTerminal)(
    `has call-asking with the rule while a person is asked at a terminal${noTerminal}`,
    async () => {
      await using place = await temporary();
      await using provider = await scriptedProvider([touch, done]);
      const log = join(place.path, "log.jsonl");
      const { child, ended, seen } = inTerminal(
        `"do it" --no-sandbox --base-url ${provider.url} --model m --workdir ${place.path} --log ${log}`,
      );
      await seen("Allow it? [y/N");
      expect((await linesIn(log)).at(-1)).toMatchObject({
        type: "call-asking",
        name: "run_command",
        why: expect.stringContaining("touch"),
        rule: "run_command(touch made)",
      });
      child.stdin?.write("y\r");
      const { stdout } = await ended;
      expect(stdout).not.toContain("asks for an approval");
      expect(existsSync(join(place.path, "made"))).toBe(true);
    },
  );

  test("appends a line for each event with its time and session, leaves out pieces of replies, and continues after a resume", async () => {
    await using place = await temporary();
    const log = join(place.path, "log.jsonl");
    const sessions = ["--sessions", join(place.path, "s")];
    const asked = await logged([[call("ask_question", { question: "Which?" })]], log, "do it", ...sessions);
    expect(asked.code).toBe(3);
    const first = await linesIn(log);
    expect(first[0]).toMatchObject({ type: "run-start", input: "do it" });
    expect(first.at(-1)).toMatchObject({ type: "run-end", outcome: { status: "waiting" } });
    expect(first.at(-1)?.["outcome"]).not.toHaveProperty("session");
    expect(new Set(first.map(({ session }) => session)).size).toBe(1);
    for (const { at } of first) expect(new Date(at).toISOString()).toBe(at);
    expect(first.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["request-start", "reply-end", "call-start", "claim-accepted"]),
    );
    expect(first.some(({ type }) => type.endsWith("-delta"))).toBe(false);
    expect((await stat(log)).mode & 0o777).toBe(0o600);

    const answered = await logged([done], log, "resume", first[0]!.session, "that one", ...sessions);
    expect(answered.code).toBe(0);
    const all = await linesIn(log);
    expect(all.slice(0, first.length)).toEqual(first);
    expect(all.at(-1)).toMatchObject({ session: first[0]!.session, outcome: { status: "completed" } });
  });

  test("has no secret in arguments, names of arguments, results, errors, or words of the model or the user", async () => {
    await using place = await temporary();
    const log = join(place.path, "log.jsonl");
    const script: Script = [
      { text: `I use ${planted}.`, calls: [call("write_file", { path: "k.txt", content: `key ${secret}` })] },
      [call("read_file", { path: "k.txt" })],
      [call("read_file", { path: `${secret}.txt` })],
      [call("read_file", { [planted]: "k.txt" })],
      [call("run_command", { command: `echo ${secret} >&2; exit 2` })],
      [call("look", { at: secret })],
      { status: 400, message: `bad key ${planted}` },
    ];
    const { code } = await logged(script, log, `use ${secret}`, "--yes");
    expect(code).toBe(1);
    const text = await readFile(log, "utf8");
    expect((await linesIn(log)).length).toBeGreaterThan(20);
    expect(text).toContain("[redacted: value]");
    expect(text).toContain("[redacted: key]");
    for (const whole of [secret, planted]) expect(text).not.toContain(whole);
  });

  test("is a file that no tool of the run can write", async () => {
    await using provider = await scriptedProvider([[call("write_file", { path: "log.jsonl", content: "" })], done]);
    await using folder = await temporary();
    const log = join(folder.path, "log.jsonl");
    const at = ["--base-url", provider.url, "--model", "m", "--workdir", folder.path];
    const { stderr } = await runHere(["do it", ...at, "--log", log, "--yes"]);
    expect(stderr).toContain("denied This call was not allowed");
    expect((await linesIn(log)).at(-1)?.type).toBe("run-end");
  });

  describe("that can't be written is said before anything happens:", () => {
    async function expectRefused(log: string): Promise<void> {
      await using provider = await scriptedProvider([done]);
      const at = ["--base-url", provider.url, "--model", "m"];
      const { code, stdout, stderr } = await runHere(["do it", ...at, "--log", log]);
      expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
      expect(stderr).toContain(`lastcall: --log ${log} can't be written: `);
      expect(provider.requests).toHaveLength(0);
    }

    test("in a folder that is not there, or where a folder is", async () => {
      await using place = await temporary();
      await expectRefused(join(place.path, "no/such/log"));
      await expectRefused(place.path);
    });

    const noPipe = without("mkfifo");
    test.skipIf(noPipe)(`a named pipe${noPipe}`, async () => {
      await using place = await temporary();
      execFileSync("mkfifo", [join(place.path, "pipe")]);
      await expectRefused(join(place.path, "pipe"));
    });
  });

  const noFull = existsSync("/dev/full") ? "" : " (left out: there is no /dev/full)";
  test.skipIf(noFull)(`on a disk that is full is said once, and the run goes on${noFull}`, async () => {
    const { code, stdout, stderr } = await logged([[call("list_files")], done], "/dev/full", "do it");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "all done\n" });
    expect(stderr.match(/--log \/dev\/full: ENOSPC[^\n]*the run goes on\./g)).toHaveLength(1);
  });
});

test("an incomplete line stays one line, and an existing file keeps its mode", async () => {
  await using place = await temporary();
  const log = join(place.path, "log.jsonl");
  await writeFile(log, '{"torn": ', { mode: 0o640 });
  const events = openEventLog(log, { secrets: redactor(), say: () => undefined });
  events.write({ type: "iteration-start", iteration: 1 }, 0);
  const endless: Record<string, unknown> = {};
  endless["self"] = endless;
  const odd = { type: "call-progress", callId: "1", progress: endless } satisfies Event;
  events.write(odd, 0);
  events.close();
  events.write(odd, 0);
  const lines = (await readFile(log, "utf8")).split("\n");
  expect(lines).toEqual([
    '{"torn": ',
    '{"at":"1970-01-01T00:00:00.000Z","type":"iteration-start","iteration":1}',
    expect.stringMatching(/"type":"call-progress","unwritable":".*circular.*"/),
    "",
  ]);
  expect((await stat(log)).mode & 0o777).toBe(0o640);
});
