import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fileStore, openSession } from "../../src/memory/index.js";
import { call, scriptedProvider, type Script } from "../../src/testing/index.js";
import { findSandbox } from "../../src/tools/index.js";
import { isRunning } from "../chaos/processes.js";
import { pause, printEnvironment } from "../programs.js";
import { inTerminal, noTerminal, run, runHere, start, temporary, type Ended } from "./command.js";

const done = [call("task_completion", { result: "all done" })];
const write = [call("write_file", { path: "note.txt", content: "hello" })];

/** Runs the command on a scripted provider in an empty folder. */
async function on(script: Script, ...args: readonly string[]): Promise<Ended & { readonly body: string }> {
  await using provider = await scriptedProvider(script);
  await using folder = await temporary();
  const ended = await runHere(["do it", "--base-url", provider.url, "--model", "m", "--workdir", folder.path, ...args]);
  return { ...ended, body: JSON.stringify(provider.requests[0]?.body) };
}

test("a completed run prints the answer alone on standard output, progress on standard error, and exits 0", async () => {
  await using provider = await scriptedProvider([[call("list_files")], done]);
  const { code, stdout, stderr } = await run(["do it", "--base-url", provider.url, "--model", "m"]);
  expect(code).toBe(0);
  expect(stdout).toBe("all done\n");
  expect(stderr).toContain("[1]  list_files");
  expect(stderr.trimEnd().split("\n").at(-1)).toMatch(
    /^completed, unchecked · 2 iterations · tokens not reported · [\d.]+ m?s$/,
  );
});

test("--json prints the whole outcome, and its session can be resumed", async () => {
  const { code, stdout } = await on([done], "--json");
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    status: "completed",
    by: "task_completion",
    value: { result: "all done" },
    iterations: 1,
    session: { version: 1 },
  });
});

test("--quiet leaves standard error empty; --verbose shows requests and results", async () => {
  expect(await on([done], "--quiet")).toMatchObject({ code: 0, stdout: "all done\n", stderr: "" });
  const { stderr } = await on([[call("list_files")], done], "--verbose");
  expect(stderr).toContain("asking, with 1 message\n");
  expect(stderr).toMatch(/\| system: You are a careful engineer[^]*\| tools: [^]*list_files[^]*\| user: do it\n/);
  expect(stderr.match(/\| user: do it/g)).toHaveLength(1);
  expect(stderr).toMatch(/asking, with 3 messages\n *\| assistant: calls list_files \{\}\n *\| tool: /);
});

test("a question without a terminal exits 3, and prints the question and the command to answer it on standard error alone", async () => {
  const { code, stdout, stderr } = await on([[call("ask_question", { question: "Which port?" })]]);
  expect(code).toBe(3);
  expect(stdout).toBe("");
  expect(stderr).toContain("Which port?");
  expect(stderr).toMatch(/To answer: lastcall resume \S+ "your answer"/);
});

test("--no-input takes away the question", async () => {
  const { code, body } = await on([[call("ask_question", { question: "Which port?" })], done], "--no-input");
  expect(code).toBe(0);
  expect(body).not.toContain("ask_question");
});

test("without a terminal files are written, and a command is refused with the rule that would allow it; --yes runs it", async () => {
  const other = [call("run_command", { command: "node -e 0" })];
  const denied = await on([write, other, done], "--no-sandbox");
  expect(denied.code).toBe(0);
  expect(denied.stderr).toContain("ok new, 1 line");
  expect(denied.stderr).toContain("nobody is there to approve it");
  expect(denied.stderr).toContain("--allow 'run_command(node -e 0)', or --yes would let it through.");
  const allowed = await on([other, done], "--no-sandbox", "--allow", "run_command(node -e 0)");
  expect(allowed.stderr).toContain("ok exit 0, no output");
  const readOnly = await on([write, done], "--tier", "read-only");
  expect(readOnly.stderr).toContain("the tier is read-only");

  await using provider = await scriptedProvider([
    write,
    [call("run_command", { command: "read note < note.txt; echo $note" })],
    done,
  ]);
  await using folder = await temporary();
  const { code } = await runHere([
    "do it",
    "--base-url",
    provider.url,
    "--model",
    "m",
    "--workdir",
    folder.path,
    "--yes",
  ]);
  expect(code).toBe(0);
  expect(await readFile(join(folder.path, "note.txt"), "utf8")).toBe("hello");
  expect(JSON.stringify(provider.requests[2]!.body.messages.at(-1))).toContain("hello");
});

test("the hint about a refused call is true: --yes is not named for a call that a person has to allow", async () => {
  const instructions = [call("write_file", { path: "AGENTS.md", content: "x" })];
  const named = await on([instructions, done], "--yes");
  expect(named.stderr).toContain("--allow 'write_file(AGENTS.md)' would let it through.");
  expect(named.stderr).not.toContain("--yes would");
  const hidden = [call("run_command", { command: "$(cat line)" })];
  const opaque = await on([hidden, done], "--yes", "--deny", "run_command(rm *)");
  expect(opaque.stderr).toContain("Only a person at a terminal can allow it.");
});

test("the start says how commands run: in a sandbox, with or without the network, or why there is none", async () => {
  const found = await findSandbox({ root: import.meta.dirname, writable: false });
  const { ok } = found;
  const hasNetworkWall = found.ok && found.shell.walls.includes("network");
  const first = async (...args: readonly string[]): Promise<string> =>
    (await on([done], ...args)).stderr.split("\n")[0]!;
  expect(await first()).toContain(
    hasNetworkWall ? "there is no network." : ok ? "asked about all the same." : "There is no sandbox",
  );
  expect(await first("--network")).toContain(
    ok
      ? "the network is open. These are not all walls, so commands are asked about all the same."
      : "There is no sandbox",
  );
  expect(await first("--no-sandbox")).toContain("Commands run without a sandbox");
  expect(await first("--tier", "full-access")).toContain("Commands run without a sandbox");
  await using provider = await scriptedProvider([done]);
  const without = await run(["do it", "--base-url", provider.url, "--model", "m"], { PATH: "/nowhere" });
  const why =
    process.platform === "linux"
      ? "bubblewrap is not installed (there is no bwrap on the PATH). The package is named bubblewrap. Landlock "
      : "";
  if (process.platform !== "darwin")
    expect(without.stderr).toContain(
      `There is no sandbox, so a command that is allowed can do whatever you can. The reason: ${why}`,
    );
});

test("--dry-run changes nothing, lets the model read its writes, and lists the planned changes in order", async () => {
  await using provider = await scriptedProvider([
    [call("run_command", { command: "npm ci" })],
    write,
    [call("edit_file", { path: "note.txt", edits: [{ search: "hello", replace: "bye" }] })],
    [call("read_file", { path: "note.txt" })],
    [call("run_command", { command: "npm test", working_dir: "." })],
    done,
  ]);
  await using folder = await temporary();
  const at = ["--base-url", provider.url, "--model", "m", "--workdir", folder.path];
  const { code, stderr } = await runHere(["do it", ...at, "--dry-run", "--until", "false"]);
  expect(code).toBe(0);
  expect(await readdir(folder.path)).toEqual([]);
  expect(JSON.stringify(provider.requests[4]?.body.messages.at(-1))).toContain("bye");
  expect(stderr).toContain("The checks were not run either, so nothing is verified.");
  const plan = stderr.slice(stderr.indexOf("Dry run:"));
  expect(plan).toMatch(
    /^Dry run: nothing was changed or run\. [^]*run npm ci\nwrite note\.txt\n[^]*\+hello\n[^]*write note\.txt\n[^]*-hello\n[^]*\+bye\n[^]*run npm test/,
  );
});

test("no tool writes to the folder of the sessions, or to the files that grant rights", async () => {
  await using provider = await scriptedProvider([
    [call("write_file", { path: "kept [1]/x.jsonl", content: "forged" })],
    [call("write_file", { path: "lastcall.config.yaml", content: "yes: true" })],
    [call("run_command", { command: "echo x > lastcall.config.yaml" })],
    done,
  ]);
  await using folder = await temporary();
  const at = ["--base-url", provider.url, "--model", "m", "--workdir", folder.path];
  const { stderr } = await runHere(["do it", ...at, "--sessions", join(folder.path, "kept [1]"), "--yes"]);
  expect(stderr.match(/denied This call was not allowed/g)).toHaveLength(3);
  expect(await readdir(folder.path)).toEqual(["kept [1]"]);
});

test("files that a rule forbids to read are left out of lists and searches", async () => {
  await using provider = await scriptedProvider([
    [call("list_files", {}), call("search_files", { pattern: "word" }), call("read_file", { path: "secret/a.txt" })],
    done,
  ]);
  await using folder = await temporary();
  await mkdir(join(folder.path, "secret"));
  await writeFile(join(folder.path, "secret/a.txt"), "the word\n");
  await writeFile(join(folder.path, "b.txt"), "another word\n");
  const at = ["--base-url", provider.url, "--model", "m", "--workdir", folder.path];
  const { stderr } = await runHere(["do it", ...at, "--deny", "read(secret/**)"]);
  const results = JSON.stringify(provider.requests[1]?.body.messages.slice(-3));
  expect(results).toContain("another word");
  expect(results).not.toContain("the word");
  expect(stderr).toContain("the rule read(secret/**) forbids");
});

test("keys from the environment are in no request, no log and no stored session, even if a tool prints them", async () => {
  await using folder = await temporary();
  await writeFile(join(folder.path, "config.txt"), "the code is hunter2hunter2\n");
  await using provider = await scriptedProvider([[call("read_file", { path: "config.txt" })], done]);
  const at = [
    "--base-url",
    provider.url,
    "--model",
    "m",
    "--workdir",
    folder.path,
    "--sessions",
    join(folder.path, "s"),
  ];
  const { stderr, stdout } = await runHere(["do it", ...at, "--verbose", "--json"], { DEPLOY_TOKEN: "hunter2hunter2" });
  const kept = await Promise.all(
    (await readdir(join(folder.path, "s"), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => readFile(join(entry.parentPath, entry.name), "utf8")),
  );
  expect(kept.length).toBeGreaterThan(0);
  const requests = JSON.stringify(provider.requests.map(({ body }) => body));
  for (const text of [stderr, stdout, requests, ...kept]) expect(text).not.toContain("hunter2");
  expect(requests).toContain("[redacted: value]");
});

describe("every other end has its own exit code and nothing on standard output:", () => {
  test.each<[string, Script, number, string]>([
    ["giving up", [[call("give_up", { reason: "no compiler here" })]], 2, "no compiler here"],
    ["an open circuit", () => "words", 2, "stopped (circuit_open): 5 times in a row the same failure: no_tool_call"],
    ["a key that is refused", [{ status: 401, message: "bad key" }], 4, "Check the key"],
    ["a request that is refused", [{ status: 404, message: "no such model" }], 1, "no such model"],
  ])("%s", async (_what, script, exit, words) => {
    const { code, stdout, stderr } = await on(script);
    expect({ code, stdout }).toEqual({ code: exit, stdout: "" });
    expect(stderr).toContain(words);
  });
});

describe("wrong words on the command line exit 4 and say what to do:", () => {
  test.each([
    [["a", "b"], "put it in quotes"],
    [[" "], "The task is empty"],
    [["x", "--yes", "--ask"], "contradict each other"],
    [["x", "--forcing", "hard"], "none of ladder, required, auto, xml"],
    [["x", "--nonsense"], "Unknown option '--nonsense'"],
    [["x", "--ask", "--base-url", "http://127.0.0.1:9/v1"], "--ask needs a terminal"],
    [["x", "--base-url", "nonsense"], "is no http or https address"],
    [["x", "--base-url", "https://example.test/v1"], "There is no key for https://example.test"],
    [["x", "--api-key-env", "NO_SUCH_KEY"], "there is no such variable"],
    [["x", "--base-url", "http://127.0.0.1:9/v1", "--workdir", "/no/such/folder"], "/no/such/folder"],
  ])("%j", async (args, words) => {
    const { code, stdout, stderr } = await runHere(args);
    expect({ code, stdout }).toEqual({ code: 4, stdout: "" });
    expect(stderr).toContain(words);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

test("without a key and a server it lists the three ways to get a model", async () => {
  const { code, stderr } = await runHere(["do it"]);
  expect(code).toBe(4);
  expect(stderr).toContain("Three ways");
  expect(stderr).toContain("--base-url");
});

test("the key comes from the named variable, and is sent to the named server", async () => {
  await using provider = await scriptedProvider([done]);
  const { code } = await runHere(["do it", "--base-url", provider.url, "--api-key-env", "MY_KEY"], {
    MY_KEY: "sk-mine",
    OPENAI_API_KEY: "sk-other",
  });
  expect(code).toBe(0);
  expect(provider.requests[0]!.headers.authorization).toBe("Bearer sk-mine");
  expect(provider.requests[0]!.body.model).toBe("scripted");
});

test("the key does not reach the commands the model runs", async () => {
  await using provider = await scriptedProvider([[call("run_command", { command: printEnvironment })], done]);
  await using folder = await temporary();
  const words = ["do it", "--base-url", provider.url, "--workdir", folder.path, "--yes"];
  await run(words, { OPENAI_API_KEY: "sk-secret" });
  expect(provider.requests[0]!.headers.authorization).toBe("Bearer sk-secret");
  const shown = JSON.stringify(provider.requests[1]!.body.messages.at(-1));
  expect(shown).toContain("PATH=");
  expect(shown).not.toContain("sk-secret");
});

test("control characters of a model never reach the terminal", async () => {
  const { stderr } = await on([[call("list_files", { path: "\u001b[2Jx\u202e" })], done]);
  expect(stderr).not.toContain("\u001b");
  expect(stderr).not.toContain("\u202e");
  expect(stderr).toContain("\\u{1b}[2Jx\\u{202e}");
});

/** The outcomes in the journal of the only session there: their status, and the principal who aborted. */
async function outcomesIn(folder: string): Promise<readonly unknown[]> {
  const store = fileStore(join(folder, ".sessions"));
  const [stored] = await store.list();
  const { records } = await openSession({ store, id: stored?.id ?? "" }).toJSON();
  return records.flatMap((record) => (record.type === "outcome" ? [[record.status, record.by?.id]] : []));
}

test("the first interrupt lets the iteration end, with 130, and the run goes on later", async () => {
  await using provider = await scriptedProvider([
    [call("run_command", { command: `echo started; ${pause(1)}; echo whole > whole.txt` })],
    done,
  ]);
  await using folder = await temporary();
  const reach = ["--base-url", provider.url, "--model", "m", "--sessions", join(folder.path, ".sessions")];
  const { child, ended, seen } = start([
    "do it",
    ...reach,
    "--workdir",
    folder.path,
    "--yes",
    "--verbose",
    "--as",
    "ann",
  ]);
  await seen("started");
  child.kill("SIGINT");
  const { code, stderr } = await ended;
  expect([code, provider.requests.length]).toEqual([130, 1]);
  expect(stderr).toContain("Finishing this iteration. Once more to stop at once.\n");
  expect(stderr).toContain("interrupted · 1 iteration");
  expect(existsSync(join(folder.path, "whole.txt"))).toBe(true);
  expect(await outcomesIn(folder.path)).toEqual([["aborted", "ann"]]);
  const id = /lastcall resume (\S+)/.exec(stderr)?.[1] ?? "";
  expect((await run(["resume", id, ...reach])).code).toBe(0);
});

test("an iteration that ends the run ends it as ever, though somebody interrupted", async () => {
  await using provider = await scriptedProvider([
    { calls: [call("run_command", { command: `echo started; ${pause(1)}` }), ...done] },
  ]);
  await using folder = await temporary();
  const words = ["do it", "--base-url", provider.url, "--model", "m", "--workdir", folder.path, "--yes", "--verbose"];
  const { child, ended, seen } = start(words);
  await seen("started");
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ code: 0 });
});

test.each<["SIGINT" | "SIGTERM", string | undefined, readonly string[]]>([
  ["SIGINT", "ann", ["--as", "ann"]],
  ["SIGINT", undefined, []],
  // Another program may have sent it.
  ["SIGTERM", undefined, ["--as", "ann"]],
])("the second interrupt, %s, ends the run and its tools cleanly, with 130, by %s", async (signal, by, as) => {
  await using provider = await scriptedProvider([[call("run_command", { command: `echo started; ${pause(60)}` })]]);
  await using folder = await temporary();
  const reach = ["--base-url", provider.url, "--model", "m", "--sessions", join(folder.path, ".sessions")];
  const { child, ended, seen } = start(["do it", ...reach, "--workdir", folder.path, "--yes", "--verbose", ...as]);
  await seen("started");
  const began = Date.now();
  child.kill("SIGINT");
  await seen("Once more to stop at once");
  child.kill(signal);
  const { code, stdout, stderr } = await ended;
  expect(code).toBe(130);
  expect(stdout).toBe("");
  expect(stderr).toContain("Once more to leave at once");
  expect(stderr).toContain("interrupted ·");
  expect(Date.now() - began).toBeLessThan(3000);
  expect(await outcomesIn(folder.path)).toEqual([["aborted", by]]);
});

test("the third interrupt leaves at once, and kills the running command", async () => {
  await using folder = await temporary();
  const pidFile = join(folder.path, "pid");
  const command = `trap '' TERM INT; echo $$ > ${pidFile}; ${pause(60)}`;
  await using stuck = await scriptedProvider([[call("run_command", { command })]]);
  const { child, ended, seen } = start(["do it", "--base-url", stuck.url, "--model", "m", "--yes", "--no-sandbox"]);
  const written = (): string => (existsSync(pidFile) ? readFileSync(pidFile, "utf8") : "");
  await expect.poll(written, { timeout: 10_000 }).toMatch(/\d\n/);
  child.kill("SIGINT");
  await seen("Once more to stop");
  child.kill("SIGINT");
  await seen("Once more to leave");
  child.kill("SIGINT");
  expect((await ended).code).toBe(130);
  const pid = Number(written());
  await expect.poll(() => isRunning(pid), { timeout: 5000 }).toBe(false);
});

test("--help and --version answer on standard output", async () => {
  const help = await run(["--help"]);
  expect(help).toMatchObject({ code: 0, stderr: "" });
  for (const option of [
    "--workdir",
    "--model",
    "--base-url",
    "--api-key-env",
    "--yes",
    "--ask",
    "--no-input",
    "--json",
    "--quiet",
    "--verbose",
  ]) {
    expect(help.stdout).toContain(option);
  }
  const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
  expect(await run(["--version"])).toMatchObject({ code: 0, stdout: `${version}\n` });
});

describe("the demo", () => {
  test("does real work: the tests of its project fail before and pass after", async () => {
    const { code, stdout, stderr } = await run([]);
    expect(code).toBe(0);
    expect(stdout).toContain("Two bugs in src/total.js");
    expect(stderr).toContain("The model is recorded");
    expect(stderr).toMatch(/invalid_arguments[^]*claim_refused[^]*check_failed[^]*accepted/);
    expect(stderr).toContain("completed, checked · 9 iterations");
    const folder = /^Folder: (.*)$/m.exec(stderr)?.[1] ?? "";
    expect(existsSync(join(folder, "src/total.js"))).toBe(true);
    const { NODE_OPTIONS: _options, NODE_TEST_CONTEXT: _context, ...env } = process.env;
    expect(spawnSync("node", ["--test"], { cwd: folder, env }).status).toBe(0);
    expect(stderr).toMatch(
      /run_command[^]*exit 1, \d+ lines[^]*npm test --silent: failed[^]*npm test --silent: passed/,
    );
  });
});

describe.skipIf(noTerminal)(`on a terminal${noTerminal}`, () => {
  test("a question is asked inline, a suggestion can be taken by its number, and the run goes on", async () => {
    await using provider = await scriptedProvider([
      [call("ask_question", { question: "Which port?", suggestions: ["80", "443"] })],
      done,
    ]);
    const { child, ended, seen } = inTerminal(`"do it" --base-url ${provider.url} --model m`);
    await seen("2. 443");
    await seen("> ");
    child.stdin?.write("2\r");
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(stdout).toContain("all done");
    expect(stdout).toContain("completed, unchecked · 2 iterations");
    expect(provider.requests[1]!.body.messages.at(-1)).toMatchObject({ role: "tool", content: "443" });
  });

  test("a yes that was typed before the question was shown allows nothing, with Enter or without", async () => {
    for (const typed of ["y\r", "y"]) {
      await using provider = await scriptedProvider([{ calls: write, delay: 1200 }, done]);
      await using folder = await temporary();
      const { child, ended, seen } = inTerminal(
        `"do it" --ask --workdir ${folder.path} --base-url ${provider.url} --model m`,
      );
      await seen("ommands ");
      child.stdin?.write(typed);
      await seen("Allow it?");
      await new Promise((resolve) => setTimeout(resolve, 300));
      child.stdin?.write("\r");
      await ended;
      expect(existsSync(join(folder.path, "note.txt")), JSON.stringify(typed)).toBe(false);
    }
  });

  test("with --ask a write is shown as a diff, and done only after a yes; other words are a no that the model reads", async () => {
    await using provider = await scriptedProvider([write, write, write, done]);
    await using folder = await temporary();
    await writeFile(join(folder.path, "note.txt"), "hi");
    const { child, ended, seen } = inTerminal(
      `"do it" --ask --base-url ${provider.url} --model m --workdir ${folder.path}`,
    );
    await seen("Allow it? [y/N");
    expect(await readFile(join(folder.path, "note.txt"), "utf8")).toBe("hi");
    child.stdin?.write("n\r");
    await seen("Allow it? [y/N", 2);
    child.stdin?.write("say it in French\r");
    await seen("Allow it? [y/N", 3);
    child.stdin?.write("y\r");
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(stdout).toContain("write_file");
    expect(stdout).toMatch(/-hi[^]*\+hello/);
    expect(await readFile(join(folder.path, "note.txt"), "utf8")).toBe("hello");
    expect(JSON.stringify(provider.requests[2]?.body.messages.at(-1))).toContain("say it in French");
  });

  test("a command is asked about once if the answer is always, and explained on request", async () => {
    const touch = call("run_command", { command: "touch made" });
    await using provider = await scriptedProvider([[touch], [touch], done]);
    await using folder = await temporary();
    const { child, ended, seen } = inTerminal(
      `"do it" --no-sandbox --base-url ${provider.url} --model m --workdir ${folder.path}`,
    );
    await seen("Allow it? [y/N");
    child.stdin?.write("e\r");
    await seen("--allow 'run_command(touch made)'");
    await seen("Allow it? [y/N", 2);
    child.stdin?.write("a\r");
    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(stdout.split("wants to run")).toHaveLength(2);
    expect(existsSync(join(folder.path, "made"))).toBe(true);
  });

  test("Ctrl-C at a question ends the command with 130", async () => {
    await using provider = await scriptedProvider([[call("ask_question", { question: "Which port?" })]]);
    const { child, ended, seen } = inTerminal(`"do it" --base-url ${provider.url} --model m`);
    await seen("> ");
    child.stdin?.write("\u0003");
    expect((await ended).code).toBe(130);
  });
});
