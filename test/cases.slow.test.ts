// Wild model outputs, replayed through the whole library: the shared corpus where it is there, and our own.

import { existsSync, readdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { countsOf, lineOf, readCases, replayAll, tableOf } from "../scripts/cases/index.mjs";
import { preview } from "../src/cli/person/approver.js";
import { withoutThinking } from "../src/cli/words/visible.js";
import { createAgent, tool } from "../src/index.js";
import { openai } from "../src/model/index.js";

const root = resolve(import.meta.dirname, "..");
const ours = join(root, "test/cases");
const files = [
  resolve(root, "../shared/cases/model-outputs.jsonl"),
  ...(existsSync(ours) ? readdirSync(ours) : [])
    .filter((name) => name.endsWith(".jsonl"))
    .sort()
    .map((name) => join(ours, name)),
];

for (const file of files) {
  const isHere = existsSync(file);
  const why = isHere ? "" : " (left out: it is not beside the repository)";
  test.skipIf(!isHere)(`every case of ${basename(file)} ends as it should${why}`, { timeout: 600_000 }, async () => {
    const cases = readCases([file]);
    expect(cases.length).toBeGreaterThan(0);
    const results = await replayAll(cases, { library: { createAgent, tool, openai, preview, withoutThinking } });
    console.log(`${basename(file)}\n${tableOf(results)}\n\n${countsOf(results)}`);
    expect(results.filter(({ verdict }) => verdict === "FAIL").map((result) => lineOf(result))).toEqual([]);
  });
}
