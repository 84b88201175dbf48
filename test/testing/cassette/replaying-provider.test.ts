import { writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createAgent } from "../../../src/index.js";
import { openai } from "../../../src/model/index.js";
import { call, recordingProvider, replayingProvider, scriptedProvider } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { ask, cassetteFile } from "./recorded-folder.js";

async function recorded(prompts: readonly string[]): Promise<string> {
  const file = cassetteFile();
  await using upstream = await scriptedProvider(prompts.map((prompt) => `answer to ${prompt}`));
  await using recorder = await recordingProvider({ upstream: upstream.url, file, labels: { model: "m" } });
  for (const prompt of prompts) await ask(recorder, prompt);
  return file;
}

test("a request that was not recorded is named with its first difference, and gets a status that nobody retries", async () => {
  const file = await recorded(["Read the file.", "Write the file."]);
  await using replay = await replayingProvider({ file });
  await ask(replay, "Read the file.");
  const { status, text } = await ask(replay, "Write the fule.");
  const departure =
    'request 2 (POST /chat/completions) is not the recorded request 2: /messages/0/content was "Write the file." and is "Write the fule."';
  expect(status).toBe(410);
  expect(JSON.parse(text)).toMatchObject({
    error: { code: "not_recorded", message: expect.stringContaining(departure) },
  });
  expect(replay.departures).toEqual([departure]);
  expect(replay.unsaid).toBe(1);
  expect(replay.labels).toEqual({ model: "m" });
});

test("a request that is made once more than recorded, or after the end, is told so", async () => {
  const file = await recorded(["a", "b"]);
  await using replay = await replayingProvider({ file });
  for (const prompt of ["a", "a", "b", "c"]) await ask(replay, prompt);
  await ask(replay, "c", { path: "/responses" });
  expect(replay.departures).toEqual([
    "request 2 (POST /chat/completions) was recorded once and is asked once more",
    "request 4 (POST /chat/completions) comes after the end of the recording, which has 2",
    "request 5 (POST /responses) comes after the end of the recording, which has 2",
  ]);
});

test("an agent ends with the departure in its fault after one request", async () => {
  const file = await recorded(["a"]);
  await using replay = await replayingProvider({ file });
  const model = openai({ baseURL: replay.url, model: "m", apiKey: "none" });
  const outcome = await createAgent({ model, tools: [taskCompletion()] }).run("Go.");
  expect(outcome.status === "failed" && outcome.fault.message).toMatch(/The replay departs: request 1 /);
  expect(outcome.status === "failed" && outcome.fault.code).toBe("provider_rejected");
  expect(replay.departures).toHaveLength(1);
});

test("a recorded agent gets the same replies again", async () => {
  const file = cassetteFile();
  const run = async (url: string) => {
    const model = openai({ baseURL: url, model: "m", apiKey: "none" });
    const { session } = await createAgent({ model, tools: [taskCompletion()] }).run("Go.");
    return session.records.flatMap((record) => (record.type === "reply" ? [record.reply] : []));
  };
  await using upstream = await scriptedProvider(["Hm.", [call("task_completion", { result: "ok" })]]);
  await using recorder = await recordingProvider({ upstream: upstream.url, file });
  const live = await run(recorder.url);
  await using replay = await replayingProvider({ file });
  const again = await run(replay.url);
  const said = [
    { text: "Hm.", calls: [] },
    { text: "", calls: [{ name: "task_completion", input: { result: "ok" } }] },
  ];
  expect(live).toMatchObject(said);
  expect(again).toMatchObject(said);
});

test("`timing` keeps the waits of the recording", async () => {
  const file = await recorded([]);
  const chunks = [
    { at: 0, text: "a" },
    { at: 120, text: "b" },
  ];
  const exchange = {
    request: { method: "GET", path: "/models", digest: "" },
    response: { status: 200, headers: {}, chunks, end: "complete" },
  };
  const lines = [{ cassette: 1, ignore: [], labels: {} }, exchange, exchange];
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join("\n"));
  await using replay = await replayingProvider({ file, timing: true });
  const startedAt = performance.now();
  expect(await (await fetch(`${replay.url}/models`)).text()).toBe("ab");
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(115);
});

test("a file that is no cassette is refused with its line", async () => {
  const file = await recorded([]);
  await expect(replayingProvider({ file: `${file}.none` })).rejects.toThrow(/can't be read/);
  writeFileSync(file, '{"cassette":2}\n');
  await expect(replayingProvider({ file })).rejects.toThrow(/run\.jsonl:1 is not the first line of a cassette/);
  writeFileSync(file, '{"cassette":1,"ignore":[],"labels":{}}\n{"request":{"meth');
  await expect(replayingProvider({ file })).rejects.toThrow(/run\.jsonl:2 is no JSON: .* delete it/);
  writeFileSync(file, '{"cassette":1,"ignore":[],"labels":{}}\n{"request":{}}\n');
  await expect(replayingProvider({ file })).rejects.toThrow(/exchange 1 lacks a part/);
});
