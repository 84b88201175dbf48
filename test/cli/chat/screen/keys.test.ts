import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { listen, type Press } from "../../../../src/cli/chat/screen/keys.js";

/** The presses that these chunks cause. */
async function heard(...pieces: readonly string[]): Promise<readonly Press[]> {
  const input = new PassThrough();
  const presses: Press[] = [];
  onTestFinished(
    listen(input, (press) => {
      presses.push(press);
    }),
  );
  for (const piece of pieces) {
    input.write(piece);
    await turn();
    await turn();
    await turn();
  }
  return presses;
}

function textOf(presses: readonly Press[]): string {
  return presses
    .map((press) =>
      press.type === "text" ? press.text : `<${press.ctrl ? "ctrl-" : ""}${press.meta ? "meta-" : ""}${press.name}>`,
    )
    .join("");
}

test.each([
  ["hé😀\r", "hé😀<return>"],
  ["\u001b[A\u001b[B\u001b[3~", "<up><down><delete>"],
  ["\u0003\u0004\u0017", "<ctrl-c><ctrl-d><ctrl-w>"],
  ["\n", "<enter>"],
  ["\u001b\r", "<meta-return>"],
  ["\u007f\t", "<backspace><tab>"],
])("%j is heard as %s", async (written, expected) => {
  expect(textOf(await heard(written))).toBe(expected);
});

test("a paste is one text with its line ends, and nothing in it is a key", async () => {
  const presses = await heard("a", "\u001b[200~one\r\ntwo\rthree\n\u001b[31m\u0003\tend\u001b[201~", "\r");
  expect(presses.slice(0, 2)).toEqual([
    { type: "text", text: "a" },
    { type: "text", text: "one\ntwo\nthree\n[31m\tend" },
  ]);
  expect(textOf(presses.slice(2))).toBe("<return>");
});

test("a paste in several chunks is one text", async () => {
  expect(await heard("\u001b[200~on", "e\rt", "wo\u001b[201~")).toEqual([{ type: "text", text: "one\ntwo" }]);
});

test("a chunk was read character by character: each was drawn, and a long paste took minutes", async () => {
  expect(await heard(`one${"\r日".repeat(3)}\u001b[Dx`)).toEqual([
    { type: "text", text: "one\n日\n日\n日" },
    { type: "key", name: "left", ctrl: false, meta: false, shift: false },
    { type: "text", text: "x" },
  ]);
});

test("at a terminal without bracketed paste, only the last line end of a chunk sends it", async () => {
  expect(textOf(await heard("one\rtwo\r"))).toBe("one\ntwo<return>");
  expect(textOf(await heard("one\r", "two\r"))).toBe("one<return>two<return>");
});

test("Escape alone is a key, and an arrow key whose parts come late is no Escape", async () => {
  const input = new PassThrough();
  const presses: Press[] = [];
  onTestFinished(listen(input, (press) => void presses.push(press)));
  input.write("\u001b");
  await turn();
  input.write("[A");
  await vi.waitFor(() => {
    expect(textOf(presses)).toBe("<up>");
  }, 20_000);
  input.write("\u001b");
  await vi.waitFor(
    () => {
      expect(textOf(presses)).toBe("<up><meta-escape>");
    },
    { timeout: 8000 },
  );
});

test("a paste whose first mark comes in parts is no Escape, and neither is an Escape in it", async () => {
  expect(textOf(await heard("\u001b", "[200~one\u001b", "two\u001b[201~", "\r"))).toBe("onetwo<return>");
});
