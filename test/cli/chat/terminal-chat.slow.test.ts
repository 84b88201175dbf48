import { access, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { fileStore, openSession } from "../../../src/memory/index.js";
import { call, scriptedProvider, type Script } from "../../../src/testing/index.js";
import { commandLines } from "../../chaos/processes.js";
import { frameServer } from "../../e2e/frame-server.js";
import { temporary } from "../command.js";
import { imports, moduleFolder, shout } from "../modules/module-folder.js";
import { atTerminal, keys, ready, type TerminalOptions, type TerminalScreen } from "./terminal-screen.js";

const says = (message: string): readonly [ReturnType<typeof call>] => [call("converse", { message })];

interface Stage extends AsyncDisposable {
  readonly screen: TerminalScreen;
  readonly folder: string;
  readonly provider: Awaited<ReturnType<typeof scriptedProvider>>;
  /** Opens the conversation in another process. */
  again(id: string, options?: TerminalOptions): TerminalScreen;
}

async function chatOn(script: Script, args = "", options: TerminalOptions = {}): Promise<Stage> {
  const folder = await temporary();
  const state = await temporary();
  const provider = await scriptedProvider(script);
  const env = { XDG_STATE_HOME: state.path, ...options.env };
  const line = (more: string): string =>
    `chat ${more} --workdir ${folder.path} --base-url ${provider.url} --model recorded --window 8000 ${args}`;
  const screens = [atTerminal(line(""), { ...options, env })];
  await screens[0]?.see(ready);
  return {
    screen: screens[0]!,
    folder: folder.path,
    provider,
    again(id, more = {}) {
      const screen = atTerminal(line(id), { ...options, ...more, env });
      screens.push(screen);
      return screen;
    },
    async [Symbol.asyncDispose]() {
      for (const screen of screens) await screen[Symbol.asyncDispose]();
      await provider[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
      await state[Symbol.asyncDispose]();
    },
  };
}

test("a conversation reads words and prints Markdown, and its end prints the command to go on", async () => {
  await using stage = await chatOn([says("Hello **you**.\n\n- one\n- two"), says("Bye.")]);
  const { screen } = stage;
  expect(screen.visible()).toContain("lastcall recorded in");
  await screen.type("hi there", keys.enter);
  await screen.rest("- two");
  expect(screen.visible()).toContain("> hi there\n\nHello you.\n\n- one");
  expect(screen.looks("you.", "bold")).toBe(true);
  await screen.type("bye", keys.enter);
  await screen.rest("Bye.");
  await screen.type(keys.end);
  expect((await screen.ended).code).toBe(0);
  expect(screen.all()).toMatch(/To go on: lastcall chat \d{8}-\d{4}-\w+$/);
});

test("a long answer left the screen when it was accepted; its end stays above the input", async () => {
  const lines = Array.from({ length: 40 }, (_, at) => `- line ${String(at + 1)}`).join("\n");
  await using stage = await chatOn([{ calls: says(lines), piece: 40, pause: 5 }], "", { rows: 14 });
  const { screen } = stage;
  await screen.type("tell me much", keys.enter);
  await screen.rest("- line 40");
  expect(screen.visible()).toContain("- line 34\n- line 35\n- line 36");
  expect(screen.visible().split("\n").length).toBeGreaterThan(12);
});

test("long words of the person were broken within a word", async () => {
  await using stage = await chatOn([says("Yes.")], "", { columns: 50 });
  const { screen } = stage;
  await screen.type("one two three four five six seven eight nine ten eleven", keys.enter);
  await screen.rest("Yes.");
  expect(screen.visible()).toContain("> one two three four five six seven eight nine\n  ten eleven\n");
});

test.each(["function calls", "XML"] as const)(
  "each character, in %s, is on the screen before the next one arrives",
  async (manner) => {
    const message = "Hello you";
    const shown: { screen?: TerminalScreen } = {};
    await using server = await frameServer(manner, message, async (text) => {
      await shown.screen?.see(new RegExp(`> hi\\n\\n${text.trimEnd()}\\n`));
    });
    const state = await temporary();
    const forcing = manner === "XML" ? "xml" : "required";
    const line = `chat --base-url ${server.url} --model m --forcing ${forcing}`;
    const screen = atTerminal(line, { env: { XDG_STATE_HOME: state.path } });
    shown.screen = screen;
    await screen.see(ready);
    await screen.type("hi", keys.enter);
    await Promise.race([screen.see(/> hi\n\nHello you\n\n/), server.failed]);
    await screen[Symbol.asyncDispose]();
    await state[Symbol.asyncDispose]();
  },
);

describe("a question", () => {
  const question = [call("ask_question", { question: "Which **colour**?", suggestions: ["red", "green", "blue"] })];

  test("shows its suggestions, and takes the one marked with the arrow keys", async () => {
    await using stage = await chatOn([question, says("Green it is.")]);
    const { screen, provider } = stage;
    await screen.type("paint it", keys.enter);
    await screen.see("3. blue");
    expect(screen.visible()).toMatch(/Which colour\?\n {2}1\. red\n {2}2\. green\n {2}3\. blue\n/);
    await screen.type(keys.down, keys.down);
    await screen.see("❯ 2. green");
    await screen.type(keys.down, keys.down, keys.down, keys.down, keys.enter);
    await screen.rest("Green it is.");
    expect(screen.visible()).toContain("> green");
    expect(screen.visible()).not.toContain("3. blue");
    expect(provider.requests[1]?.body.messages.at(-1)).toMatchObject({ role: "tool", content: "green" });
  });

  test("takes the number of a suggestion, or any words", async () => {
    await using stage = await chatOn([question, question, says("As you like.")]);
    const { screen, provider } = stage;
    await screen.type("paint it", keys.enter);
    await screen.see("3. blue");
    await screen.type("3", keys.enter);
    await screen.see("> blue");
    await screen.see(/> blue[^]*3\. blue/);
    await screen.type("3 of each", keys.enter);
    await screen.rest("As you like.");
    const answers = provider.requests.slice(1).map(({ body }) => body.messages.at(-1)?.content);
    expect(answers).toEqual(["blue", "3 of each"]);
  });
});

describe("a turn of the model", () => {
  test("shows a line for each call; a write is shown as a coloured diff, and done after a yes", async () => {
    const edit = call("edit_file", { path: "a.txt", edits: [{ search: "old", replace: "new" }] });
    await using stage = await chatOn([[call("read_file", { path: "a.txt" })], [edit], says("Changed.")], "--ask");
    const { screen, folder } = stage;
    await writeFile(join(folder, "a.txt"), "first\nold\nlast\n");
    await screen.type("change it", keys.enter);
    await screen.see("wants to read");
    await screen.type("y", keys.enter);
    await screen.see(/wants to write[^]*Allow it\?/);
    expect(screen.visible()).toMatch(/-old\n +\+new\n/);
    expect(screen.looks("-old", "coloured")).toBe(true);
    expect(screen.looks("+new", "coloured")).toBe(true);
    expect(await readFile(join(folder, "a.txt"), "utf8")).toContain("old");
    await screen.type("y", keys.enter);
    await screen.rest("Changed.");
    expect(await readFile(join(folder, "a.txt"), "utf8")).toBe("first\nnew\nlast\n");
    expect(screen.all()).toMatch(/\[1\] +read_file a\.txt → ok 3 lines \(/);
    expect(screen.all()).toMatch(/\[2\] +edit_file a\.txt[^\n]* → ok [^\n]*\+1/);
    expect(screen.visible()).not.toContain("Allow it?");
  });

  test("shows the diff of an edit that nobody was asked about, and says that the completion was not checked", async () => {
    const edit = call("edit_file", { path: "a.txt", edits: [{ search: "old", replace: "new" }] });
    await using stage = await chatOn([[edit], [call("task_completion", { result: "Changed." })]]);
    const { screen, folder } = stage;
    await writeFile(join(folder, "a.txt"), "old\n");
    await screen.type("change it", keys.enter);
    await screen.rest("unchecked");
    expect(screen.visible()).toMatch(/edit_file a\.txt → ok [^\n]*\n +-old\n +\+new\n\nChanged\.\nunchecked\n/);
    expect(screen.looks("+new", "coloured")).toBe(true);
  });

  test("has calls that can be refused with words that the model reads; the typed text comes back after the question", async () => {
    const write = call("write_file", { path: "a.txt", content: "x" });
    await using stage = await chatOn([{ calls: [write], delay: 600 }, says("Sorry.")], "--ask");
    const { screen, provider } = stage;
    await screen.type("write it", keys.enter);
    await screen.type("half a se");
    await screen.see("Allow it?");
    expect(screen.visible()).not.toContain("half a se");
    await screen.type("not there", keys.enter);
    await screen.rest("Sorry.");
    expect(JSON.stringify(provider.requests[1]?.body.messages.at(-1))).toContain("not there");
    expect(screen.visible()).toMatch(/> half a se$/);
  });

  test("is steered by words typed meanwhile", async () => {
    const slow = { calls: [call("list_files", {})], delay: 1200 };
    await using stage = await chatOn([slow, says("In blue, then.")]);
    const { screen, provider } = stage;
    await screen.type("paint it red", keys.enter);
    await screen.type("no, blue", keys.enter);
    await screen.see("↳ no, blue");
    await screen.rest("In blue, then.");
    expect(screen.visible()).not.toContain("↳");
    expect(screen.all()).toMatch(/you: no, blue/);
    expect(JSON.stringify(provider.requests[1]?.body.messages)).toContain("no, blue");
  });

  test("ended before the typed words were read: they are the next turn", async () => {
    await using stage = await chatOn([{ calls: says("First."), delay: 1200 }, says("Second.")]);
    const { screen, provider } = stage;
    await screen.type("one", keys.enter);
    // Words that come before the request are a part of it.
    await expect.poll(() => provider.requests.length).toBe(1);
    await screen.type("two", keys.enter);
    await screen.rest("Second.");
    expect(screen.all()).toMatch(/> one\n\nFirst\.\n\n> two\n\nSecond\./);
    expect(provider.requests[1]?.body.messages.at(-1)).toMatchObject({ content: "two" });
  });

  test("is shown while it runs: words are streamed, and retracted ones disappear", async () => {
    const result = "It is all done, and well.";
    const claim = { calls: [call("task_completion", { result })], piece: 1, pause: 25 };
    await using stage = await chatOn([claim, says("Not yet.")], `--until "test -e done"`);
    const { screen } = stage;
    await screen.type("do it", keys.enter);
    await screen.see("It is all");
    await screen.see(/task_completion .* → check_failed/);
    await screen.rest("Not yet.");
    expect(screen.all()).toContain("What was just said is taken back.");
    expect(screen.all()).not.toContain("and well.\n");
  });
});

test("a run at its limit asks on the screen, and goes on after a yes", async () => {
  await using modules = await moduleFolder();
  const source = `${imports}
export default { tools: [${shout}, taskCompletion()], limits: { maxIterations: 1, ask: { maxIterations: 2 } } };`;
  const file = await modules.put("agent.mjs", source);
  const script: Script = [[call("shout", { words: "go" })], [call("task_completion", { result: "All is loud." })]];
  await using stage = await chatOn(script, `--agent ${file}`);
  const { screen } = stage;
  await screen.type("shout", keys.enter);
  await screen.see("The run reached 1 iteration. May it go on, for 2 more?");
  await screen.see("[y/N]");
  await screen.type("y", keys.enter);
  await screen.rest("All is loud.");
  expect(screen.all()).not.toContain("raise_limit");
});

describe("Ctrl-C", () => {
  test("stops the run and keeps the conversation; Enter resumes it", async () => {
    const endless = { calls: [call("run_command", { command: "sleep 30" })] };
    await using sessions = await temporary();
    await using stage = await chatOn([endless, says("Back again.")], `--yes --as ann --sessions ${sessions.path}`);
    const { screen } = stage;
    await screen.type("wait", keys.enter);
    await screen.see(/⠋|⠙|⠹|⠸|⠼|⠴|⠦|⠧|⠇|⠏/);
    await screen.see("run_command sleep 30");
    await screen.type(keys.interrupt);
    await screen.see("finishing this iteration; Ctrl-C once more stops at once");
    await screen.type(keys.interrupt);
    await screen.see("press Enter to go on");
    expect(screen.all()).toContain("interrupted · 1 iteration");
    const store = fileStore(sessions.path);
    const [stored] = await store.list();
    const { records } = await openSession({ store, id: stored?.id ?? "" }).toJSON();
    expect(records.at(-1)).toMatchObject({ type: "outcome", status: "aborted", by: { id: "ann" } });
    await screen.type(keys.enter);
    await screen.rest("Back again.");
  });

  test("lets the iteration end first; Enter goes on", async () => {
    const short = { calls: [call("run_command", { command: "sleep 1.3; echo whole > whole.txt" })] };
    await using stage = await chatOn([short, says("Back again.")], "--yes");
    const { screen, folder } = stage;
    await screen.type("wait", keys.enter);
    await screen.see("run_command sleep 1.3");
    await screen.type(keys.interrupt);
    await screen.see("finishing this iteration");
    await screen.see("press Enter to go on");
    expect(screen.all()).toContain("interrupted · 1 iteration");
    await access(join(folder, "whole.txt"));
    await screen.type(keys.enter);
    await screen.rest("Back again.");
  });

  test("three times leaves, even during a command, and leaves no process", async () => {
    const endless = { calls: [call("run_command", { command: "sleep 31.7" })] };
    await using stage = await chatOn([endless], "--yes");
    const { screen } = stage;
    await screen.type("wait", keys.enter);
    await screen.see("run_command sleep 31.7");
    await screen.type(keys.interrupt, keys.interrupt, keys.interrupt);
    expect((await screen.ended).code).toBe(0);
    expect(screen.all()).toContain("To go on: lastcall chat");
    expect(commandLines().filter((line) => line.startsWith("sleep 31.7"))).toEqual([]);
  });

  test("lost the words typed meanwhile; the up key brings them back", async () => {
    await using stage = await chatOn([{ calls: says("Never."), delay: 30_000 }]);
    const { screen } = stage;
    await screen.type("wait", keys.enter, "half a thought");
    await screen.see(/> half a thought$/);
    await screen.type(keys.interrupt, keys.interrupt);
    await screen.see(/press Enter to go on[^]*\n>$/);
    await screen.type(keys.up, keys.tab, "\u0001", keys.tab, "x");
    await screen.see(/> xhalf a thought$/);
  });

  test("clears the typed text first", async () => {
    await using stage = await chatOn([]);
    const { screen } = stage;
    await screen.type("half a th");
    await screen.see("> half a th");
    await screen.type(keys.interrupt);
    await screen.lose("half a th");
    await screen.see("Ctrl-C once more leaves");
    await screen.type("x");
    await screen.see(/> x$/);
    await screen.type(keys.interrupt);
    await screen.type(keys.interrupt);
    expect((await screen.ended).code).toBe(0);
  });
});

describe("Escape", () => {
  test("stops the run, keeps the half-typed line, and never leaves", async () => {
    const endless = { calls: [call("run_command", { command: "sleep 30" })] };
    await using stage = await chatOn([endless, says("Back again.")], "--yes");
    const { screen } = stage;
    await screen.type("wait", keys.enter);
    await screen.see("run_command sleep 30");
    await screen.type("half a th");
    await screen.type(keys.escape);
    await screen.see(/press Enter to go on[^]*> half a th$/);
    expect(screen.all()).toContain("interrupted · 1 iteration");
    await screen.type(keys.interrupt);
    await screen.see("Ctrl-C once more leaves");
    await screen.type(keys.escape);
    await screen.type(keys.interrupt);
    await screen.type("x", "\u007f", keys.enter);
    await screen.rest("Back again.");
  });

  test("is no part of an arrow key: a run goes on while somebody moves in the line", async () => {
    await using stage = await chatOn([{ calls: says("Done."), delay: 1500 }]);
    const { screen } = stage;
    await screen.type("wait", keys.enter, "ab", "\u001b[D", "x");
    await screen.see(/> axb$/);
    await screen.rest("Done.");
    expect(screen.all()).not.toContain("interrupted");
  });

  test("at a question is no answer: the call does not run, and the turn stops", async () => {
    const write = call("write_file", { path: "a.txt", content: "x" });
    await using stage = await chatOn([[write], says("Never.")], "--ask");
    const { screen, folder } = stage;
    await screen.type("write it", keys.enter);
    await screen.see("Allow it?");
    await screen.type(keys.escape);
    await screen.see("press Enter to go on");
    await expect(access(join(folder, "a.txt"))).rejects.toThrow();
  });
});

describe("/new, /clear and /cost", () => {
  test("begin a new conversation, clear the screen, and say what the conversation took", async () => {
    const usage = { inputTokens: 400, outputTokens: 30, cachedInputTokens: 0, reasoningTokens: 0 };
    await using stage = await chatOn([
      { calls: says("First."), usage },
      { calls: says("Second."), usage },
      { calls: says("Third."), usage },
    ]);
    const { screen, provider } = stage;
    const before = /Conversation (\S+)\./.exec(screen.all())?.[1] ?? "none";
    await screen.type("one", keys.enter);
    await screen.rest("First.");
    await screen.type("two", keys.enter);
    await screen.rest("Second.");
    await screen.type("/cost", keys.enter);
    await screen.see("This conversation so far: 2 replies, 800 tokens in, 60 out.");
    await screen.see("Since your last words: 1 reply, 400 tokens in, 30 out.");
    await screen.type("/clear", keys.enter);
    await screen.lose("Second.");
    expect(screen.visible()).toMatch(/^\s*recorded · [^\n]*\n>$/);
    await screen.type("/new", keys.enter);
    await screen.see(`lastcall chat ${before}`);
    await screen.type("three", keys.enter);
    await screen.rest("Third.");
    expect(JSON.stringify(provider.requests[2]?.body.messages)).not.toContain('"two"');
    await screen.type("/cost", keys.enter);
    await screen.see("This conversation so far: 1 reply, 400 tokens in, 30 out.");
    const after = /new conversation, (\S+)\./.exec(screen.all().replaceAll("\n", " "))?.[1] ?? "none";
    await screen.type(keys.end);
    await screen.ended;
    expect(screen.all()).toContain(`To go on: lastcall chat ${after}`);
    await using old = stage.again(before);
    await old.see("Second.");
  });
});

describe("Ctrl-Z", () => {
  test("gives the terminal back to the shell, and fg resumes the conversation", async () => {
    await using stage = await chatOn([says("Hello.")], "", { inShell: true, env: { PS1: "shell: " } });
    const { screen } = stage;
    await screen.type("half a th", keys.suspend);
    await screen.see(/Stopped[^]*\nshell:$/);
    expect(screen.visible()).not.toContain("half a th");
    await screen.type("echo $((6 * 7))", keys.enter);
    await screen.see("\n42\n");
    await screen.type("fg", keys.enter);
    await screen.see(/> half a th$/);
    await screen.type("ought", keys.enter);
    await screen.rest("Hello.");
    expect(screen.all()).toContain("> half a thought\n");
    await screen.type(keys.end);
    await screen.see(/To go on: [^\n]*\nshell:$/);
  });

  test.each(["kill %1; fg", "kill %1"])("and %s: it leaves, and the terminal stays the shell's", async (kill) => {
    await using stage = await chatOn([says("Hello.")], "", { inShell: true, env: { PS1: "shell: " } });
    const { screen } = stage;
    await screen.type("hi", keys.enter);
    await screen.rest("Hello.");
    await screen.type(keys.suspend);
    await screen.see(/Stopped[^]*\nshell:$/);
    await screen.type(kill, keys.enter);
    // The shell continues the job that it kills, so the last words of both come in any order.
    await screen.see("To go on: lastcall chat");
    await screen.type("wait; echo $((6 * 7))", keys.enter);
    await screen.see("\n42\n");
  });

  test("bg: a turn goes on in the background, and the terminal stays the shell's until fg", async () => {
    await using stage = await chatOn([{ calls: says("Hello."), delay: 1500 }, says("Again.")], "", {
      inShell: true,
      env: { PS1: "shell: " },
    });
    const { screen } = stage;
    await screen.type("hi", keys.enter, keys.suspend);
    await screen.see(/Stopped[^]*\nshell:$/);
    await screen.type("bg", keys.enter);
    await screen.see("Hello.");
    await screen.type("jobs; echo $((6 * 7))", keys.enter);
    expect(await screen.see("\n42\n")).toMatch(/\[1\]\+\s+Running/);
    await screen.type("fg", keys.enter);
    await screen.see(/\n>$/);
    await screen.type("more", keys.enter);
    await screen.rest("Again.");
  });

  test("does nothing without a shell that could continue it", async () => {
    await using stage = await chatOn([says("Hello.")]);
    const { screen } = stage;
    await screen.type("half a th", keys.suspend);
    await screen.see(/> half a th$/);
    await screen.type("ought", keys.enter);
    await screen.rest("Hello.");
    expect(screen.all()).toContain("> half a thought\n");
  });
});

test("a message to a session that another terminal was busy with was answered by both", async () => {
  await using stage = await chatOn([says("Hello."), { calls: says("First."), delay: 1500 }, says("Second.")]);
  const { screen, provider } = stage;
  await screen.type("hi", keys.enter);
  await screen.rest("Hello.");
  const other = stage.again(/Conversation (\S+)\./.exec(screen.all())?.[1] ?? "");
  await other.see(/Hello\.[^]*\n>$/);
  await screen.type("one", keys.enter);
  await other.type("two", keys.enter);
  await screen.rest("First.");
  await other.rest("Second.");
  await screen.type("/context", keys.enter);
  await screen.see("The journal has 3 inputs, 3 replies");
  expect(screen.all()).not.toContain("> two");
  expect(provider.requests).toHaveLength(3);
});

test("an unread message was lost when the person left", async () => {
  await using stage = await chatOn([{ calls: says("Never."), delay: 30_000 }, says("In blue.")]);
  const { screen, provider } = stage;
  await screen.type("paint it", keys.enter, "in blue", keys.enter);
  await screen.see("↳ in blue");
  await screen.type("/quit", keys.enter);
  const id = /lastcall chat (\S+)/.exec((await screen.ended).stdout)?.[1] ?? "";
  const next = stage.again(id);
  await next.see(ready);
  await next.type("go on", keys.enter);
  await next.rest("In blue.");
  expect(JSON.stringify(provider.requests.at(-1)?.body.messages)).toContain("in blue");
});

test("words that no turn had read were not shown when the conversation was opened, and waited for other words", async () => {
  await using stage = await chatOn(({ lastText }) => {
    if (lastText.includes("in blue")) return says("Blue it is.");
    return lastText.includes("paint it") ? { calls: says("Never."), delay: 30_000 } : says("Hello.");
  });
  const { screen, provider } = stage;
  await screen.type("hi", keys.enter);
  await screen.rest("Hello.");
  await screen.type("paint it", keys.enter, "in blue", keys.enter);
  await screen.see("↳ in blue");
  await screen.type("/quit", keys.enter);
  const id = /lastcall chat (\S+)/.exec((await screen.ended).stdout)?.[1] ?? "";
  const next = stage.again(id);
  await next.see(/Words wait that no turn has read[^]*↳ in blue/);
  await next.type(keys.enter);
  await next.rest("Blue it is.");
  expect(next.visible()).not.toContain("↳ in blue");
  expect(JSON.stringify(provider.requests.at(-1)?.body.messages).split("in blue")).toHaveLength(2);
});

test("the answer to words that joined a turn of another process was not shown", async () => {
  await using stage = await chatOn(
    [
      says("Hello."),
      { calls: [call("run_command", { command: "while ! test -e go; do sleep 0.05; done" })] },
      says("In **blue**."),
    ],
    "--yes",
  );
  const { screen, folder } = stage;
  await screen.type("hi", keys.enter);
  await screen.rest("Hello.");
  const other = stage.again(/Conversation (\S+)\./.exec(screen.all())?.[1] ?? "");
  await other.see(ready);
  await screen.type("paint it", keys.enter);
  await screen.see("run_command");
  await other.type("in blue", keys.enter);
  await other.see("> in blue");
  await other.see("waits");
  await writeFile(join(folder, "go"), "");
  await screen.rest("In blue.");
  await other.rest("In blue.");
  expect(other.all()).toMatch(/> in blue\n[^]*\n\nIn blue\./);
  expect(stage.provider.requests).toHaveLength(3);
});

describe("a conversation whose process was killed", () => {
  const idIn = (text: string): string => /Conversation (\S+)\./.exec(text)?.[1] ?? "";

  test("is resumed by another one, during a turn", async () => {
    const slow = { calls: [call("run_command", { command: "touch begun; sleep 30" })] };
    await using stage = await chatOn([says("Hello."), slow, says("I am still here.")], "--yes");
    const { screen } = stage;
    await screen.type("hi", keys.enter);
    await screen.rest("Hello.");
    await screen.type("wait a little", keys.enter);
    await vi.waitFor(() => access(join(stage.folder, "begun")), { timeout: 10_000 });
    process.kill(screen.pid(), "SIGKILL");
    await screen.ended;
    const next = stage.again(idIn(screen.all()));
    await next.see("it goes on");
    expect(next.all()).toMatch(/> hi\n\nHello\.\n\n> wait a little/);
    await next.rest("I am still here.");
    expect(JSON.stringify(stage.provider.requests[2]?.body.messages)).toContain("interrupted");
  });

  test("asks its question again, suggestions and all", async () => {
    const question = [call("ask_question", { question: "Tea?", suggestions: ["yes", "no"] })];
    await using stage = await chatOn([question, says("Here you are.")]);
    const { screen, provider } = stage;
    await screen.type("serve me", keys.enter);
    await screen.see("2. no");
    process.kill(screen.pid(), "SIGKILL");
    await screen.ended;
    const next = stage.again(idIn(screen.all()));
    await next.see("2. no");
    expect(next.visible()).toContain("Tea?");
    await next.type("x", keys.up);
    await next.see(/> serve me$/);
    await next.type("\u0015");
    await next.see(/\n>$/);
    await next.type("1", keys.enter);
    await next.rest("Here you are.");
    expect(provider.requests[1]?.body.messages.at(-1)).toMatchObject({ role: "tool", content: "yes" });
  });
});

describe("the typed text", () => {
  test("may have several lines, and the line ends of a paste do not send it", async () => {
    await using stage = await chatOn([says("Read.")]);
    const { screen, provider } = stage;
    await screen.type("one\\", keys.enter, "two", "\u001b[200~ three\r\nfour\u001b[201~");
    await screen.see(/> one\n {2}two three\n {2}four$/);
    await screen.type(keys.enter);
    await screen.rest("Read.");
    expect(provider.requests[0]?.body.messages.at(-1)?.content).toBe("one\ntwo three\nfour");
  });

  test("comes back with the up key", async () => {
    await using stage = await chatOn([says("One."), says("Two.")]);
    const { screen, provider } = stage;
    await screen.type("say it", keys.enter);
    await screen.rest("One.");
    await screen.type(keys.up, "!", keys.enter);
    await screen.rest("Two.");
    expect(provider.requests[1]?.body.messages.at(-1)?.content).toBe("say it!");
  });
});

describe("commands", () => {
  test("list themselves, and change the model, the tier and the session", async () => {
    await using stage = await chatOn([says("Hi."), says("Hi again.")], `--until "echo checked; false"`);
    const { screen, provider } = stage;
    await screen.type("/he", keys.tab, keys.enter);
    await screen.see("/quit");
    await screen.type("hi", keys.enter);
    await screen.rest("Hi.");
    await screen.type("/model another", keys.enter);
    await screen.see("The model is another.");
    await screen.type("/tier read-only", keys.enter);
    await screen.see("The tier is read-only.");
    await screen.type("/tier everything", keys.enter);
    await screen.see('There is no tier "everything"');
    await screen.type("/tools", keys.enter);
    await screen.see(/run_command +execute/);
    await screen.type("/check", keys.enter);
    await screen.see(/check echo checked; false: failed/);
    await screen.type("/context", keys.enter);
    await screen.see(/The journal has 1 input, 1 reply/);
    await screen.type("/fork", keys.enter);
    await screen.see(/This goes on as (\S+);/);
    await screen.type("/what", keys.enter);
    await screen.see("There is no /what");
    await screen.type("/etc/hosts is what?", keys.enter);
    await screen.rest("Hi again.");
    expect(provider.requests[1]?.body.model).toBe("another");
    await screen.type("/quit", keys.enter);
    expect((await screen.ended).code).toBe(0);
    const fork = /This goes on as (\S+);/.exec(screen.all())?.[1];
    expect(screen.all()).toContain(`To go on: lastcall chat ${fork ?? ""}`);
  });

  const dot = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
    "base64",
  );
  const picture = { type: "image_url", image_url: { url: `data:image/png;base64,${dot.toString("base64")}` } };

  test("/attach shows a picture with the next words alone, and says what is wrong with a file", async () => {
    await using stage = await chatOn([says("A dot."), says("Nothing new.")]);
    const { screen, folder, provider } = stage;
    await writeFile(join(folder, "dot.png"), dot);
    await screen.type(`/attach ${join(folder, "gone.png")}`, keys.enter);
    await screen.see(/there is no such\s+file/);
    await screen.type("/attach", keys.enter);
    await screen.see("Say which file");
    await screen.type(`/attach ${join(folder, "dot.png")}`, keys.enter, "what is it?", keys.enter);
    await screen.rest("A dot.");
    expect(screen.all()).toContain("attached dot.png: image/png, 69 bytes. It goes with your next words.");
    await screen.type("and now?", keys.enter);
    await screen.rest("Nothing new.");
    expect(provider.requests[0]?.body.messages.at(-1)?.content).toEqual([
      { type: "text", text: "what is it?" },
      picture,
    ]);
    expect(provider.requests[1]?.body.messages.at(-1)?.content).toBe("and now?");
  });

  test("/attach in the midst of a turn goes with the words that the model reads next", async () => {
    await using stage = await chatOn([{ calls: [call("list_files")], delay: 1500 }, says("A dot.")]);
    const { screen, folder, provider } = stage;
    await writeFile(join(folder, "dot.png"), dot);
    await screen.type("look around", keys.enter);
    await screen.see("> look around");
    await screen.type(`/attach ${join(folder, "dot.png")}`, keys.enter, "and at this", keys.enter);
    await screen.rest("A dot.");
    const user = provider.requests[1]?.body.messages.filter(({ role }) => role === "user");
    expect(user?.at(-1)?.content).toEqual([{ type: "text", text: "and at this" }, picture]);
  });

  test("words typed during /check waited for the next turn; they are that turn", async () => {
    await using stage = await chatOn([says("Heard.")], `--until "while ! test -e go; do sleep 0.05; done"`);
    const { screen, folder, provider } = stage;
    await screen.type("/check", keys.enter);
    await screen.see(/check while/);
    await screen.type("one", keys.enter);
    await screen.see("↳ one");
    await screen.type("two", keys.enter);
    await screen.see("↳ two");
    await writeFile(join(folder, "go"), "");
    await screen.rest("Heard.");
    expect(screen.all()).toMatch(/: passed\n\n> one\n[^]*you: two\n/);
    expect(screen.visible()).not.toContain("↳");
    const said = provider.requests[0]?.body.messages.map(({ content }) => content);
    expect(said?.filter((content) => content === "one" || content === "two")).toEqual(["one", "two"]);
  });

  test("a stopped /check is followed by the words typed meanwhile", async () => {
    await using stage = await chatOn([says("Heard.")], `--until "while ! test -e go; do sleep 0.05; done"`);
    const { screen, folder } = stage;
    await screen.type("/check", keys.enter);
    await screen.see(/check while/);
    await screen.type("one", keys.enter);
    await screen.see("↳ one");
    await screen.type(keys.interrupt);
    await screen.see(/Interrupted\.\n[^]*> one\n/);
    await writeFile(join(folder, "go"), "");
    await screen.rest("Heard.");
  });

  test("that would disturb the run follow after the turn, and are dropped with it when the person leaves", async () => {
    const slow = { calls: says("Hi."), delay: 1000 };
    await using stage = await chatOn([slow, { calls: says("Never."), delay: 30_000 }], `--until "touch checked"`);
    const { screen, folder } = stage;
    await screen.type("hi", keys.enter);
    await screen.type("/model another", keys.enter);
    await screen.see("/model follows when this turn is over.");
    await screen.see(/Hi\.\nThe model is another\./);
    await screen.type("again", keys.enter);
    await screen.see("> again");
    await rm(join(folder, "checked"), { force: true });
    await screen.type("/check", keys.enter);
    await screen.see("/check follows");
    await screen.type("/quit", keys.enter);
    expect((await screen.ended).code).toBe(0);
    await expect(access(join(folder, "checked"))).rejects.toThrow("ENOENT");
  });

  test("/compact sums older messages up with the next words", async () => {
    const long = "A long story. ".repeat(60);
    await using stage = await chatOn([...Array.from({ length: 7 }, () => says(long)), says("Short.")]);
    const { screen, provider } = stage;
    for (let turn = 1; turn <= 7; turn += 1) {
      await screen.type(`story ${String(turn)}`, keys.enter);
      await screen.rest(new RegExp(`> story ${String(turn)}\\n\\nA long`));
    }
    await screen.type("/compact", keys.enter);
    await screen.see("Older messages are summed up");
    await screen.type("and now?", keys.enter);
    await screen.rest("Short.");
    const [before, after] = provider.requests.slice(-2).map(({ body }) => JSON.stringify(body.messages).length);
    expect(after).toBeLessThan((before ?? 0) * 0.8);
    await screen.type("/context", keys.enter);
    await screen.see("The context was shortened 1 time");
  });
});

describe("what a conversation changed", () => {
  test("is shown by /diff, taken back turn by turn by /undo, and made again by /redo", async () => {
    const write = (path: string) => [call("write_file", { path, content: `${path} is here\n` })];
    await using stage = await chatOn([write("one"), says("Wrote one."), write("two"), says("Wrote two.")], "--yes");
    const { screen, folder } = stage;
    await screen.type("/undo", keys.enter);
    await screen.see("has changed nothing");
    for (const name of ["one", "two"]) {
      await screen.type(name, keys.enter);
      await screen.rest(`Wrote ${name}.`);
    }
    await screen.type("/diff", keys.enter);
    await screen.see(/\+one is here\n[^]*\+two is here/);
    expect(screen.looks("+two is here", "coloured")).toBe(true);
    await screen.type("/undo", keys.enter);
    await screen.see(/Taken back: 1 path\n {2}two/);
    await expect(access(join(folder, "two"))).rejects.toThrow("ENOENT");
    await access(join(folder, "one"));
    await screen.type("/redo", keys.enter);
    await screen.see(/Made again: 1 path\n {2}two/);
    await access(join(folder, "two"));
    await screen.type("/undo", keys.enter);
    await screen.see(/Taken back[^]*Taken back/);
    await screen.type("/undo", keys.enter);
    await screen.see(/Taken back: 1 path\n {2}one/);
    await expect(access(join(folder, "one"))).rejects.toThrow("ENOENT");
  });
});

describe("the screen", () => {
  test("has no colours with NO_COLOR, and the same words", async () => {
    await using stage = await chatOn([says("# Title\n\nHello **you**.")], "", { env: { NO_COLOR: "1" } });
    const { screen } = stage;
    await screen.type("hi", keys.enter);
    await screen.rest("Hello");
    expect(screen.looks("> hi", "bold")).toBe(false);
    await screen.type(keys.end);
    expect((await screen.ended).stdout).not.toMatch(/\u001b\[[0-9;]*m/);
  });

  test("wraps its explanations at words, and prints no command to go on without a turn", async () => {
    await using stage = await chatOn([], "", { columns: 50 });
    const { screen } = stage;
    await screen.type("/help", keys.enter);
    await screen.see("so does Ctrl-D.");
    expect(screen.all().replaceAll("\n", " ")).toContain("/help says what you can type; Ctrl-D leaves.");
    expect(screen.all().replaceAll("\n", " ")).toContain("Up and down go through what was said before.");
    await screen.type(keys.end);
    expect((await screen.ended).code).toBe(0);
    expect(screen.all()).not.toContain("To go on");
  });

  test("obeyed the control characters of an earlier input when the up key brought it back", async () => {
    await using stage = await chatOn([says("Hello."), says("Read.")]);
    const { screen, provider } = stage;
    await screen.type("hi", keys.enter);
    await screen.rest("Hello.");
    await screen.type(keys.end);
    const id = /lastcall chat (\S+)/.exec((await screen.ended).stdout)?.[1] ?? "";
    await writeFile(join(stage.folder, "sent"), "a\u001b[2Jb\n");
    await stage.again(`${id} < ${join(stage.folder, "sent")}`).ended;
    expect(provider.requests).toHaveLength(2);
    const next = stage.again(id);
    await next.see("Read.");
    await next.type(keys.up);
    await next.see(/> a\[2Jb$/);
    expect(next.all()).toContain("> hi");
  });

  test("may be narrow, and may become narrow", async () => {
    await using stage = await chatOn([says("A sentence that is longer than the screen is wide."), says("And `on`.")]);
    const { screen } = stage;
    await screen.type("hi", keys.enter);
    await screen.rest("wide.");
    await screen.resize(30, 20);
    await screen.type("a much longer line than thirty columns");
    await screen.see(/columns$/);
    expect(screen.visible().match(/^> a much longer/gm)).toHaveLength(1);
    await screen.type(keys.enter);
    await screen.see("on");
  });

  test("obeys no control characters of the model", async () => {
    await using stage = await chatOn([says("\u001b[2J\u001b]0;title\u0007\u202eevil")]);
    const { screen } = stage;
    await screen.type("hi", keys.enter);
    await screen.rest("evil");
    expect(screen.all()).toContain("> hi");
    expect(screen.all()).toContain("\\u{1b}[2J");
  });
});

test("the calls of an agent are one line, which /open opens, and /agents lists the agents", async () => {
  const found = [call("task_completion", { result: "It is a.txt:1." })];
  const script = [[call("explore", { task: "Find it." })], [call("list_files", {})], found, says("Found it.")];
  await using stage = await chatOn(script);
  const { screen } = stage;
  await screen.type("/open", keys.enter);
  await screen.see("No agent was called in the last turn.");
  await screen.type("find it", keys.enter);
  await screen.rest("Found it.");
  expect(screen.all()).toMatch(/explore Find it\. → ok It is a\.txt:1\. \(1 call, /);
  expect(screen.all()).not.toMatch(/· list_files/);
  await screen.type("/open", keys.enter);
  await screen.see(/explore Find it\. 1 call\n +· list_files \. → ok /);
  await screen.type("/agents", keys.enter);
  await screen.see(/explore {2}built in/);
});
