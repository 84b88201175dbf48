import { readFileSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { call, scriptedProvider, type Script } from "../../../src/testing/index.js";
import { cassetteFile } from "../../testing/cassette/recorded-folder.js";
import { anthropicWire } from "../../ai-sdk/wires.js";
import { wireProvider } from "../../ai-sdk/wire-provider.js";
import { run, runHere } from "../command.js";

const script: Script = [
  { status: 429, headers: { "retry-after-ms": "1" } },
  [call("read_file", { path: "a.txt" }), call("list_files", { path: "." })],
  { text: "Writing.", calls: [call("write_file", { path: "b.txt", content: "hello" })], split: 7 },
  [call("task_completion", { result: "Copied." })],
];

/** Runs a task in a new folder with the file a.txt. */
async function task(file: string, args: readonly string[], { prompt = "Copy a.txt", text = "hello\n" } = {}) {
  const folder = await mkdtemp(join(file, "..", "work-"));
  await writeFile(join(folder, "a.txt"), text);
  const words = [...args, "--yes", "--no-config", "--no-sandbox", "--no-save", "--workdir", folder, prompt];
  const ended = await runHere(words, { OPENAI_API_KEY: "" });
  return { ...ended, folder };
}

async function recorded(file: string): Promise<Awaited<ReturnType<typeof task>>> {
  await using upstream = await scriptedProvider(script);
  return await task(file, ["--model", "m", "--base-url", upstream.url, "--record", file]);
}

test("a recorded run replays in another folder without its server and without a key", async () => {
  const file = cassetteFile();
  const live = await recorded(file);
  expect(live).toMatchObject({ code: 0, stdout: "Copied.\n" });
  expect(live.stderr).toContain(`recorded 4 requests in ${file}`);
  const bytes = readFileSync(file, "utf8");
  expect(bytes).not.toContain(live.folder);

  const again = await task(file, ["--replay", file]);
  expect(again).toMatchObject({ code: 0, stdout: "Copied.\n" });
  expect(again.stderr).toContain(`replayed every request of ${file}`);
  expect(readFileSync(join(again.folder, "b.txt"), "utf8")).toBe("hello");
  expect(readFileSync(file, "utf8")).toBe(bytes);
});

test.each([
  ["a word of the task", [], { prompt: "Copy b.txt" }, '/messages/1/content was "Copy a.txt" and is "Copy b.txt"'],
  ["a tool that is gone", ["--no-explore"], {}, "/tools: explore is gone"],
  ["a file that the model reads", [], { text: "hullo\n" }, "/messages/3/content was "],
])("a replay names %s at its first departure", async (_name, args, changes, departure) => {
  const file = cassetteFile();
  await recorded(file);
  const { code, stderr } = await task(file, ["--replay", file, ...args], changes);
  expect(code).toBe(1);
  expect(stderr).toContain("The replay departs: request ");
  expect(stderr).toContain(departure);
  expect(stderr).toContain("--record missing");
});

test("--record missing asks the model for what the file lacks, and the next replay is whole", async () => {
  const file = cassetteFile();
  await recorded(file);
  await using upstream = await scriptedProvider([[call("task_completion", { result: "New." })]]);
  const server = ["--model", "m", "--base-url", upstream.url];
  const { code, stderr } = await task(file, ["--replay", file, "--record", "missing", ...server], { prompt: "New" });
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("recorded 1 request in") });
  expect(stderr).toContain('/messages/1/content was "Copy a.txt" and is "New"');
  const again = await task(file, ["--replay", file], { prompt: "New" });
  expect(again).toMatchObject({ code: 0, stdout: "New.\n" });
  expect(again.stderr).toContain("not made: 4 recorded requests");
});

test.each([
  [["--record", "missing"], "--record missing adds to the file of --replay"],
  [["--record", "x.jsonl", "--replay", "y.jsonl"], "--replay asks no model, so nothing can be recorded"],
  [["--replay", "none.jsonl"], "The cassette none.jsonl can't be read"],
])("%j is refused", async (args, message) => {
  const { code, stderr } = await runHere([...args, "--no-config", "Go"]);
  expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining(message) });
});

test("a replay refuses another server than the recorded one", async () => {
  const file = cassetteFile();
  await recorded(file);
  const { code, stderr } = await task(file, ["--replay", file, "--base-url", "http://127.0.0.1:9/v1"]);
  expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining("leave that out") });
});

test("the built command records as one process and replays as another, over the package of another maker too", async () => {
  const file = cassetteFile();
  const key = "planted-Key-of-anthropic-1";
  await using upstream = await wireProvider(anthropicWire, [[call("task_completion", { result: "Done." })]]);
  const server = ["--provider", "anthropic", "--model", "claude", "--base-url", `${upstream.origin}/v1`];
  const task = ["--no-config", "--no-sandbox", "--no-save", `Do it, ${key}`];
  const live = await run(["--record", file, ...server, ...task], { ANTHROPIC_API_KEY: key });
  expect(live).toMatchObject({ code: 0, stdout: "Done.\n", stderr: expect.stringContaining("recorded 1 request in") });
  const text = readFileSync(file, "utf8");
  expect(text).toContain("[redacted: value]");
  expect(text).not.toContain(key);
  const again = await run(["--replay", file, ...task], { ANTHROPIC_API_KEY: key });
  expect(again).toMatchObject({
    code: 0,
    stdout: "Done.\n",
    stderr: expect.stringContaining("replayed every request"),
  });
});

test("a failure after the start of a replay ends the process", async () => {
  const file = cassetteFile();
  await recorded(file);
  const { code, stderr } = await run(["--replay", file, "--no-config", "--prices", "none.json", "Go"]);
  expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining("none.json") });
});
