import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { z } from "zod";
import { readSettings } from "../../../src/cli/args/args.js";
import { parseOptions } from "../../../src/cli/args/options.js";
import { chatByLines } from "../../../src/cli/chat/by-lines.js";
import { plainLook } from "../../../src/cli/chat/style/look.js";
import { loadModules } from "../../../src/cli/modules/modules.js";
import { workplaceFor } from "../../../src/cli/task/workplace-for.js";
import { createAgent, tool } from "../../../src/index.js";
import { fileStore, memoryStore, openSession } from "../../../src/memory/index.js";
import { call, scriptedModel, scriptedProvider, type Script } from "../../../src/testing/index.js";
import { converse } from "../../../src/tools/index.js";
import { frameServer } from "../../e2e/frame-server.js";
import { noTerminal, run, start, temporary, type Ended } from "../command.js";
import { atTerminal } from "./terminal-screen.js";

const says = (message: string): readonly [ReturnType<typeof call>] => [call("converse", { message })];

/** Runs a conversation over pipes with these lines. */
async function chat(
  script: Script,
  lines: string,
  ...args: readonly string[]
): Promise<Ended & { readonly answers: readonly unknown[] }> {
  await using provider = await scriptedProvider(script);
  const { child, ended } = start(["chat", "--base-url", provider.url, "--model", "m", ...args]);
  child.stdin?.end(lines);
  const answers = provider.requests;
  return { ...(await ended), answers: answers.map(({ body }) => body.messages.at(-1)?.content) };
}

test("each non-empty line is a turn, with any line ends; answers go to standard output, the log to standard error", async () => {
  const { code, stdout, stderr, answers } = await chat(
    [says("One.\n\n**Bold.**"), says("Two.")],
    "first\r\n\r\nsecond\r\n",
  );
  expect(stdout).toBe("One.\n\n**Bold.**\nTwo.\n");
  expect(answers).toEqual(["first", "second"]);
  expect(stderr).toMatch(/To go on: lastcall chat \d{8}-\S+\n$/);
  expect(stdout + stderr).not.toContain("\u001b");
  expect(code).toBe(0);
});

test("a question lists its suggestions, and a number chooses one", async () => {
  const question = [call("ask_question", { question: "Tea?", suggestions: ["yes", "no"] })];
  const { stdout, answers } = await chat([question, says("Here.")], "serve\n2\n");
  expect(stdout).toBe("Tea?\n1. yes\n2. no\nHere.\n");
  expect(answers).toEqual(["serve", "no"]);
});

test("retracted words are reported, and the next ones begin on a new line", async () => {
  const claim = { calls: [call("task_completion", { result: "All done." })], piece: 3 };
  const { stdout, stderr, code } = await chat([claim, says("Not yet.")], "go\n", "--until", "false");
  expect(stdout).toBe("All done.\nNot yet.\n");
  expect(stderr).toContain("What was just said is taken back.");
  expect(code).toBe(0);
});

test("with --ask and --park, a call waits for an approval instead of being asked about", async () => {
  const looks = [[call("list_files", { path: "." })], says("Here.")];
  const { stdout, stderr } = await chat(looks, "look\n", "--ask", "--park");
  expect(stdout + stderr).toContain("--approve");
  expect(stdout).not.toContain("Here.");
});

test("a conversation where a config file keeps none is refused, and goes on with a given folder", async () => {
  await using folder = await temporary();
  const config = join(folder.path, "c.yaml");
  await writeFile(config, "no-save: true\n");
  const refused = await chat([], "hi\n", "--config", config);
  expect([refused.code, refused.stderr]).toEqual([4, expect.stringContaining("has no-save; give --sessions DIR.")]);
  const kept = await chat([says("Hi.")], "hi\n", "--config", config, "--sessions", folder.path);
  expect([kept.code, kept.stdout]).toEqual([0, "Hi.\n"]);
});

test("text alone is an answer", async () => {
  const { stdout, code } = await chat([{ text: "Just words.", piece: 2 }], "hi\n");
  expect([stdout, code]).toEqual(["Just words.\n", 0]);
});

test("a failed turn is reported, and sets the exit code", async () => {
  const { stderr, code } = await chat([{ status: 400, message: "no such model" }], "hi\n");
  expect(stderr).toContain("no such model");
  expect(code).toBe(1);
});

test("a resumed conversation has its earlier turns", async () => {
  await using provider = await scriptedProvider([says("Hello, Ada."), says("You are Ada.")]);
  const args = ["chat", "--base-url", provider.url, "--model", "m"];
  const first = start(args);
  first.child.stdin?.end("I am Ada\n");
  const id = /lastcall chat (\S+)/.exec((await first.ended).stderr)?.[1] ?? "";
  const second = start([...args.slice(0, 1), id, ...args.slice(1)]);
  second.child.stdin?.end("who am I?\n");
  expect((await second.ended).stdout).toBe("You are Ada.\n");
  expect(JSON.stringify(provider.requests[1]?.body.messages)).toContain("Hello, Ada.");
});

test("the number of a suggestion chose nothing if an earlier process had asked", async () => {
  const question = [call("ask_question", { question: "Tea?", suggestions: ["yes", "no"] })];
  await using provider = await scriptedProvider([question, says("Here.")]);
  const args = ["chat", "--base-url", provider.url, "--model", "m"];
  const first = start(args);
  first.child.stdin?.end("serve\n");
  const id = /lastcall chat (\S+)/.exec((await first.ended).stderr)?.[1] ?? "";
  const second = start([...args.slice(0, 1), id, ...args.slice(1)]);
  second.child.stdin?.end("2\n");
  await second.ended;
  expect(provider.requests[1]?.body.messages.at(-1)?.content).toBe("no");
});

test.skipIf(noTerminal)(
  `on a screen with both outputs, the log continued in the last line of the words${noTerminal}`,
  async () => {
    await using folder = await temporary();
    await using provider = await scriptedProvider([says("Hello.")]);
    const place = `--workdir ${folder.path} --base-url ${provider.url} --model m`;
    await writeFile(join(folder.path, "sent"), "hi\n");
    await using screen = atTerminal(`chat ${place} < ${folder.path}/sent`, { env: { XDG_STATE_HOME: folder.path } });
    await screen.ended;
    expect(screen.all()).toMatch(/\nHello\.\n\[1\] {2}converse Hello\.\n {6}accepted [^\n]*\nTo go on/);
  },
);

test("a conversation without words prints no command to go on with it", async () => {
  const { code, stderr } = await chat([], "\n");
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("To go on")]);
});

test.each([
  [["--json"], "--json prints one outcome, and a conversation has many; leave it out."],
  [["--no-save"], "lastcall chat takes no --no-save, which goes with a task and lastcall review."],
  [["--ask"], "--ask needs a terminal to ask at, and there is none. Use --park or --yes, or leave it out."],
])("%j is refused", async (args, words) => {
  const { code, stderr } = await run(["chat", "--base-url", "http://127.0.0.1:9/v1", "--model", "m", ...args]);
  expect([code, stderr]).toEqual([4, expect.stringContaining(words)]);
});

test.each(["function calls", "XML"] as const)(
  "each character, in %s, is printed before the next one arrives",
  async (manner) => {
    let stdout = "";
    let look = (): void => undefined;
    const seen = (text: string): Promise<void> =>
      new Promise((settle) => {
        look = () => {
          if (stdout === text) settle();
        };
        look();
      });
    await using server = await frameServer(manner, "Hello, <you> 👋", seen);
    const forcing = manner === "XML" ? "xml" : "required";
    const { child, ended } = start(["chat", "--base-url", server.url, "--model", "m", "--forcing", forcing]);
    child.stdout?.on("data", (piece: string) => {
      stdout += piece;
      look();
    });
    child.stdin?.end("hi\n");
    const { code } = await Promise.race([ended, server.failed]);
    expect([code, stdout]).toEqual([0, "Hello, <you> 👋\n"]);
  },
);

test("a conversation whose signal had aborted before its first line waited for a line", async () => {
  await using folder = await temporary();
  const settings = readSettings(parseOptions(["x", "--no-sandbox", "--workdir", folder.path]));
  const modules = await loadModules(settings);
  const input = new PassThrough();
  const output = new PassThrough();
  const store = memoryStore();
  const session = openSession({ store });
  const left = chatByLines({
    settings,
    workdir: folder.path,
    model: scriptedModel([]),
    atInterrupt: () => undefined,
    ...{ guidance: "", limits: {}, window: undefined, approver: undefined, secrets: [], guarded: [], modules: [] },
    workplaceFor: (rights) => workplaceFor({ ...settings, rights }, { root: folder.path, guarded: [], modules }),
    ...{ log: "quiet", style: plainLook, say: () => undefined, events: undefined },
    ...{ store, session, input, output, signal: AbortSignal.abort() },
  });
  expect(await Promise.race([left, sleep(5000, "it waits")])).toBe(130);
  input.end();
});

/** The command that goes on with a conversation of a file store in this folder. */
const goingOn = (url: string, folder: string): readonly string[] => [
  ...["chat", "s", "--base-url", url, "--model", "m", "--no-sandbox", "--sessions", folder],
];

test("words that a person had queued, and that no run has read, were not shown when the conversation went on", async () => {
  await using folder = await temporary();
  const session = openSession({ store: fileStore(folder.path), id: "s" });
  const agent = createAgent({ model: scriptedModel([says("Hello.")]), tools: [converse()] });
  await agent.run("hi", { session });
  await session.send({ text: "in blue\nor green" });
  await session.send({ text: "old news", answers: "another call" });
  await using provider = await scriptedProvider([says("Blue.")]);
  const { child, ended } = start(goingOn(provider.url, folder.path));
  child.stdin?.end("paint\n");
  const { stdout, stderr } = await ended;
  expect(stderr).toContain("Words that no turn has read go with your next words:\n  ↳ in blue\n    or green\n");
  expect(stderr).not.toContain("old news");
  expect(stdout).toBe("Blue.\n");
  expect(JSON.stringify(provider.requests[0]?.body.messages)).toContain("in blue");
});

test("the answer to words that joined a run of another process was not shown", async () => {
  await using folder = await temporary();
  const session = openSession({ store: fileStore(folder.path), id: "s" });
  let isBusy = (): void => undefined;
  const busy = new Promise<void>((resolve) => {
    isBusy = resolve;
  });
  const look = tool({
    name: "look",
    description: "Looks.",
    input: z.object({}),
    effect: "none",
    run: async () => {
      isBusy();
      while ((await fileStore(folder.path).messages("s")).length === 0) await sleep(20);
      return "seen";
    },
  });
  const agent = createAgent({
    model: scriptedModel([[call("look")], says("In **blue**.")]),
    tools: [look, converse()],
  });
  const running = agent.run("paint it", { session });
  await busy;
  await using provider = await scriptedProvider([]);
  const { child, ended } = start(goingOn(provider.url, folder.path));
  child.stdin?.end("in blue\n");
  const [{ stdout, stderr }, outcome] = [await ended, await running];
  expect(outcome).toMatchObject({ status: "waiting", inputs: ["paint it", "in blue"] });
  expect(stdout, stderr).toBe("In **blue**.\n");
  expect(provider.requests).toHaveLength(0);
});
