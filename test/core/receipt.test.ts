import { createHash } from "node:crypto";
import { describe, expect, it, test } from "vitest";
import { command } from "../../src/checks/index.js";
import { createAgent, verifyReceipt, type Outcome } from "../../src/index.js";
import { call, scriptedModel } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";

const done = call("task_completion", { result: "done" });

/** A run whose check fails so many times before it passes. */
async function run(failures: number): Promise<Extract<Outcome, { status: "completed" }>> {
  let asked = 0;
  const check = {
    name: "tests",
    verify: () => {
      asked += 1;
      return { passed: asked > failures, output: `run ${String(asked)}`, exitCode: asked > failures ? 0 : 1 };
    },
  };
  const tools = [taskCompletion()];
  const outcome = await createAgent({ model: scriptedModel(() => [done]), tools, checks: [check] }).run("go");
  if (outcome.status !== "completed") throw new Error(outcome.status);
  return outcome;
}

describe("a receipt", () => {
  it("says what ran, how it exited, the digest of what it printed, and where it stands in the journal", async () => {
    const { receipts, session, verified } = await run(0);
    expect(verified).toBe("checked");
    expect(receipts).toEqual([
      {
        check: "tests",
        passed: true,
        exitCode: 0,
        digest: createHash("sha256").update("run 1").digest("hex"),
        duration: expect.any(Number),
        failedBefore: 0,
        record: session.records.findIndex(({ type }) => type === "check"),
      },
    ]);
  });

  it("says of a check that passes after failing how often it failed", async () => {
    const { receipts } = await run(2);
    expect(receipts).toMatchObject([{ check: "tests", passed: true, failedBefore: 2 }]);
  });

  it("holds against its own journal, also after that was written and read as JSON", async () => {
    const { receipts, session } = await run(1);
    const records = JSON.parse(JSON.stringify(session.records)) as typeof session.records;
    for (const receipt of receipts) expect(await verifyReceipt(receipt, records)).toEqual({ holds: true });
  });

  it.each<[string, object, RegExp]>([
    ["another place", { record: 0 }, /record 0 .* is no check/],
    ["another place that there is none of", { record: 99 }, /record 99/],
    ["another verdict", { passed: false }, /passed is false, in the journal true/],
    ["another exit code", { exitCode: 1 }, /exitCode is 1/],
    ["another digest", { digest: "0" }, /digest is 0/],
    ["fewer failures", { failedBefore: 0 }, /failedBefore is 0, in the journal 1/],
  ])("does not hold with %s", async (_what, change, reason) => {
    const { receipts, session } = await run(1);
    const verdict = await verifyReceipt({ ...receipts[0]!, ...change }, session.records);
    expect(!verdict.holds && verdict.reason).toMatch(reason);
  });

  it("does not hold where the output in the journal was changed", async () => {
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

test("a command's exit code gets from the shell to the outcome", async () => {
  const model = scriptedModel([[done]]);
  const outcome = await createAgent({ model, tools: [taskCompletion()], checks: [command("true")] }).run("go");
  expect(outcome).toMatchObject({ status: "completed", receipts: [{ check: "true", exitCode: 0, passed: true }] });
});
