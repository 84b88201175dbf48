// The columns of tables get room by what stands in them.

import { expect, test } from "vitest";
import { columns, widthOf } from "../../site/columns.mjs";

interface Cell {
  readonly tagName: string;
  readonly text: string;
  readonly children: readonly [];
}

/** The properties that the plug-in sets: of the table under `table`, of cells under their text. */
function setFor(rows: readonly (readonly string[])[]): Readonly<Record<string, Readonly<Record<string, unknown>>>> {
  const row = (texts: readonly string[], tagName: string) => ({
    tagName: "tr",
    children: texts.map((text): Cell => ({ tagName, text, children: [] })),
  });
  const [head = [], ...body] = rows;
  const table = {
    children: [
      { tagName: "thead", children: [row(head, "th")] },
      { tagName: "tbody", children: body.map((texts) => row(texts, "td")) },
    ],
  };
  const found: Record<string, Record<string, unknown>> = {};
  columns.element.visit(table, {
    textContent: (node) => (node as Cell).text,
    setProperty: (node, key, value) => ((found[node === table ? "table" : (node as Cell).text] ??= {})[key] = value),
  });
  return found;
}

test("a column of short words is as wide as its longest word, and the longest column of sentences gets most room", () => {
  expect(widthOf(4, false)).toBeLessThan(widthOf(16, false));
  expect([widthOf(30, true), widthOf(200, false), widthOf(200, true)]).toEqual([9, 9, 17]);
});

test("rows with sentences become lists on a phone, with the head of each column", () => {
  const sentence = "A sentence of more than sixty characters, which has no room beside two columns.";
  const found = setFor([
    ["option", "kind", "meaning"],
    ["model", "Model", sentence],
  ]);
  expect(found["table"]).toEqual({ class: "stacked" });
  expect(found["Model"]).toEqual({ "data-head": "kind" });
  expect(found[sentence]).toEqual({ "data-head": "meaning" });
  expect(found["meaning"]).toEqual({ style: "min-width: 17em" });
});

test("a table of figures stays a table, and keys reach it if it is too wide for the page", () => {
  const figures = ["1.11 (1.04 to 1.22); 0.98x"];
  expect(
    setFor([
      ["a", "b"],
      ["1", "2"],
    ])["table"],
  ).toBeUndefined();
  const wide = setFor([Array.from({ length: 6 }, (_none, at) => `head ${String(at)}`), Array(6).fill(figures[0])]);
  expect(wide["table"]).toEqual({ tabIndex: 0 });
});
