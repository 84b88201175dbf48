// Sessions of strangers, damaged in every place: each is refused in words, or nothing that reads it later fails.

import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, LastcallError, replay, tool, type Session } from "../../../src/index.js";
import { recordWords } from "../../../src/core/internal.js";
import { importSession, memoryStore, openSession, promptAt, sessionStats } from "../../../src/memory/index.js";
import { soundSession } from "../../../src/memory/session/sound-session.js";
import { allowAll } from "../../../src/permission/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

const id = "20261129-0040-abcd";

async function session(): Promise<Session> {
  const store = memoryStore();
  const look = tool({
    name: "look",
    description: "Looks",
    input: z.object({ at: z.string() }),
    effect: "read",
    run: ({ at }) => {
      if (at === "gone") throw new Error("there is no such place");
      return `It is ${at}.`;
    },
  });
  const agent = createAgent({
    model: scriptedModel([
      { text: "I look.", calls: [call("look", { at: "here" }), call("look", { at: "gone" })] },
      [call("task_completion", { result: "Done." })],
    ]),
    tools: [look, taskCompletion()],
    permission: allowAll(),
    checks: [{ name: "tests", verify: async () => ({ passed: true, output: "12 passed" }) }],
  });
  await agent.run("Look around.", { session: openSession({ store, id }), by: { id: "ann" } });
  return openSession({ store, id }).toJSON();
}

/** All paths into a value. */
function pathsOf(value: unknown, before: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [before];
  return [before, ...Object.entries(value).flatMap(([key, inner]) => pathsOf(inner, [...before, key]))];
}

/** A copy of the value with another one at a path. */
function withAt(value: unknown, [key, ...rest]: readonly string[], other: unknown): unknown {
  if (key === undefined) return other;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<string, unknown>;
  const next = withAt(copy[key], rest, other);
  if (next !== gone) return Object.assign(copy, { [key]: next });
  return Object.fromEntries(Object.entries(copy).filter(([name]) => name !== key));
}

const gone = Symbol("gone");

/** Reads the session in all the ways in which the parts of lastcall read one. */
async function readAll(text: string): Promise<void> {
  const store = memoryStore();
  const { id: kept } = await importSession({ store, text });
  const read = await openSession({ store, id: kept }).toJSON();
  replay(read.records);
  await sessionStats([read]);
  for (const record of read.records) {
    new Date(record.at).toISOString();
    recordWords(record);
    if (record.type === "reply") await promptAt(read, record.seq);
  }
}

describe("a value of another kind", () => {
  const others: readonly unknown[] = [gone, null, 7, -1, "x", true, [], {}, [null], { a: null }];

  test("in any place of a session is refused in words, or can be read", { timeout: 60_000 }, async () => {
    const given = await session();
    const paths = pathsOf(given);
    expect(paths.length).toBeGreaterThan(150);
    let [refused, read] = [0, 0];
    for (const path of paths)
      for (const other of others) {
        const text = JSON.stringify(withAt(given, path, other)) ?? "";
        try {
          await readAll(text);
          read += 1;
        } catch (thrown) {
          expect(thrown, `${path.join(".")}: ${JSON.stringify(other)}`).toBeInstanceOf(LastcallError);
          expect((thrown as LastcallError).message).toMatch(/can't be|no session|don't follow|is no/);
          refused += 1;
        }
      }
    expect(refused).toBeGreaterThan(500);
    expect(read).toBeGreaterThan(100);
  });
});

test("the first problem is named with its place", async () => {
  const given = await session();
  const problem = (change: (records: readonly unknown[]) => readonly unknown[]): string => {
    try {
      soundSession({ ...given, records: change(given.records) });
    } catch (thrown) {
      return (thrown as Error).message;
    }
    return "";
  };
  expect(problem((records) => records.slice(1))).toContain("record 0 of 20261129-0040-abcd has the number 1");
  expect(problem((records) => records.with(1, { type: "spell", seq: 1, at: 0 }))).toContain('the type "spell"');
  expect(problem((records) => records.with(1, { ...(records[1] as object), at: 1e300 }))).toContain(".at is no time");
  const deep = JSON.parse(`${"[".repeat(300)}${"]".repeat(300)}`) as unknown;
  expect(problem((records) => records.with(1, { ...(records[1] as object), deep }))).toContain("more than 200 levels");
  const picture = { mediaType: "text/html\r\nx: y", digest: "../../etc/passwd", size: 1, tokens: 1 };
  expect(problem((records) => records.with(0, { ...(records[0] as object), attachments: [picture] }))).toContain(
    ".attachments[0].mediaType is no media type",
  );
});

test("fields of a newer version do no harm", async () => {
  const given = await session();
  const records = given.records.map((record) => ({ ...record, newer: { than: ["this"] } }));
  expect(soundSession({ ...given, records }).records).toEqual(records);
});
