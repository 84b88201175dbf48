// The replay of recorded answers holds on a sample of our own, and reports a library that misreads them.

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { replayRecordings, type Recording, type Replayed } from "../scripts/recordings/replay.mjs";
import { openai, type OpenAIOptions } from "../src/model/index.js";
import { noUsage, type Model, type ModelEvent, type WrittenReply } from "../src/index.js";
import "./dist.js";

const file = "test/recordings/sample.jsonl";
const lines = readFileSync(file, "utf8").trim().split("\n");
const recordings = lines.map((line) => JSON.parse(line) as Recording & { readonly origin: { readonly path: string } });

async function replay(makeModel: unknown): Promise<readonly Replayed[]> {
  const results: Replayed[] = [];
  for await (const result of replayRecordings(recordings, makeModel)) results.push(result);
  return results;
}

test("every answer of the sample is read as its plain reading says", async () => {
  const results = await replay(openai);
  expect(results.flatMap(({ problems }) => problems)).toEqual([]);
  expect(results.filter(({ skipped }) => skipped !== undefined)).toHaveLength(1);
});

test("a library that changes what it reads fails on each reply", async () => {
  const changed = (change: (reply: WrittenReply) => WrittenReply) => (options: OpenAIOptions) => {
    const model = openai(options);
    const respond: Model["respond"] = async function* (...asked): AsyncGenerator<ModelEvent, WrittenReply, void> {
      return change(yield* model.respond(...asked));
    };
    return { ...model, respond };
  };
  const problemsOf = async (change: (reply: WrittenReply) => WrittenReply): Promise<number> =>
    (await replay(changed(change))).filter(({ problems }) => problems.length > 0).length;
  expect(await problemsOf((reply) => ({ ...reply, text: `${reply.text}.` }))).toBe(13);
  expect(await problemsOf((reply) => ({ ...reply, calls: [] }))).toBe(6);
});

test("a library that takes an answer that was broken off for a reply fails", async () => {
  const reply = { text: "", calls: [], finish: "complete", usage: noUsage };
  async function* respond(): AsyncGenerator<never, unknown, void> {
    return await Promise.resolve(reply);
  }
  const results = await replay(() => ({ respond }));
  const taken = results.filter(({ problems }) => problems.some((problem) => problem.endsWith("read as a reply")));
  expect(taken).toHaveLength(4);
});

test("the command ends with its counts", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["scripts/recordings.mjs", file]);
  expect(stdout.trim().split("\n").at(-1)).toBe("19 passed, 0 failed, 1 skipped");
});
