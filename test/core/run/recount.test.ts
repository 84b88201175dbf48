import { expect, test } from "vitest";
import { z } from "zod";
import {
  createAgent,
  tool,
  type AnyPermission,
  type JournalRecord,
  type Model,
  type Session,
} from "../../../src/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { assertWellFormed, call, scriptedModel } from "../../../src/testing/index.js";
import { delegate, taskCompletion } from "../../../src/tools/index.js";

const done = [call("task_completion", { result: "done" })];
const pay = tool({
  name: "pay",
  description: "Pays, side by side with other calls",
  effect: "read",
  input: z.object({}),
  run: () => "paid",
});

/** A root whose calls run a branch, whose call runs a leaf of this model, and with `pays` wait for a person first. */
function treeOf(leafModel: Model, pays = false) {
  const [rootModel, branchModel] = ["branch", "leaf"].map((name) =>
    scriptedModel(({ lastText }) => {
      if (lastText !== "Go.") return done;
      return [call(name, { task: "Go." }), ...(pays && name === "branch" ? [call("pay")] : [])];
    }),
  );
  const leaf = createAgent({ model: leafModel, tools: [taskCompletion()] });
  const below = delegate(leaf, { name: "leaf", description: "A leaf", effect: "read" });
  const branch = createAgent({ model: branchModel!, tools: [below, taskCompletion()] });
  const above = delegate(branch, { name: "branch", description: "A branch", effect: "read" });
  const permission: AnyPermission = {
    decide: ({ name }, { approval }) =>
      name === "pay"
        ? (approval ?? { later: true, reason: "A person has to look." })
        : { allowed: true, reason: "it is harmless" },
  };
  return createAgent({ model: rootModel!, tools: [above, pay, taskCompletion()], permission });
}

/** The session of the tree as its process left it: two replies of the leaf are there, and the third was never answered. */
async function left(pays = false): Promise<Session> {
  const session = openSession({ store: memoryStore(), id: "tree" });
  const mistakes = scriptedModel(() => [call("nothing")]);
  const stop = new AbortController();
  let asked = 0;
  let kept: Session | undefined;
  const model: Model = {
    ...mistakes,
    async *respond(request, signal) {
      if ((asked += 1) < 3) return yield* mistakes.respond(request, signal);
      // The other call of the root waits for its approval meanwhile.
      for (;;) {
        kept = await session.toJSON();
        if (!pays || kept.records.some(({ type }) => type === "parked")) break;
        // Reading memory leaves no turn to the rest of the run, which may need one.
        await new Promise((resolve) => setImmediate(resolve));
      }
      stop.abort();
      throw new Error("The process is gone.");
    },
  };
  await treeOf(model, pays).run("Go.", { session, signal: stop.signal });
  return kept!;
}

/** The same session with other records, of the tree's root or of each agent below. */
function changed(
  session: Session,
  change: (records: readonly JournalRecord[], id: string) => readonly JournalRecord[],
): Session {
  const numbered = (records: readonly JournalRecord[]): readonly JournalRecord[] =>
    records.map((record, seq) => ({ ...record, seq }));
  const children = Object.entries(session.children ?? {}).map(([id, child]) => [
    id,
    { ...child, records: numbered(change(child.records, id)) },
  ]);
  return {
    ...session,
    records: numbered(change(session.records, session.id)),
    children: Object.fromEntries(children) as Record<string, Session>,
  };
}

const spends = (records: readonly JournalRecord[]): readonly number[] =>
  records.flatMap((record) => (record.type === "spend" ? [record.spent.iterations] : []));
const isLastSpend = (record: JournalRecord, index: number, all: readonly JournalRecord[]): boolean =>
  record.type === "spend" && !all.slice(index + 1).some(({ type }) => type === "spend");

/** The counts of each run in the end, the root first. */
async function countedBy(session: Session): Promise<readonly (readonly number[])[]> {
  const { session: ended, status, ...outcome } = await treeOf(scriptedModel([done])).resume(session);
  expect(status, JSON.stringify(outcome)).toBe("completed");
  const all = [ended, ...Object.values(ended.children ?? {})];
  for (const { records } of all) assertWellFormed(records);
  return all.map(({ records }) => spends(records)).sort((a, b) => b.length - a.length);
}

test("replies that a dead process stored below, and did not count in the runs above, are counted when they go on", async () => {
  const session = await left();
  expect(await countedBy(session)).toEqual([[1, 1, 1, 1, 1], [1, 1, 1], []]);
  const uncounted = changed(session, (records) =>
    records.filter((record, index, all) => !isLastSpend(record, index, all)),
  );
  expect(await countedBy(uncounted)).toEqual([[1, 1, 1, 1, 1], [1, 1, 1], []]);
  const none = changed(session, (records) => records.filter(({ type }) => type !== "spend"));
  expect(await countedBy(none)).toEqual([[3, 1, 1], [2, 1], []]);
  const rootAlone = changed(session, (records, id) => records.filter(({ type }) => type !== "spend" || id !== "tree"));
  expect(await countedBy(rootAlone)).toEqual([[3, 1, 1], [1, 1, 1], []]);
});

test("they are counted too if the run goes on with an approval", async () => {
  const session = await left(true);
  const parked = session.records.find((record) => record.type === "parked");
  const rootAlone = changed(session, (records, id) => records.filter(({ type }) => type !== "spend" || id !== "tree"));
  const tree = treeOf(scriptedModel([done]), true);
  const yes = { allowed: true, digest: parked!.digest };
  const { session: ended, status } = await tree.run(yes, { session: rootAlone, answers: parked!.callId });
  expect(status).toBe("completed");
  expect(spends(ended.records)).toEqual([3, 1, 1]);
});

test("a journal of an older version, which does not say whose agent used it, is counted as it is", async () => {
  const older = changed(await left(), (records) =>
    records
      .filter((record, index, all) => !isLastSpend(record, index, all))
      .map((record) => {
        if (record.type !== "spend") return record;
        const { callId: _none, ...rest } = record;
        return rest;
      }),
  );
  expect(await countedBy(older)).toEqual([[1, 1, 1, 1], [1, 1], []]);
});
