// Receipts, verified in the page.

import { expect, test } from "vitest";
import { createAgent, type JournalRecord } from "../../../src/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { verifyClaim } from "../../../src/studio/data/receipts.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

async function recordsOf(): Promise<readonly JournalRecord[]> {
  const session = openSession({ store: memoryStore(), id: "s" });
  const agent = createAgent({
    model: scriptedModel([[call("task_completion", { result: "Done." })]]),
    tools: [taskCompletion()],
    checks: [{ name: "tests", verify: async () => ({ passed: true, output: "12 passed" }) }],
  });
  await agent.run("Go.", { session });
  return (await session.toJSON()).records;
}

const redacted = async (): Promise<readonly number[]> => [];

/** The records as a page has them: the texts of checks are cut. */
function cut(records: readonly JournalRecord[]): readonly JournalRecord[] {
  return records.map((record) => (record.type === "check" ? { ...record, output: "12 pa" } : record));
}

test("a receipt holds if the whole check says so, though the page has it cut", async () => {
  const records = await recordsOf();
  const claim = records.find(({ type }) => type === "claim")!.seq;
  const asked: number[] = [];
  const whole = async (seq: number): Promise<JournalRecord> => {
    asked.push(seq);
    return records[seq]!;
  };
  const verified = await verifyClaim(cut(records), claim, { whole, redacted, canDigest: true });
  expect(verified).toMatchObject([{ holds: true, reason: "", receipt: { check: "tests" } }]);
  expect(asked).toEqual(records.filter(({ type, seq }) => type === "check" && seq < claim).map(({ seq }) => seq));
});

test("a receipt does not hold if the check says something else, and the reason is told", async () => {
  const records = await recordsOf();
  const claim = records.find(({ type }) => type === "claim")!.seq;
  const whole = async (seq: number): Promise<JournalRecord> => cut(records)[seq]!;
  const [verified] = await verifyClaim(records, claim, { whole, redacted, canDigest: true });
  expect(verified!.holds).toBe(false);
  expect(verified!.reason).not.toBe("");
});

test("a receipt whose output lost a secret later neither holds nor fails: the page says that it was not checked", async () => {
  const records = await recordsOf();
  const claim = records.find(({ type }) => type === "claim")!.seq;
  const check = records.findLast(({ type }) => type === "check")!.seq;
  const whole = async (seq: number): Promise<JournalRecord> => cut(records)[seq]!;
  const verified = await verifyClaim(records, claim, { whole, redacted: async () => [check], canDigest: true });
  expect(verified).toMatchObject([{ holds: false, isOpen: true, reason: expect.stringContaining("secret") }]);
});

test("a page that makes no digests says so, and a record that is no claim has no receipts", async () => {
  const records = await recordsOf();
  const claim = records.find(({ type }) => type === "claim")!.seq;
  const whole = async (seq: number): Promise<JournalRecord> => records[seq]!;
  const verified = await verifyClaim(records, claim, { whole, redacted, canDigest: false });
  expect(verified).toMatchObject([{ holds: false, reason: expect.stringContaining("over https") }]);
  expect(await verifyClaim(records, 0, { whole, redacted, canDigest: true })).toEqual([]);
});
