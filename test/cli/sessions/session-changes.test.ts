// The place in which a run records its changes.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { changesFor, undoneLines } from "../../../src/cli/sessions/session-changes.js";

test("a run whose changes can't be recorded goes on, and says so", () => {
  const folder = mkdtempSync(join(tmpdir(), "lastcall-state-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true });
  });
  const said: string[] = [];
  const at = (state: string) =>
    changesFor(folder, { sessions: undefined }, { env: { XDG_STATE_HOME: state }, say: (line) => said.push(line) });
  expect(at(join(folder, "not/there/yet"))).toBeDefined();
  expect(said).toEqual([]);
  writeFileSync(join(folder, "file"), "");
  expect(at(join(folder, "file"))).toBeUndefined();
  expect(said).toEqual([
    expect.stringMatching(/^What this run changes can't be taken back later: nobody can write to .*file/),
  ]);
});

test("an undo names the paths that it took back, and why others are as they were", () => {
  const undone = {
    changed: ["a", "b"],
    conflicts: [{ path: "c\u001b[2J", reason: "changed since", why: "it was changed since" }],
    unseen: [{ tool: "run_command", iteration: 2 }],
  } as const;
  expect(undoneLines(undone, "undo")).toEqual([
    "Taken back: 2 paths",
    "  a",
    "  b",
    "Left as it is:",
    "  c\\u{1b}[2J: it was changed since",
    "What run_command changed in iteration 2 is not known: the folder has too many files.",
  ]);
});
