// Signed approvals: each way to change a journal afterwards is found.

import { expect, test } from "vitest";
import {
  createAgent,
  tool,
  type ApprovalVerdict,
  type JournalRecord,
  type Principal,
  type Session,
} from "../../../src/index.js";
import { ed25519, memoryStore, openSession, verifyApprovals } from "../../../src/memory/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

const [ann, ben, cas] = ["ann", "ben", "cas"].map((id): Principal => ({ id, tenant: "acme" })) as [
  Principal,
  Principal,
  Principal,
];
const pair = await crypto.subtle.generateKey("Ed25519", false, ["sign", "verify"]);
if (!("privateKey" in pair)) throw new Error("no pair of keys");
const { privateKey, publicKey } = pair;
const keys = { k1: publicKey };

/** A session with two payments that two people approved each. */
async function signed(id = "s"): Promise<Session> {
  const pay = tool({
    name: "pay",
    description: "Pays.",
    input: { type: "object", properties: { sum: { type: "number" } } },
    effect: "network",
    run: () => "paid",
  });
  const agent = createAgent({
    model: scriptedModel([
      [call("pay", { sum: 1 })],
      [call("pay", { sum: 2 })],
      [call("task_completion", { result: "done" })],
    ]),
    tools: [pay, taskCompletion()],
    permission: {
      decide: ({ name }, { approval }) =>
        name !== "pay"
          ? { allowed: true, reason: "an ending" }
          : (approval ?? { later: true, reason: "money", expiresAfter: 60_000 }),
    },
    approvals: { quorum: 2, sign: ed25519("k1", privateKey) },
  });
  const session = openSession({ store: memoryStore(), id });
  await agent.run("pay twice", { session, by: ann });
  for (const by of [ben, cas, cas, ben]) {
    const waiting = await agent.waiting(session);
    await agent.run({ allowed: true }, { session, answers: waiting!.id, by });
  }
  return session.toJSON();
}

const session = await signed();
type Changed = { -readonly [Key in keyof Extract<JournalRecord, { type: "approval" }>]: unknown };

/** The session with other records, numbered anew. */
function withRecords(change: (records: readonly JournalRecord[]) => readonly object[]): Session {
  const records = change(session.records).map((record, seq) => ({ ...record, seq }));
  return { ...session, records: records as unknown as readonly JournalRecord[] };
}

/** The session with a change of its approval of this number, from 0. */
function withApproval(number: number, change: (record: Changed) => object): Session {
  const approvals = session.records.filter(({ type }) => type === "approval");
  return withRecords((records) =>
    records.map((record) => (record === approvals[number] ? change(record as unknown as Changed) : record)),
  );
}

const problemsOf = (verdicts: readonly ApprovalVerdict[]): string =>
  verdicts.flatMap(({ what, problems }) => problems.map((problem) => `${what}: ${problem}`)).join("\n");

test("a session whose approvals are as they were given holds, answer by answer and effect by effect", async () => {
  expect(session.records.at(-1)).toMatchObject({ type: "outcome", status: "completed" });
  const verdicts = await verifyApprovals(session, keys);
  expect(problemsOf(verdicts)).toBe("");
  const answers = verdicts.filter(({ about }) => about === "answer").map(({ what }) => what);
  expect(answers).toEqual(["ben", "cas", "cas", "ben"].map((id) => `the yes of ${id} of acme`));
  const effects = verdicts.filter(({ about }) => about === "effect").map(({ what }) => what);
  expect(effects).toEqual(Array.from({ length: 4 }, () => "the effect of pay"));
  expect(verdicts.every(({ unchecked }) => unchecked.length === 0)).toBe(true);
});

test("the time to verify a long session grew with the square of its calls: now its records are read once", async () => {
  const reads = async (calls: number): Promise<number> => {
    let count = 0;
    const usage = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 };
    const plain = Array.from({ length: calls }, (_none, index) => {
      const id = `s/call:${String(index + 1)}:0`;
      const reply = { text: "", finish: "complete", usage, calls: [{ type: "call", id, name: "pay", input: {} }] };
      const result = { callId: id, name: "pay", ok: true, text: "paid" };
      return [
        { type: "reply", iteration: index + 1, reply },
        { type: "intent", callId: id },
        { type: "result", result },
      ];
    }).flat();
    const records = plain.map((record, seq) =>
      Object.defineProperty({ ...record, seq, at: seq }, "type", { get: () => ((count += 1), record.type) }),
    );
    await verifyApprovals({ version: 1, id: "s", records: records as unknown as readonly JournalRecord[] }, keys);
    return count;
  };
  expect(await reads(400)).toBe(2 * (await reads(200)));
});

const proof = (record: Changed) => record.proof as Record<string, unknown>;
const other = await signed("other");
const first = (records: readonly JournalRecord[]) => records.findIndex(({ type }) => type === "approval");

const tampered: Readonly<Record<string, readonly [Session, string]>> = {
  "another principal": [withApproval(0, (one) => ({ ...one, by: ann })), "the person is another"],
  "a no that became a yes": [withApproval(0, (one) => ({ ...one, allowed: false })), "signature does not fit"],
  "another time": [
    withApproval(0, (one) => ({ ...one, proof: { ...proof(one), at: Number(proof(one)["at"]) + 1 } })),
    "signature does not fit",
  ],
  "a time before the call": [withApproval(0, (one) => ({ ...one, at: 5 })), "time does not fit"],
  "another expiry": [
    withRecords((all) => all.map((one) => (one.type === "parked" ? { ...one, expiresAt: 9e15 } : one))),
    "not the call that was shown",
  ],
  "an answer after the expiry": [
    withRecords((all) => all.map((one) => (one.type === "parked" ? { ...one, expiresAt: one.at } : one))),
    "its time was over",
  ],
  "another digest": [
    withRecords((all) => all.map((one) => (one.type === "parked" ? { ...one, digest: "0".repeat(64) } : one))),
    "not the call that was shown",
  ],
  "another key": [withApproval(0, (one) => ({ ...one, proof: { ...proof(one), key: "k2" } })), "there is no key k2"],
  "no signature": [withApproval(0, ({ proof: _proof, ...one }) => one), "it has no signature"],
  "another order": [
    withRecords((all) => {
      const [one, two] = all.flatMap((record, index) => (record.type === "approval" ? [index] : [])) as [
        number,
        number,
      ];
      return all.map((record, index) => (index === one ? all[two]! : index === two ? all[one]! : record));
    }),
    "the approval before it is another",
  ],
  "an approval of another session": [
    withApproval(0, (one) => {
      const copied = other.records[first(other.records)] as Extract<JournalRecord, { type: "approval" }>;
      return { ...copied, answers: one.answers };
    }),
    "given in another session, other",
  ],
  "an approval that is gone": [
    withRecords((all) => all.filter((_one, index) => index !== first(all))),
    "the approval before it is another",
  ],
  "the last approval that is gone": [
    withRecords((all) => {
      const last = all.findLastIndex(({ type }) => type === "approval");
      return all.filter((_one, index) => index !== last);
    }),
    "the effect of pay: 1 of 2 people",
  ],
  "an approval that is there twice": [
    withRecords((all) => all.flatMap((one, index) => (index === first(all) ? [one, one] : [one]))),
    "the approval before it is another",
  ],
  "a call that was changed after its yes": [
    withRecords((all) =>
      all.map((one) =>
        one.type === "reply"
          ? {
              ...one,
              reply: { ...one.reply, calls: one.reply.calls.map((made) => ({ ...made, input: { sum: 900 } })) },
            }
          : one,
      ),
    ),
    "not the call that was shown",
  ],
  "a quorum that was halved": [
    withRecords((all) =>
      all
        .map((one) => (one.type === "parked" ? { ...one, quorum: 1 } : one))
        .filter((one) => one.type !== "approval" || one.missing === undefined),
    ),
    "not the call that was shown",
  ],
  "a clock that was set back": [
    withRecords((all) =>
      all.map((one, index) => (index === first(all) - 1 ? { ...one, at: one.at - 3_600_000 } : one)),
    ),
    "a clock was set back",
  ],
  "an effect before its yes": [
    withRecords((all) => {
      const intent = all.findIndex(({ type }) => type === "intent");
      const [moved] = all.slice(intent, intent + 1);
      const rest = all.filter((_one, index) => index !== intent);
      return [...rest.slice(0, first(rest)), moved!, ...rest.slice(first(rest))];
    }),
    "the effect of pay: 0 of 2 people",
  ],
};

test.each(Object.entries(tampered))("%s is found", async (_name, [changed, problem]) => {
  expect(problemsOf(await verifyApprovals(changed, keys))).toContain(problem);
});

test("what a redaction took can't be checked, and is shown as such", async () => {
  const redacted = withRecords((all) =>
    all.map((one) => (one.type === "parked" ? { ...one, preview: "[redacted: key]" } : one)),
  );
  const verdicts = await verifyApprovals(redacted, keys);
  expect(problemsOf(verdicts)).toBe("");
  expect(verdicts[0]!.unchecked).toEqual(["the call was redacted after its answer"]);
  const nameless = withApproval(0, ({ by: _by, ...one }) => one);
  const [verdict] = await verifyApprovals(nameless, keys);
  expect(verdict!.unchecked).toEqual(["the person was left out after the answer"]);
});

test("an answer that can't be signed is no answer: the call waits on", async () => {
  const pay = tool({
    name: "pay",
    description: "Pays.",
    input: { type: "object" },
    effect: "write",
    run: () => "paid",
  });
  const agent = createAgent({
    model: scriptedModel([[call("pay", {})]]),
    tools: [pay, taskCompletion()],
    permission: () => ({ later: true, reason: "look" }),
    approvals: { sign: { key: "k1", sign: () => Promise.reject(new Error("the key is locked")) } },
  });
  const kept = openSession({ store: memoryStore(), id: "s" });
  await agent.run("go", { session: kept });
  const before = (await kept.toJSON()).records;
  expect(await agent.run({ allowed: true }, { session: kept })).toMatchObject({ status: "failed" });
  expect((await kept.toJSON()).records).toEqual(before);
});
