import { expect, test } from "vitest";
import { searchIn } from "../../../src/cli/docs/page-search.js";
import { shippedPages } from "../../../src/cli/docs/shipped-pages.js";
import { moreQuestions, questions } from "./questions.js";

const pages = shippedPages();
const search = searchIn(pages);

/** The questions with a right page among the first. */
function answered(asked: typeof questions, first: number): readonly string[] {
  return asked
    .filter(({ asked: question, pages: right }) => {
      const found = search(question, first).map(({ section }) => section.page.path);
      return found.some((path) => right.includes(path));
    })
    .map(({ asked: question }) => question);
}

test("of thirty questions of users, at least twenty-six have the right page among the first two", () => {
  expect(questions.length).toBe(30);
  expect(answered(questions, 2).length).toBeGreaterThanOrEqual(26);
});

test("of twenty more, for whose words the pages were hardly mended, at least sixteen do", () => {
  expect(moreQuestions.length).toBe(20);
  expect(answered(moreQuestions, 2).length).toBeGreaterThanOrEqual(16);
});

test("every right page is a page of the package", () => {
  const paths = pages.map(({ path }) => path);
  const right = [...questions, ...moreQuestions].flatMap((question) => question.pages);
  expect(right.filter((path) => !paths.includes(path))).toEqual([]);
});

const page = (name: string, text: string, isOptional = false) => {
  return { name, path: `docs/${name}.md`, title: name, about: "", group: "", isOptional, text };
};

test("a hit is the section with the words, with its line, and the best line of its prose", () => {
  const long = page(
    "boats",
    "# Boats\n\nAll about boats.\n\n## Anchors\n\n```ts\ndrop(anchors);\n```\n\n- They hold.\n- Drop *anchors* in the [bay](bay.md).\n",
  );
  const [hit] = searchIn([long, page("cars", "# Cars\n\nWheels.\n")])("anchors in a bay", 2);
  expect(hit?.section).toMatchObject({ headings: ["Boats", "Anchors"], anchor: "anchors", line: 5 });
  expect(hit?.excerpt).toBe("Drop anchors in the bay.");
});

test("a section with all of the words comes before one with a single rare word again and again", () => {
  const rare = page("rare", `# Rare\n\n${"zebra ".repeat(20)}\n`);
  const both = page("both", "# Both\n\nA zebra crosses a bridge.\n");
  const others = ["bridge", "bridge", "bridge"].map((word, index) =>
    page(`other${String(index)}`, `# Other\n\nA ${word}.\n`),
  );
  const names = searchIn([rare, both, ...others])("zebra bridge", 5).map(({ section }) => section.page.name);
  expect(names[0]).toBe("both");
});

test("a word of a heading counts more than one of a text, and the line about a page is searched as well", () => {
  const inText = page("text", "# First\n\n## Ropes\n\nAn anchor holds.\n");
  const inHeading = page("heading", "# Second\n\n## Anchors\n\nA rope holds it.\n");
  const find = searchIn([inText, inHeading, { ...page("about", "# Third\n\nNothing.\n"), about: "moorings" }]);
  expect(find("anchor", 2).map(({ section }) => section.page.name)).toEqual(["heading", "text"]);
  expect(find("mooring", 2).map(({ section }) => section.page.name)).toEqual(["about"]);
});

test("a page is one hit, however many of its sections have the words", () => {
  const twice = page("twice", "# Twice\n\n## One\n\nAn anchor.\n\n## Two\n\nAn anchor, an anchor.\n");
  const [only, ...others] = searchIn([twice, page("other", "# Other\n\nA rope.\n")])("anchor", 5);
  expect({ headings: only?.section.headings, others }).toEqual({ headings: ["Twice", "Two"], others: [] });
});

test("of two pages with the same words, the optional one comes second", () => {
  const text = "# Page\n\nThe same words.\n";
  const found = searchIn([page("inside", text, true), page("use", text)])("same words", 2);
  expect(found.map(({ section }) => section.page.name)).toEqual(["use", "inside"]);
});

test.each([[""], ["   "], ["the and of"], ["如何恢复会话"], ["🦭"], ["()*+?[\\"]])(
  "nothing is found for %j",
  (query) => {
    expect(search(query, 5)).toEqual([]);
  },
);

test("a question in another language is found by the names in it", () => {
  const [first] = search("Wie benutze ich useChat?", 1);
  expect(first?.section.page.path).toBe("docs/guide/17-in-a-web-app.md");
});

test("ten thousand characters are searched for, and the page that they come from is found", () => {
  const text = shippedPages().find(({ path }) => path === "docs/deployment.md")?.text ?? "";
  const [first] = search(text.repeat(5).slice(0, 10_000), 1);
  expect(first?.section.page.path).toBe("docs/deployment.md");
});
