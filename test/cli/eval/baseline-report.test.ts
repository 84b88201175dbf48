import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { baselineReport } from "../../../src/cli/eval/baseline-report.js";
import { temporary } from "../command.js";

test("a report that can't be compared with was told in git's words, or without what to do", async () => {
  await using folder = await temporary();
  const file = join(folder.path, "x.json");
  const usual = join(folder.path, "sums.eval.report.json");
  const refused = (against: string): Promise<string> =>
    baselineReport(against, usual).then(
      () => "taken",
      (thrown: unknown) => (thrown as Error).message,
    );
  expect(await refused("")).toBe("--against is empty: name a file or a commit of git.");
  expect(await refused(folder.path)).toMatch(/^--against .* can't be read: EISDIR.* Give the report\.json of a run\.$/);
  await writeFile(file, "x\n");
  expect(await refused(file)).toMatch(
    /is no report of an evaluation: it is no JSON \(.*\)\. Give the report\.json of a run\.$/,
  );
  await writeFile(file, "{}");
  expect(await refused(file)).toBe(
    `${file} is no report of an evaluation: it has no arms. Give the report.json of a run.`,
  );
  const missing = await refused("nowhere");
  expect(missing).toMatch(
    /^--against nowhere is neither a file nor a commit of git that has nowhere:\.\/sums\.eval\.report\.json/,
  );
  expect(missing).not.toContain("Command failed");
  expect(missing).toMatch(/lastcall eval FILE --report FILE writes one\.$/);
});
