// The agent's own tool and check, with a scripted model in an empty folder.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createAgent } from "lastcall";
import { call, scriptedModel } from "lastcall/testing";
import { taskCompletion } from "lastcall/tools";
import { isNoted, noteChange } from "./agent.ts";

test("a change counts as done once the changelog says it", async () => {
  const root = mkdtempSync(join(tmpdir(), "agent-"));
  writeFileSync(join(root, "CHANGELOG.md"), "# Changes\n\n");
  const done = call("task_completion", { result: "Done." });
  const outcome = await createAgent({
    model: scriptedModel([[done], [call("note_change", { line: "Faster." })], [done]]),
    tools: [noteChange(root), taskCompletion()],
    checks: [isNoted(root)],
    permission: () => true,
  }).run("Make it faster.");
  assert(outcome.status === "completed");
  assert.equal(outcome.verified, "checked");
  assert.equal(readFileSync(join(root, "CHANGELOG.md"), "utf8"), "# Changes\n\n- Faster.\n");
});
