import { createRequire } from "node:module";
import type * as Xterm from "@xterm/headless";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Screen, type Bottom } from "../../../../src/cli/chat/screen/screen.js";
import { wrapped } from "../../../../src/cli/display/width.js";

const { Terminal } = createRequire(import.meta.url)("@xterm/headless") as typeof Xterm;

const columns = 20;

const line = fc.string({
  unit: fc.oneof(fc.constantFrom("a", "b", "c", " "), fc.constantFrom("日", "é", "😀")),
  minLength: 1,
  maxLength: 60,
});
/** Lines for the bottom: none is wider than the screen. */
const lines = fc
  .array(line, { minLength: 1, maxLength: 6 })
  .map((all) => all.flatMap((one) => wrapped(one, columns - 1)).slice(0, 8));
const bottom: fc.Arbitrary<Bottom> = lines.chain((all) =>
  fc.oneof(
    fc.constant({ lines: all }),
    fc
      .record({ row: fc.nat({ max: all.length - 1 }), column: fc.nat({ max: columns - 1 }) })
      .map((cursor) => ({ lines: all, cursor })),
  ),
);

function textOf(terminal: Xterm.Terminal): string {
  const { active } = terminal.buffer;
  const found: string[] = [];
  for (let row = 0; row < active.length; row += 1) {
    const one = active.getLine(row);
    const text = one?.translateToString(true) ?? "";
    found.push(one?.isWrapped === true ? (found.pop() ?? "") + text : text);
  }
  return found
    .map((one) => one.trimEnd())
    .join("\n")
    .trimEnd();
}

test("for any output, the screen has all printed lines in order, and the last bottom once", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.array(line, { maxLength: 3 }), bottom), { minLength: 1, maxLength: 12 }),
      async (steps) => {
        const terminal = new Terminal({ cols: columns, rows: 12, scrollback: 1000, allowProposedApi: true });
        const written: string[] = [];
        const screen = new Screen({ columns, write: (text: string) => written.push(text) });
        const said: string[] = [];
        for (const [words, below] of steps) {
          if (words.length > 0) screen.say(words, below);
          else screen.show(below);
          said.push(...words);
        }
        await new Promise<void>((done) => {
          terminal.write(written.join(""), done);
        });
        const last = steps.at(-1)?.[1] ?? { lines: [] };
        const expected = [...said, ...last.lines]
          .map((one) => one.trimEnd())
          .join("\n")
          .trimEnd();
        // A wide character that does not fit leaves a gap at the end of the row.
        const withoutGaps = (text: string): string => text.replaceAll(" ", "");
        expect(withoutGaps(textOf(terminal))).toBe(withoutGaps(expected));
        if (last.cursor !== undefined) expect(terminal.buffer.active.cursorX).toBe(last.cursor.column);
        terminal.dispose();
      },
    ),
    { numRuns: 300 },
  );
});

test("an unchanged bottom is not written again, and a cleared one leaves nothing", () => {
  const written: string[] = [];
  const screen = new Screen({ columns, write: (text: string) => written.push(text) });
  const same = { lines: ["one", "two"], cursor: { row: 0, column: 1 } };
  screen.show(same);
  screen.show({ ...same });
  expect(written).toEqual(["one\r\ntwo\r\u001b[1A\u001b[1C"]);
  screen.clear();
  screen.clear();
  expect(written.slice(1)).toEqual(["\r\u001b[J", ""]);
});
