import { expect, test } from "vitest";
import { excerptOf } from "../../../src/cli/docs/excerpt.js";
import { sectionsOf } from "../../../src/cli/docs/sections.js";

/** The excerpt of a text in a section, for these words. */
function excerpt(text: string, words: string): string {
  const page = {
    name: "a",
    path: "docs/a.md",
    title: "A",
    about: "The page about A",
    group: "",
    isOptional: false,
    text: `# A\n\n${text}\n`,
  };
  const [section] = sectionsOf(page);
  if (section === undefined) throw new Error("there is no section");
  return excerptOf(section, (part) => words.split(" ").filter((word) => part.includes(word)).length);
}

test("the best sentence is shown from its start, also if lines break it, with what fits behind it", () => {
  const text = "Boats float. A boat has\nan *anchor* and a [rope](rope.md). It holds.\n\nAnother paragraph.";
  expect(excerpt(text, "anchor rope")).toBe("A boat has an anchor and a rope. It holds.");
});

test("a row of a table is its cells, and a point of a list has no mark", () => {
  expect(excerpt("| part | does |\n| --- | --- |\n| `anchor` | holds |", "anchor")).toBe("anchor · holds");
  expect(excerpt("- It floats\n  in water.\n- **It holds** by an anchor", "anchor")).toBe("It holds by an anchor");
});

test("a long sentence is cut around its first good word", () => {
  const long = `${"so ".repeat(100)}one two three four anchor ${"more ".repeat(100)}`;
  const shown = excerpt(long, "anchor");
  expect(shown).toMatch(/^\.\.\. one two three four anchor more .* more \.\.\.$/);
  expect(shown.length).toBeLessThan(190);
});

test("a section of code alone has the line about its page", () => {
  expect(excerpt("```ts\nanchor();\n```", "anchor")).toBe("The page about A");
});
