// Replays files of recorded answers of providers through the built library: npm run recordings -- FILE [FILE...]

import { existsSync, readFileSync } from "node:fs";
import { replayRecordings } from "./recordings/replay.mjs";

const files = process.argv.slice(2);
const missing = files.find((file) => !existsSync(file));
if (files.length === 0) leave("Name at least one file: npm run recordings -- FILE [FILE...]");
if (missing !== undefined) leave(`There is no file ${missing}.`);

const { openai } = await import("../dist/model/index.js").catch((thrown) => {
  return leave(`The library can't be loaded; build it with npm run build. ${thrown.message}`);
});

const counts = { passed: 0, failed: 0, skipped: 0 };
const reasons = new Map();
for (const file of files) {
  const lines = readFileSync(file, "utf8").split("\n");
  const recordings = lines.flatMap((line, index) =>
    line === "" ? [] : [{ ...JSON.parse(line), at: `${file}:${index + 1}` }],
  );
  for await (const { recording, skipped, problems } of replayRecordings(recordings, openai)) {
    counts[skipped !== undefined ? "skipped" : problems.length === 0 ? "passed" : "failed"] += 1;
    if (skipped !== undefined) reasons.set(skipped, (reasons.get(skipped) ?? 0) + 1);
    const kind = `${recording.api} ${recording.stream ? "stream" : "whole"}`;
    for (const problem of problems) console.log(`${recording.at} (${kind}) ${problem}`);
  }
}
for (const [reason, count] of reasons) console.log(`skipped ${count}: ${reason}`);
console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exit(counts.failed === 0 && counts.passed > 0 ? 0 : 1);

function leave(message) {
  console.error(message);
  process.exit(1);
}
