// The demo: a small failing project in a temporary folder, a recorded model behind a real server, real tools.

import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { call, scriptedProvider, type ScriptedProvider, type ScriptedReply } from "../../testing/index.js";

/** The task of the demo. */
export const demoTask = "The tests fail. Find out why, fix it, and say what was wrong.";

const files: Readonly<Record<string, string>> = {
  "package.json": `{
  "name": "till",
  "private": true,
  "type": "module",
  "scripts": { "test": "node --test" }
}
`,
  "src/total.js": `// The total of a bill in cents, with a discount in percent.
export function total(prices, discount = 0) {
  const sum = prices.reduce((a, b) => a + b);
  return Math.round(sum * (1 - discount));
}
`,
  "test/total.test.js": `import assert from "node:assert/strict";
import test from "node:test";
import { total } from "../src/total.js";

test("adds the prices", () => assert.equal(total([100, 250]), 350));
test("takes off the discount", () => assert.equal(total([1000], 20), 800));
test("an empty bill is free", () => assert.equal(total([]), 0));
`,
};

const mended = `// The total of a bill in cents, with a discount in percent.
export function total(prices, discount = 0) {
  const sum = prices.reduce((a, b) => a + b, 0);
  return Math.round(sum * (1 - discount / 100));
}
`;

/** The first try: the discount is right, but an empty bill still throws. */
const halfMended = mended.replace("a + b, 0", "a + b");

const result = `Two bugs in src/total.js: the discount was used as a fraction although it is given in percent, and an empty bill \
had no start value to add to. Both are fixed; all three tests pass.`;

/** The recorded replies of the model. The results of the tools are real. */
const recording: readonly ScriptedReply[] = [
  { text: "Let me look at the project first.", calls: [call("list_files", {})] },
  // Invalid arguments: the argument is called path. The failure says so, and the next reply corrects it.
  { calls: [call("read_file", { file: "src/total.js" })] },
  { calls: [call("read_file", { path: "src/total.js" }), call("read_file", { path: "test/total.test.js" })] },
  { text: "Now I want to see it fail.", calls: [call("run_command", { command: "npm test --silent" })] },
  { calls: [call("write_file", { path: "src/total.js", content: halfMended })] },
  // A claim beside a failing call: there is no such file, so the claim is refused.
  { calls: [call("read_file", { path: "CHANGELOG.md" }), call("task_completion", { result })] },
  // The claim runs the tests as a check, and one still fails.
  { text: "No changelog to update.", calls: [call("task_completion", { result })] },
  {
    text: "The sum of an empty bill has no start value.",
    calls: [call("write_file", { path: "src/total.js", content: mended })],
  },
  { calls: [call("task_completion", { result })] },
];

/** Makes the project and starts the recorded model, which waits `pace` milliseconds before each reply. The folder is not deleted. */
export async function demo(pace: number): Promise<{ readonly workdir: string; readonly provider: ScriptedProvider }> {
  const workdir = await mkdtemp(join(tmpdir(), "lastcall-demo-"));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(workdir, path)), { recursive: true });
    await writeFile(join(workdir, path), text);
  }
  return { workdir, provider: await scriptedProvider(recording.map((reply) => ({ ...reply, delay: pace }))) };
}
