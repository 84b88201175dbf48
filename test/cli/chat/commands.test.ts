import { expect, test } from "vitest";
import { obey, type Control } from "../../../src/cli/chat/commands.js";

async function said(text: string, columns: number): Promise<readonly string[]> {
  const lines: string[] = [];
  const control: Partial<Control> = { columns, say: (more) => void lines.push(...more) };
  await obey(text, control as Control);
  return lines;
}

test.each([80, 60])("/help explains every command in one column, also /tier, in %i columns", async (columns) => {
  const lines = await said("/help", columns);
  const heads = lines.filter((line) => line.startsWith("  /"));
  expect(heads.map((line) => /\/\w+/.exec(line)?.[0])).toEqual(
    [
      "help",
      "model",
      "tools",
      "agents",
      "open",
      "tier",
      "attach",
      "check",
      "compact",
      "diff",
      "undo",
      "redo",
      "context",
      "cost",
      "clear",
      "new",
      "fork",
      "quit",
    ].map((name) => `/${name}`),
  );
  expect(new Set(heads.map((line) => /^ {2}\/\w+(?: \[?\w+\]?)? {2,}/.exec(line)?.[0].length)).size).toBe(1);
  expect(lines.join(" ").replace(/\s+/g, " ")).toContain("read-only, workspace-write, full-access");
});
