// A review ends with findings about lines that the diff in the user's words shows.

import { expect, test } from "vitest";
import { createAgent } from "../../../src/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { reportFindings, type ReviewFinding } from "../../../src/tools/index.js";

const diff = "--- a/sum.mjs\n+++ b/sum.mjs\n@@ -4,2 +4,3 @@\n a\n-b\n+c\n+d";
const finding = (file: string, line: number): ReviewFinding => ({
  file,
  line,
  severity: "error",
  reason: "It is wrong.",
});
const report = (...findings: readonly ReviewFinding[]) => [call("report_findings", { findings, summary: "Looked." })];

async function reviewed(words: string, ...replies: readonly (readonly ReviewFinding[])[]) {
  const model = scriptedModel(replies.map((findings) => report(...findings)));
  const outcome = await createAgent({ model, tools: [reportFindings()] }).run(words);
  return { outcome, told: JSON.stringify(model.requests.slice(1).map(({ messages }) => messages)) };
}

test("findings within the diff end the run, typed", async () => {
  const { outcome } = await reviewed(diff, [finding("sum.mjs", 4), finding("sum.mjs", 6)]);
  expect(outcome).toMatchObject({
    status: "completed",
    value: { findings: [{ line: 4 }, { line: 6 }], summary: "Looked." },
  });
});

test("a finding in another file, or at a line that is not shown, is told to the model with what there is", async () => {
  const { outcome, told } = await reviewed(
    diff,
    [finding("other.mjs", 1), finding("sum.mjs", 4)],
    [finding("sum.mjs", 7)],
    [],
  );
  expect(told).toContain("other.mjs is no file of the diff. Its files are: sum.mjs.");
  expect(told).toContain("The diff does not show line 7 of sum.mjs. It shows 4 to 6.");
  expect(outcome).toMatchObject({ status: "completed", value: { findings: [] } });
});

test("without a diff in the words, any place may be named", async () => {
  const { outcome } = await reviewed("Review sum.mjs.", [finding("sum.mjs", 900)]);
  expect(outcome).toMatchObject({ status: "completed" });
});

test("a line that is no line is a mistake that the model is told", async () => {
  const { told } = await reviewed(diff, [finding("sum.mjs", 0)], []);
  expect(told).toContain("findings");
});
