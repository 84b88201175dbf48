import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { OutcomeStatus, RecordBody } from "../../../src/core/internal.js";
import { readAnswer, textOf, type Input, type RunInput } from "../../../src/core/agent/answer.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";
import { input, iteration, reply } from "../journal.js";
import { openRun } from "../open-run.js";

const ended = (status: OutcomeStatus): RecordBody => ({ type: "outcome", status });

/** A session that waits for an answer to the call `q`; until this time, if it is given. */
function waiting(expiresAt?: number): readonly RecordBody[] {
  const claim: RecordBody = {
    type: "claim",
    callId: "q",
    by: "ask_question",
    ending: "waiting",
    value: { question: "Which?" },
    receipts: [],
    ...(expiresAt !== undefined && { expiresAt }),
  };
  return [input(1, "go"), reply(1, ["q"]), claim, iteration(1), ended("waiting")];
}

/** Reads an input against these records; the clock says 5000. */
function read(records: readonly RecordBody[], given: Input | undefined, due?: string, replySchema?: z.ZodType) {
  return readAt(records, { input: given, answers: due }, replySchema);
}

function readAt(records: readonly RecordBody[], given: RunInput, replySchema?: z.ZodType) {
  const tools = [askQuestion({ ...(replySchema && { replySchema }) }), taskCompletion()];
  return readAnswer(openRun({ tools }, records).run, given);
}

const refused = (words: string) => ({ code: "configuration", message: expect.stringContaining(words) });

describe("words", () => {
  test("are new ones if no call waits for them", async () => {
    expect(await read([], "go")).toEqual({ text: "go" });
    expect(await read([input(1, "go"), ended("completed")], "more")).toEqual({ text: "more" });
  });

  test("answer the call that waits, whether that is said or not", async () => {
    expect(await read(waiting(), "blue")).toEqual({ text: "blue", answers: "q" });
    expect(await read(waiting(), "blue", "q")).toEqual({ text: "blue", answers: "q" });
  });

  test("for another call than the one that waits are refused", async () => {
    await expect(read(waiting(), "blue", "p")).rejects.toMatchObject(refused("does not wait for an answer to p"));
    await expect(read([], "blue", "q")).rejects.toMatchObject(refused("does not wait for an answer to q"));
  });
});

describe("an answer with a time", () => {
  test("is taken until that time, and from then on the words are new ones", async () => {
    expect(await read(waiting(5001), "blue")).toEqual({ text: "blue", answers: "q" });
    expect(await read(waiting(5000), "blue")).toEqual({ text: "blue", lapses: "q" });
  });

  test("counts from when it was given, however late or early the clock of this process is", async () => {
    const given = { input: "blue", answers: "q" };
    expect(await readAt(waiting(5000), { ...given, givenAt: 4999 })).toEqual({ text: "blue", answers: "q" });
    expect(await readAt(waiting(5000), { input: "blue", givenAt: 4999 })).toEqual({ text: "blue", answers: "q" });
    expect(await readAt(waiting(5001), { input: "blue", givenAt: 5001 })).toEqual({ text: "blue", lapses: "q" });
    await expect(readAt(waiting(5001), { ...given, givenAt: 5001 })).rejects.toMatchObject(refused("q"));
  });

  test("is refused too late if it says that it is one", async () => {
    await expect(read(waiting(5000), "blue", "q")).rejects.toMatchObject(refused("q"));
  });
});

describe("an answer that must fit a schema", () => {
  const schema = z.object({ color: z.string(), size: z.number().default(1) });

  test("is taken as an object or as its text, with the defaults of the schema", async () => {
    for (const given of [{ color: "blue" }, '{"color":"blue"}']) {
      const { text, answers } = await read(waiting(), given, undefined, schema);
      expect([JSON.parse(text), answers]).toEqual([{ color: "blue", size: 1 }, "q"]);
    }
  });

  test.each<[Input, string]>([
    ["blue", "no JSON object"],
    ["[1]", "no JSON object"],
    [{ color: 7 }, "color"],
  ])("is refused as %j, and the fault says why", async (given, words) => {
    await expect(read(waiting(), given, undefined, schema)).rejects.toMatchObject(refused(words));
  });

  test("is no answer without that schema: an object is refused", async () => {
    await expect(read(waiting(), { color: "blue" })).rejects.toMatchObject(refused("give a text"));
    await expect(read([], { color: "blue" })).rejects.toMatchObject(refused("give a text"));
  });
});

describe("without an input a session goes on", () => {
  test.each<[string, readonly RecordBody[]]>([
    ["after it was stopped", [input(1, "go"), ended("stopped")]],
    ["after it failed", [input(1, "go"), ended("failed")]],
  ])("%s", async (_when, records) => {
    expect(await read(records, undefined)).toEqual({ text: "" });
  });

  test("once nobody answered in time", async () => {
    expect(await read(waiting(5000), undefined)).toEqual({ text: "", lapses: "q" });
  });

  test.each<[string, readonly RecordBody[], string]>([
    ["before its first run", [], "no run yet"],
    ["while it waits for an answer", waiting(5001), "waits for an answer"],
  ])("but not %s", async (_when, records, words) => {
    await expect(read(records, undefined)).rejects.toMatchObject(refused(words));
  });
});

test("an input is text as it is, or the text of its object", () => {
  expect([textOf("go"), textOf({ a: 1 })]).toEqual(["go", '{"a":1}']);
});
