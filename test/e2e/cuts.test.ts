// Texts for the model were cut within a character: a line that was found, the nearest line of a failed edit, a key that can't be read.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createAgent, type Model } from "../../src/index.js";
import { judge } from "../../src/checks/index.js";
import { allowAll } from "../../src/permission/index.js";
import { call, scriptedModel } from "../../src/testing/index.js";
import { taskCompletion, workspaceTools } from "../../src/tools/index.js";

const key = "\u{1F511}";

/** The text with the emoji at each place near a limit, so that some cut would split it. */
const shifted = [0, 1].map((by) => "x".repeat(by) + key.repeat(3000));

test.each(shifted)(
  "a found line, a nearest line and a claim for the judge are cut between characters",
  async (text) => {
    const root = mkdtempSync(join(tmpdir(), "lastcall-cuts-"));
    onTestFinished(() => {
      rmSync(root, { recursive: true, force: true });
    });
    writeFileSync(join(root, "a.md"), `shared line of the file\n${text}\n`);
    const edits = [{ search: "shared line of the file\nsomething else", replace: "y" }];
    const asked: string[] = [];
    const judging = scriptedModel([[call("verdict", { passed: true, reason: "r" })]]);
    const watched: Model = {
      ...judging,
      respond(request, signal) {
        for (const message of request.messages) if (message.role === "user") asked.push(message.text);
        return judging.respond(request, signal);
      },
    };
    const agent = createAgent({
      model: scriptedModel([
        [call("search_files", { pattern: key }), call("read_file", { path: "a.md" })],
        [call("edit_file", { path: "a.md", edits })],
        [call("task_completion", { result: text })],
      ]),
      tools: [...workspaceTools({ root }), taskCompletion()],
      checks: [judge(watched, "done?")],
      permission: allowAll(),
    });
    const { status, session } = await agent.run("go");
    expect(status).toBe("completed");
    expect(JSON.stringify(session.records)).not.toContain("\ufffd");
    expect(asked.join("")).toContain(key);
    expect(asked.every((one) => one.isWellFormed())).toBe(true);
  },
);
