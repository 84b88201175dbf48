// The command at a narrow terminal: its log, its approvals, its questions and its errors.

import { describe, expect, test } from "vitest";
import { call, scriptedProvider } from "../../../src/testing/index.js";
import { atTerminal, keys, type TerminalScreen } from "../chat/terminal-screen.js";
import { noTerminal, temporary } from "../command.js";

const command = "npm run something -- --flag value --other 'a quoted argument that is long' && echo done";

/** The lines that the terminal itself had to break. */
function tooWide(screen: TerminalScreen, columns: number): readonly string[] {
  return screen
    .all()
    .split("\n")
    .filter((line) => line.length > columns && !line.startsWith("pid "));
}

describe.skipIf(noTerminal)(`at a terminal${noTerminal}`, () => {
  test.each([34, 80])("of %i columns, every line is broken between words", async (columns) => {
    await using provider = await scriptedProvider([
      [call("run_command", { command })],
      [
        call("ask_question", {
          question: "How shall I round the prices from now on, up or to even?",
          suggestions: ["up"],
        }),
      ],
      [call("task_completion", { result: "All done." })],
    ]);
    await using folder = await temporary();
    const words = `--base-url ${provider.url} --model m --workdir ${folder.path} --no-save --no-sandbox`;
    await using screen = atTerminal(`"do it" ${words}`, { columns, rows: 40 });
    await screen.see(/explain\] ?$/);
    if (columns === 34) expect(screen.all()).toContain("  npm run something -- --flag\n  ↪ value --other 'a quoted\n");
    await screen.type("e", keys.enter);
    await screen.see(/The whole call:[^]*explain\] ?$/);
    await screen.type("n", keys.enter);
    await screen.see(/ {2}1\. up\n>/);
    await screen.type("1", keys.enter);
    const { code } = await screen.ended;
    expect(code).toBe(0);
    expect(tooWide(screen, columns)).toEqual([]);
    expect(screen.all().replace(/\s+(?:↪ ?)?/g, " ")).toContain(command);
  });

  test("of 34 columns, so are the help and an error", async () => {
    for (const line of ["help", "help rights", "resum 2026", '"do it" --model']) {
      await using screen = atTerminal(line, { columns: 34, rows: 100 });
      await screen.ended;
      expect(screen.all()).toMatch(/lastcall|sandbox/);
      expect(tooWide(screen, 34)).toEqual([]);
    }
  });
});
