// edit_file under load: generated edits against an independent model, and searches in large files.

import fc from "fast-check";
import { readFile as read, writeFile as write } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { editFile, type Edit } from "../../../src/tools/index.js";
import { call, makeFolder } from "../fixture.js";
import { processorTime } from "../../processor-time.js";
import { shareOf } from "../../turn.js";

test("a search that is nowhere is told the nearest place in a few seconds in a file of 5 MB, whatever is in it", async () => {
  const line = "const value = compute(alpha, beta, gamma); // and some more words\n";
  const texts = [
    line.repeat(5_000_000 / line.length),
    "x".repeat(5_000_000),
    "ab ".repeat(1_700_000),
    "\n".repeat(5_000_000),
  ];
  for (const long of texts) {
    const root = await makeFolder();
    await write(join(root, "a.txt"), long);
    const spent = processorTime();
    const edits = [{ search: "const value = compute(alpha, beta, delta);\n  other line", replace: "x" }];
    await expect(call(editFile({ root }), { path: "a.txt", edits })).rejects.toThrow("its search is not in the file");
    expect(spent()).toBeLessThan(4000);
  }
});

test("1,000 generated edits on real files: every byte as an independent model has it, and as it was where one fails", async () => {
  const root = await makeFolder();
  const file = join(root, "a.txt");
  const tool = editFile({ root });
  const piece = fc.constantFrom(
    "a",
    "b",
    "ab",
    " ",
    "\t",
    "\n",
    "\r\n",
    "\n\n",
    "ü",
    "🎉",
    "\uFEFF",
    "$&",
    "\\",
    "\0x",
  );
  const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
  let made = 0;
  const property = fc.asyncProperty(
    text,
    fc.array(fc.tuple(fc.nat(), fc.nat(8), text, text), { minLength: 1, maxLength: 3 }),
    async (before, cuts) => {
      // Most searches are cut from the text, so that they are found; the others are arbitrary.
      const points = Array.from(before);
      const edits = cuts.map(([start, length, other, replace]) => {
        const at = points.length === 0 ? 0 : start % points.length;
        const cut = points.slice(at, at + length).join("");
        return { search: start % 5 === 0 ? other : start % 3 === 0 ? cut.replaceAll("\r\n", "\n") : cut, replace };
      });
      await write(file, before);
      const expected = model(before, edits);
      const ran = await call(tool, { path: "a.txt", edits }).then(
        () => true,
        () => false,
      );
      const now = await read(file);
      expect(ran).toBe(expected !== undefined);
      expect(now.equals(Buffer.from(expected ?? before))).toBe(true);
      if (ran) made += 1;
    },
  );
  await fc.assert(property, { numRuns: shareOf(1000, 4) });
  expect(made).toBeGreaterThan(shareOf(100, 4));
}, 30_000);

/** The expected result of the edits, computed on lists of characters; undefined if they must fail. */
function model(before: string, edits: readonly Edit[]): string | undefined {
  // A line ending is one element of the list, so that it is never confused with characters of the file.
  let text: readonly string[] = tokens(before);
  for (const { search, replace } of edits) {
    if (search === "" || search === replace) return undefined;
    const wanted = tokens(search);
    const isLoose = search.includes("\n") && !search.includes("\r");
    const fits = (here: string | undefined, there: string): boolean =>
      here === there || (isLoose && here === "\r\n" && there === "\n");
    const raw = isLoose ? text : Array.from(text.join("")).flatMap((one) => one.split(""));
    const sought = isLoose ? wanted : Array.from(search).flatMap((one) => one.split(""));
    const places = raw.flatMap((_, at) => (sought.every((token, index) => fits(raw[at + index], token)) ? [at] : []));
    const [place] = places;
    if (places.length !== 1 || place === undefined) return undefined;
    const head = raw.slice(0, place).join("");
    const tail = raw.slice(place).join("");
    const next = /\r?\n/.exec(tail)?.[0] ?? /\r?\n(?![^]*\n)/.exec(head)?.[0];
    const isCut = tail.startsWith("\n") && head.endsWith("\r");
    const isCrlf = next === "\r\n" || isCut;
    const fresh = isCrlf
      ? tokens(replace)
          .map((token) => (token === "\n" ? "\r\n" : token))
          .join("")
      : replace;
    text = tokens(head + fresh + raw.slice(place + sought.length).join(""));
  }
  return text.join("");
}

function tokens(text: string): readonly string[] {
  return text.match(/\r\n|[^]/gu) ?? [];
}
