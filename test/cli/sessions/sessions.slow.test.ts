// Sessions of the command: a question of one process, an answer by another, a resume after kill -9.

import { readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createAgent } from "../../../src/index.js";
import { listSessions } from "../../../src/cli/sessions/sessions.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { call, scriptedModel, scriptedProvider, type Script } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { pause } from "../../programs.js";
import { run, runHere, start, temporary, type Ended, type Started } from "../command.js";

interface Place extends AsyncDisposable {
  readonly path: string;
  readonly go: (...args: readonly string[]) => Promise<Ended>;
  readonly begin: (...args: readonly string[]) => Started;
  readonly bodies: () => readonly string[];
}

/** A working directory, a folder for sessions beside it, and a provider. */
async function place(script: Script, running = runHere): Promise<Place> {
  const provider = await scriptedProvider(script);
  const folder = await temporary();
  const work = ["--base-url", provider.url, "--model", "m", "--workdir", folder.path, "--yes"];
  const sessions = ["--sessions", join(folder.path, "sessions")];
  const words = (args: readonly string[]): readonly string[] =>
    ["sessions", "show", "fork", "prune"].includes(args[0] ?? "")
      ? [...args, ...sessions]
      : [...args, ...work, ...sessions];
  return {
    path: folder.path,
    go: (...args) => running(words(args)),
    begin: (...args) => start(words(args)),
    bodies: () => provider.requests.map(({ body }) => JSON.stringify(body.messages)),
    async [Symbol.asyncDispose]() {
      await provider.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

const question = [call("ask_question", { question: "Which colour?", suggestions: ["red", "blue"] })];
const painter: Script = ({ lastText }) =>
  lastText.includes("blue") ? [call("task_completion", { result: "It is blue." })] : question;

const idIn = ({ stderr }: Ended): string => /lastcall resume (\S+)/.exec(stderr)?.[1] ?? "";

test("a title had line breaks as \\n and families as codes; it is one line, and the folder is told if it is another", async () => {
  await using here = await place([[call("task_completion", { result: "Done." })]]);
  await here.go(`Greet\n  the 👨‍👩‍👧 ${"and all ".repeat(20)}`);
  const { stdout } = await here.go("sessions");
  expect(stdout).toMatch(/ {2}Greet the 👨‍👩‍👧 (?:and all )+.{0,7}…\n$/u);
  expect(stdout).toContain(`  completed  ${here.path}  Greet`);
  const store = memoryStore();
  const session = openSession({ store, id: "s", about: { workdir: here.path } });
  await createAgent({
    model: scriptedModel([[call("task_completion", { result: "Done." })]]),
    tools: [taskCompletion()],
  }).run("Greet", { session });
  expect((await listSessions(store, here.path))[0]).toMatch(/ {2}completed {2}Greet$/);
  expect((await listSessions(store, "/"))[0]).toContain(`  ${here.path}  Greet`);
});

describe("a question", () => {
  test("of one process is answered by another, and a third sees the session completed; a second answer changes nothing", async () => {
    await using here = await place(painter, run);
    const asked = await here.go("Paint the fence");
    expect({ code: asked.code, stdout: asked.stdout }).toEqual({ code: 3, stdout: "" });
    const id = idIn(asked);
    expect(asked.stderr).toContain(
      `Which colour?\n  1. red\n  2. blue\nTo answer: lastcall resume ${id} "your answer", or the number of one\n`,
    );

    const answered = await here.go("resume", id, "blue, please");
    expect({ code: answered.code, stdout: answered.stdout }).toEqual({ code: 0, stdout: "It is blue.\n" });
    expect(here.bodies()[1]).toContain("blue, please");

    const listed = await here.go("sessions");
    expect(listed.stdout).toMatch(
      new RegExp(`^${id} {2}\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d {2}completed {2}${here.path} {2}Paint the fence\n$`),
    );
    const journal = join(here.path, "sessions", id, "journal.jsonl");
    const before = await readFile(journal, "utf8");
    const other = await here.go("resume", id, "red");
    expect(other.code).toBe(4);
    expect(other.stderr).toContain(`The session ${id} is completed and waits for no answer.`);
    const again = await here.go("resume", id, "blue, please");
    expect({ code: again.code, stdout: again.stdout }).toEqual({ code: 0, stdout: "It is blue.\n" });
    expect(await readFile(journal, "utf8")).toBe(before);
    expect((await stat(journal)).mode & 0o777).toBe(0o600);
    expect(here.bodies()).toHaveLength(2);
  });

  test("that gets the same answer twice at once has one answer, and both processes see the same end", async () => {
    await using here = await place(painter, run);
    const id = idIn(await here.go("Paint the fence"));
    const ends = await Promise.all([here.go("resume", id, "2"), here.go("resume", id, "blue")]);
    expect(ends.map(({ code, stdout }) => [code, stdout])).toEqual([
      [0, "It is blue.\n"],
      [0, "It is blue.\n"],
    ]);
    expect(here.bodies()).toHaveLength(2);
    const shown = await here.go("show", id);
    expect(shown.stdout.match(/answer: blue/g)).toHaveLength(1);
  });
});

test("a session whose process was killed during a command is resumed: nothing runs twice, and the model is told", async () => {
  const script: Script = ({ number, lastText }) => {
    if (number === 1) return [call("run_command", { command: `echo once >> effects; ${pause(60)}` })];
    return [call("task_completion", { result: lastText.includes("unknown") ? "I looked." : "?" })];
  };
  await using here = await place(script, run);
  const { child, ended } = here.begin("Do it");
  const effects = join(here.path, "effects");
  while ((await readFile(effects, "utf8").catch(() => "")) === "")
    await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill("SIGKILL");
  expect((await ended).code).toBe(null);
  const { stdout } = await here.go("sessions");
  expect(stdout).toContain(`  unfinished  ${here.path}  Do it\n`);
  const id = stdout.split(" ")[0] ?? "";
  // Half a line, as a crash during a write leaves it.
  const journal = join(here.path, "sessions", id, "journal.jsonl");
  await writeFile(journal, '{"type":"resu', { flag: "a" });
  const resumed = await here.go("resume", id.slice(0, -2));
  expect({ code: resumed.code, stdout: resumed.stdout }).toEqual({ code: 0, stdout: "I looked.\n" });
  expect(resumed.stderr).toContain(
    "had a last line that was not written whole. Nobody was told that it was kept; it is dropped.",
  );
  expect(await readFile(effects, "utf8")).toBe("once\n");
});

test("a message to a busy session reaches its run, and both processes see the end", async () => {
  const script: Script = ({ lastText, number }) => {
    if (lastText.includes("faster")) return [call("task_completion", { result: "Faster now." })];
    return { calls: [call("list_files", { path: `.${"/.".repeat(number)}` })], delay: 150 };
  };
  await using here = await place(script);
  const { seen, ended } = here.begin("Work on it", "--verbose");
  await seen("[2]");
  const id = (await here.go("sessions")).stdout.split(" ")[0] ?? "";
  const sent = await here.go("resume", id, "faster, please");
  const worked = await ended;
  expect([worked.stdout, sent.stdout]).toEqual(["Faster now.\n", "Faster now.\n"]);
  expect(worked.stderr).toContain("you: faster, please");
});

test("a session is shown record by record, and can be copied up to any of them", async () => {
  await using here = await place(painter);
  const id = idIn(await here.go("Paint the fence"));
  const shown = await here.go("show", id);
  expect(shown.stdout).toContain("    0  input: Paint the fence\n");
  expect(shown.stdout).toContain('    1  calls ask_question {"question":"Which colour?"');
  const json = JSON.parse((await here.go("show", id, "--json")).stdout) as { readonly records: readonly unknown[] };
  expect(json.records.length).toBeGreaterThan(4);
  const forked = await here.go("fork", `${id}@1`);
  const copy = forked.stdout.trim();
  expect(copy).not.toBe(id);
  expect((await here.go("resume", copy, "Paint it blue")).stdout).toBe("It is blue.\n");
  expect((await here.go("sessions")).stdout.split("\n").filter(Boolean)).toHaveLength(2);
});

test("prune deletes old sessions and nothing else", async () => {
  await using here = await place(painter);
  const old = idIn(await here.go("Paint the fence"));
  const fresh = idIn(await here.go("Paint the gate"));
  const monthAgo = Date.now() / 1000 - 31 * 24 * 3600;
  await utimes(join(here.path, "sessions", old, "journal.jsonl"), monthAgo, monthAgo);
  const pruned = await here.go("prune", "30d");
  expect(pruned).toMatchObject({ code: 0, stdout: `${old}\n` });
  expect(pruned.stderr).toMatch(/^1 session is deleted from files in .*\n$/);
  expect(await readdir(join(here.path, "sessions"))).toEqual([fresh]);
  const refused = await here.go("prune", "soon");
  expect(refused.code).toBe(4);
  expect(refused.stderr).toContain('"soon" is no age of sessions to delete, such as 12h, 30d or 4w');
});

describe("a resumed session", () => {
  const finishing: Script = ({ number }) =>
    number === 1 ? question : [call("task_completion", { result: "It is blue." })];

  test("has the folder, the model and the checks of its first run, and says so", async () => {
    await using here = await place(finishing);
    const id = idIn(await here.go("Paint the fence", "--until", "test -f painted", "--attempts", "1"));
    const sessions = ["--sessions", join(here.path, "sessions")];
    const refused = await runHere(["resume", id, "blue", ...sessions]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`goes on with --workdir ${here.path} --model m --base-url http://127.0.0.1:`);
    expect(refused.stderr).toContain(` --until 'test -f painted' --attempts 1\n`);
    await writeFile(join(here.path, "painted"), "");
    expect(await runHere(["resume", id, ...sessions])).toMatchObject({ code: 0, stdout: "It is blue.\n" });
  });

  test("uses an option that is given again, and never an earlier permission", async () => {
    await using provider = await scriptedProvider(({ number }) =>
      number === 1
        ? question
        : number === 2
          ? [call("run_command", { command: "echo x > here" })]
          : [call("task_completion", { result: "done" })],
    );
    await using folder = await temporary();
    const place = ["--sessions", join(folder.path, "sessions"), "--workdir", folder.path];
    const id = idIn(
      await runHere(["Paint", "--base-url", provider.url, "--model", "m", "--yes", "--until", "false", ...place]),
    );
    const done = await runHere([
      "resume",
      id,
      "blue",
      "--until",
      "true",
      "--no-sandbox",
      "--sessions",
      join(folder.path, "sessions"),
    ]);
    expect(done).toMatchObject({ code: 0, stdout: "done\n" });
    expect(done.stderr).toContain("nobody is there to approve it");
    expect(await readdir(folder.path)).toEqual(["sessions"]);
  });
});

describe("notes", () => {
  const noting: Script = ({ number }) =>
    number === 1
      ? [call("add_note", { text: "The fence is oak.", tags: ["fence"] })]
      : [call("task_completion", { result: "Noted." })];

  test("are stored with the session, and another session begins with them", async () => {
    await using here = await place(noting);
    expect((await here.go("Look at the fence", "--notes")).code).toBe(0);
    const id = (await here.go("sessions")).stdout.split(" ")[0] ?? "";
    const second = await here.go("Paint it", "--notes-from", id.slice(0, -1));
    expect({ code: second.code, stdout: second.stdout }).toEqual({ code: 0, stdout: "Noted.\n" });
    const [first, , paint] = here.bodies();
    expect(first).not.toContain("oak");
    expect(paint).toContain("n1 [fence]: The fence is oak.");
    const ids = [...(await here.go("sessions")).stdout.matchAll(/^\S+/gm)].map(([other]) => other);
    const shown = await here.go("show", ids.find((other) => other !== id) ?? "");
    expect(shown.stdout).toContain("noted before: n1 [fence]: The fence is oak.");
  });

  test("of a session that is not there can't be begun with, and a window that is too small can't be used", async () => {
    await using here = await place(noting);
    const none = await here.go("Paint it", "--notes-from", "nothing");
    expect(none.code).toBe(4);
    expect(none.stderr).toContain("There is no session nothing in files in");
    const small = await here.go("Paint it", "--window", "999");
    expect(small.code).toBe(4);
    expect(small.stderr).toContain("window is 999: give a whole number of at least 1000.");
    expect(here.bodies()).toEqual([]);
  });
});

test("--no-save keeps nothing, and what can't be found is said", async () => {
  await using here = await place(painter);
  const { code, stderr } = await runHere(["x", "--no-save", "--sessions", here.path]);
  expect({ code, stderr }).toEqual({
    code: 4,
    stderr:
      "lastcall: --sessions says where to keep the session, and --no-save to keep none; give one. See lastcall --help.\n",
  });
  const none = await here.go("resume", "nothing");
  expect(none.code).toBe(4);
  expect(none.stderr).toContain("There is no session nothing in files in");
  const folder = await temporary();
  await using provider = await scriptedProvider(painter);
  const args = ["Paint", "--no-save", "--base-url", provider.url, "--model", "m", "--workdir", folder.path];
  const unsaved = await runHere(args, { XDG_STATE_HOME: folder.path });
  expect(unsaved.code).toBe(3);
  expect(unsaved.stderr).not.toContain("lastcall resume");
  expect(await readdir(folder.path)).toEqual([]);
  await folder[Symbol.asyncDispose]();
});
