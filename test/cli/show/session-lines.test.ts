import { expect, test } from "vitest";
import { transcriptLines } from "../../../src/cli/show/session-lines.js";
import { plain } from "../../../src/cli/display/quantities.js";
import { createAgent } from "../../../src/index.js";
import { allowAll } from "../../../src/permission/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion, writeFile } from "../../../src/tools/index.js";
import { temporary } from "../command.js";

test("a written file was shown as JSON on one line; it is the lines of a diff, folded and coloured", async () => {
  await using folder = await temporary();
  const content = Array.from({ length: 30 }, (_, at) => `line ${String(at)}\n`).join("");
  const { session } = await createAgent({
    model: scriptedModel([
      [call("write_file", { path: "a.txt", content })],
      [call("task_completion", { result: "ok" })],
    ]),
    permission: allowAll(),
    tools: [taskCompletion(), writeFile({ root: folder.path })],
  }).run("go");
  const style = { ...plain, good: (text: string) => `<good>${text}` };
  const lines = transcriptLines(session.records, style);
  const at = lines.findIndex((line) => line.includes("calls write_file"));
  expect(lines.slice(at, at + 2).map((line) => line.slice(7))).toEqual([
    "calls write_file a.txt",
    "      <good>+line 0",
  ]);
  expect(lines[at + 13]).toContain("[... 18 more lines]");
  expect(lines.filter((line) => line.includes("+line"))).toHaveLength(12);
  expect(lines.some((line) => line.includes("claim, unchecked: ok"))).toBe(true);
});
