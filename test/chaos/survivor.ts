// What must hold of a session whose processes were killed, whatever was done to them: the oracle of the kill tests.

import { expect } from "vitest";
import { replay, type JournalRecord } from "../../src/index.js";
import { assertWellFormed, assertWellFormedRequest, type ProviderRequest } from "../../src/testing/index.js";
import { spentIn } from "./invariants.js";
import type { Life, Stage } from "./lives.js";

/** Goes on in new processes until the task is done. */
export async function liveOn(stage: Stage): Promise<readonly Life[]> {
  const lives: Life[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    const life = await stage.live();
    lives.push(life);
    expect({ code: life.code, stderr: unexpected(life) }).toEqual({ code: 0, stderr: "" });
    const { records } = await stage.session();
    const last = records.at(-1);
    if (last?.type === "outcome" && last.status === "completed") return lives;
  }
  throw new Error("It came to no end.");
}

/** The session is completed, nothing happened twice, nothing was lost, and nothing is left over. */
export async function expectSound(stage: Stage, lives: readonly Life[]): Promise<readonly JournalRecord[]> {
  const { records } = await stage.session();
  assertWellFormed(records);
  expect(records.at(-1)).toMatchObject({ type: "outcome", status: "completed" });
  expect(replay(records).spent).toEqual(spentIn(records.slice(records.findLastIndex(({ type }) => type === "input"))));
  expectOnce(records, await stage.effects());
  expectToldOfWhatIsUnknown(records, lives);
  expectAllowed(records, lives);
  expectCounts(records, lives);
  const requests = stage.provider.requests.map(({ body }) => body);
  requests.forEach((body) => {
    assertWellFormedRequest(body);
  });
  expect(lives.map(unexpected).join("")).toBe("");
  return records;
}

/** The stderr of a process, without the one sentence that it owes: that the rest of a write was dropped. */
function unexpected({ stderr }: Life): string {
  return stderr.replace(
    /^lastcall: The session s \(.+\) had .+\. Nobody was told that it was kept; it is dropped\.\n/,
    "",
  );
}

/** Whether a call of this tool may be run again. */
const idempotent = "mark";

/** No call ran twice unless it may; what ran has its result, or the model is told that its outcome is unknown. */
function expectOnce(records: readonly JournalRecord[], effects: Awaited<ReturnType<Stage["effects"]>>): void {
  const times = new Map<string, number>();
  for (const { what, callId } of effects) {
    times.set(callId, (times.get(callId) ?? 0) + 1);
    const result = records.find((record) => record.type === "result" && record.result.callId === callId);
    const claim = records.find((record) => record.type === "claim" && record.callId === callId);
    const text = result?.type === "result" ? result.result.text : claim === undefined ? "nothing" : "claimed";
    const isMeant = text === "claimed" || text === `did ${what}` || text.includes("outcome is unknown");
    expect(isMeant, `${callId} ran, and its result is: ${text}`).toBe(true);
    if (what.startsWith(idempotent)) expect(text).toBe(`did ${what}`);
    else expect(times.get(callId), `how often ${callId} ran`).toBe(1);
  }
  for (const record of records) {
    if (record.type === "result" && record.result.ok && record.result.text.startsWith("did "))
      expect(times.has(record.result.callId), `${record.result.callId} has a result and did not run`).toBe(true);
  }
}

/** The model is told that the outcome is unknown of exactly those calls that a process left at work, and may not be run again. */
function expectToldOfWhatIsUnknown(records: readonly JournalRecord[], lives: readonly Life[]): void {
  const left = lives.flatMap((life) => life.left).filter(({ name }) => name !== idempotent);
  const told = records.flatMap((record) =>
    record.type === "result" && record.result.text.includes("outcome is unknown") ? [record.result.callId] : [],
  );
  expect(told.toSorted()).toEqual([...new Set(left.map(({ id }) => id))].toSorted());
}

/** Whoever is asked is asked before each run of a call, and an answer that was recorded was given. */
function expectAllowed(records: readonly JournalRecord[], lives: readonly Life[]): void {
  const given = new Set(lives.flatMap(({ told }) => told.flatMap(({ allowed }) => allowed ?? [])));
  for (const record of records) {
    if (record.type === "intent") expect(given).toContain(record.callId);
  }
}

/** What each run returned of itself is what the journal says of it. */
function expectCounts(records: readonly JournalRecord[], lives: readonly Life[]): void {
  const outcomes = lives.flatMap(({ told }) => told.filter(({ status }) => status !== undefined));
  const starts = records.flatMap((record, index) => (record.type === "input" ? [index] : []));
  for (const { run = 0, usage, iterations, status } of outcomes) {
    const own = records.slice(starts[run - 1], starts[run]);
    // A run that waited for approvals has several outcomes, each with the replies that no earlier one has told.
    if (own.some(({ type }) => type === "approval" || type === "parked")) continue;
    const replies = own.flatMap((record) => (record.type === "reply" ? [record.reply] : []));
    const sum = (key: "inputTokens" | "outputTokens"): number =>
      replies.reduce((total, reply) => total + reply.usage[key], 0);
    expect({ iterations, input: usage?.inputTokens, output: usage?.outputTokens, status }).toEqual({
      iterations: replies.length,
      input: sum("inputTokens"),
      output: sum("outputTokens"),
      status: own.findLast((record) => record.type === "outcome")?.status,
    });
  }
}

/** Each request extends the one before, over all processes, and one that was not answered is sent again as it was. */
export function expectSamePrompt(requests: readonly ProviderRequest[]): void {
  requests.forEach(({ body: { messages } }, index) => {
    const before = requests[index - 1]?.body.messages ?? [];
    expect(messages.slice(0, before.length), `the prompt of request ${String(index + 1)}`).toEqual(before);
  });
}

/** The session is there for its user alone, it is free, and there is nothing besides. */
export async function expectTidy(stage: Stage, lives: readonly Life[]): Promise<void> {
  // Where nothing was left to be written nobody has taken the lock of the process that was killed: it can be taken.
  if (lives.at(-1)?.told.length === 0) await stage.lease();
  expect(await stage.files()).toEqual(["s 700", "s/journal.jsonl 600", "s/lock 700", "s/lock/free 600"]);
}
