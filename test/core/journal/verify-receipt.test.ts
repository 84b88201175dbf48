import { createHash } from "node:crypto";
import { describe, expect, it, test } from "vitest";
import { z } from "zod";
import { command } from "../../../src/checks/index.js";
import { createAgent, tool, verifyReceipt, type Check, type Outcome } from "../../../src/index.js";
import { call, scriptedModel, type Script } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

const done = call("task_completion", { result: "done" });

/** A tool without a declared effect, so that each call has an intent record, like a change. */
const fix = tool({ name: "fix", description: "Fixes", input: z.object({}), run: () => "fixed" });
const change = call("fix");

type Checked = Extract<Outcome, { status: "completed" }>;

/** A run of these replies, whose check fails `failures` times before it passes. The baseline is the first check. */
async function run(failures: number, script: Script = () => [done]): Promise<Checked> {
  let asked = 0;
  const check = {
    name: "tests",
    verify: () => {
      asked += 1;
      return { passed: asked > failures, output: `run ${String(asked)}`, exitCode: asked > failures ? 0 : 1 };
    },
  };
  const tools = [fix, taskCompletion()];
  const outcome = await createAgent({ model: scriptedModel(script), tools, checks: [check] }).run("go");
  if (outcome.status !== "completed") throw new Error(outcome.status);
  return outcome;
}

describe("a receipt", () => {
  it("has the check's name, its exit code, the digest of its output, and the number of its record", async () => {
    const { receipts, session, verified } = await run(0);
    expect(verified).toBe("held");
    expect(receipts).toEqual([
      {
        check: "tests",
        when: "claim",
        passed: true,
        exitCode: 0,
        judged: false,
        digest: createHash("sha256").update("run 2").digest("hex"),
        duration: expect.any(Number),
        failedBefore: 0,
        flaky: false,
        passedAtBaseline: true,
        changed: [],
        record: session.records.findLastIndex(({ type }) => type === "check"),
      },
    ]);
  });

  it("has the number of earlier failures, without the baseline", async () => {
    expect((await run(3)).receipts).toMatchObject([{ passed: true, failedBefore: 2, passedAtBaseline: false }]);
    expect((await run(1)).receipts).toMatchObject([{ passed: true, failedBefore: 0, passedAtBaseline: false }]);
  });

  it("marks a check as flaky if it failed and passes without an intent to change something in between", async () => {
    expect((await run(2, [[done], [done]])).receipts).toMatchObject([{ failedBefore: 1, flaky: true }]);
    expect((await run(2, [[done], [change], [done]])).receipts).toMatchObject([{ failedBefore: 1, flaky: false }]);
    expect((await run(1, [[done]])).receipts).toMatchObject([{ failedBefore: 0, flaky: true }]);
    expect((await run(1, [[change], [done]])).receipts).toMatchObject([{ failedBefore: 0, flaky: false }]);
  });

  it("lists the changed parts of the check, and says if a model's opinion was enough", async () => {
    const checks: readonly Check[] = [
      { name: "opinion", judged: true, verify: () => ({ passed: true, output: "fine" }) },
      { name: "tests", verify: () => ({ passed: true, output: "", changed: ["a.test.ts"] }) },
    ];
    const options = { tools: [taskCompletion()], checks };
    const outcome = await createAgent({ model: scriptedModel([[done]]), ...options }).run("go");
    if (outcome.status !== "completed") throw new Error(outcome.status);
    const [tests, opinion] = outcome.receipts;
    expect(opinion).toMatchObject({ check: "opinion", judged: true, changed: [] });
    expect(opinion).not.toHaveProperty("passedAtBaseline");
    expect(tests).toMatchObject({ check: "tests", judged: false, changed: ["a.test.ts"], passedAtBaseline: true });
    for (const receipt of outcome.receipts) {
      expect(await verifyReceipt(receipt, outcome.session.records)).toEqual({ holds: true });
    }
  });

  it("of a stopped run has the last result of the check, and holds", async () => {
    const check: Check = { name: "tests", verify: () => ({ passed: false, output: "no" }) };
    const options = { tools: [taskCompletion()], checks: [check], maxAttempts: 2 };
    const outcome = await createAgent({ model: scriptedModel(() => [done]), ...options }).run("go");
    if (outcome.status !== "stopped") throw new Error(outcome.status);
    expect(outcome.receipts).toMatchObject([{ check: "tests", when: "claim", passed: false, failedBefore: 1 }]);
    expect(await verifyReceipt(outcome.receipts[0]!, outcome.session.records)).toEqual({ holds: true });
  });

  it("holds against its own journal, also after a round trip through JSON", async () => {
    const { receipts, session } = await run(2);
    const records = JSON.parse(JSON.stringify(session.records)) as typeof session.records;
    for (const receipt of receipts) expect(await verifyReceipt(receipt, records)).toEqual({ holds: true });
  });

  it.each<[string, object, RegExp]>([
    ["another place", { record: 0 }, /record 0 .* is no check/],
    ["another place that there is none of", { record: 99 }, /record 99/],
    ["the place of another time it was asked", { record: 1 }, /when is claim, in the journal baseline/],
    ["another time", { when: "iteration" }, /when is iteration, in the journal claim/],
    ["another verdict", { passed: false }, /passed is false, in the journal true/],
    ["another exit code", { exitCode: 1 }, /exitCode is 1/],
    ["another digest", { digest: "0" }, /digest is 0/],
    ["fewer failures", { failedBefore: 0 }, /failedBefore is 0, in the journal 1/],
    ["nothing flaky", { flaky: false }, /flaky is false, in the journal true/],
    ["another baseline", { passedAtBaseline: true }, /passedAtBaseline is true, in the journal false/],
    ["no baseline", { passedAtBaseline: undefined }, /passedAtBaseline is undefined, in the journal false/],
    ["a model's opinion", { judged: true }, /judged is true, in the journal false/],
    ["files that were not changed", { changed: ["a"] }, /changed is a, in the journal /],
  ])("does not hold with %s", async (_what, change, reason) => {
    const { receipts, session } = await run(2);
    const verdict = await verifyReceipt({ ...receipts[0]!, ...change }, session.records);
    expect(!verdict.holds && verdict.reason).toMatch(reason);
  });

  it("does not hold if the output in the journal was changed", async () => {
    const { receipts, session } = await run(0);
    const records = session.records.map((record) =>
      record.type === "check" ? { ...record, output: "all fine" } : record,
    );
    expect(await verifyReceipt(receipts[0]!, records)).toMatchObject({
      holds: false,
      reason: expect.stringContaining("does not have its digest"),
    });
  });
});

test("the exit code of a command is in the outcome", async () => {
  const model = scriptedModel([[done]]);
  const outcome = await createAgent({ model, tools: [taskCompletion()], checks: [command("true")] }).run("go");
  expect(outcome).toMatchObject({ status: "completed", receipts: [{ check: "true", exitCode: 0, passed: true }] });
});
