// Pages of the repository as pages of the site: links, titles and summaries.

import { describe, expect, test } from "vitest";
import { plain, summaryOf, titled, withLinks } from "../../site/rewrite.mjs";

const shown = (text: string, file = "docs/guide/2-tools.md"): string =>
  withLinks(text, file, (target) => `</${target}>`);

describe("links", () => {
  test("are read from the file's folder, with their anchors", () => {
    expect(shown("See [limits](../limits.md#cost) and [3](3-endings.md).")).toBe(
      "See [limits](</docs/limits.md>#cost) and [3](</docs/guide/3-endings.md>).",
    );
    expect(shown("![A session](../studio/session.png)")).toBe("![A session](</docs/studio/session.png>)");
    expect(shown("[an example](../examples/hello.ts)", "docs/limits.md")).toBe("[an example](</examples/hello.ts>)");
  });

  test("to other sites and to the same page stay", () => {
    const text = "[a](https://example.com/a.md), [b](#endings), [c](mailto:a@example.com)";
    expect(shown(text)).toBe(text);
  });

  test("with code in their words are links, and code with brackets is none", () => {
    expect(shown("[`x`](y.md), `[x](y.md)` and ``a ` [x](y.md)``")).toBe(
      "[`x`](</docs/guide/y.md>), `[x](y.md)` and ``a ` [x](y.md)``",
    );
    const block = "```md\n[x](y.md)\n```\n\n[x](y.md)";
    expect(shown(block)).toBe("```md\n[x](y.md)\n```\n\n[x](</docs/guide/y.md>)");
    expect(shown("````ts\n```\n[x](y.md)\n```\n````")).toBe("````ts\n```\n[x](y.md)\n```\n````");
  });
});

test("a title loses its number, and the number is known", () => {
  expect(titled("# 2. Tools\n\nA tool.\n")).toEqual({ title: "Tools", number: 2, body: "A tool.\n" });
  expect(titled("# 0041 A `log` in two threads\n\nWhy.\n")).toMatchObject({
    title: "A log in two threads",
    number: 41,
  });
  expect(titled("# AG-UI\n\nA protocol.\n")).toEqual({ title: "AG-UI", number: undefined, body: "A protocol.\n" });
  expect(titled("---\nname: lastcall\n---\n\n# Skill\n\nUse it.\n").body).toBe("Use it.\n");
  expect(() => titled("No heading.\n")).toThrow("The page has no heading of the first level.");
});

describe("a summary", () => {
  test("is the first paragraph without marks, and no table, code, comment or heading", () => {
    const body =
      "<!-- screen: a -->\n\n## Context\n\n```sh\nls\n```\n\n| a |\n\nA *tool* has [a name](x.md) and `code`.\n\nMore.";
    expect(summaryOf(body)).toBe("A tool has a name and code.");
  });

  test("is not the day on which a decision was accepted", () => {
    expect(summaryOf("Accepted 2026-11-28.\n\n## Context\n\nThe loop needs no system.\n")).toBe(
      "The loop needs no system.",
    );
  });

  test("ends with a sentence if one fits in 160 characters, and else between two words", () => {
    expect(summaryOf(`First. ${"word ".repeat(40)}`)).toBe("First.");
    const cut = summaryOf("word ".repeat(60));
    expect(cut).toMatch(/^(?:word )+…$/);
    expect(cut.length).toBeLessThanOrEqual(160);
  });

  test("keeps underscores and stars of code", () => {
    expect(plain("`run_command(npm *)` and **bold** text")).toBe("run_command(npm *) and bold text");
  });
});
