import { expect, test } from "vitest";
import { shippedPages } from "../../../src/cli/docs/shipped-pages.js";
import { runHere } from "../command.js";

const pages = shippedPages();

test("lastcall docs lists every page in its group, and with --json as data", async () => {
  const { code, stdout, stderr } = await runHere(["docs"], { COLUMNS: "80" });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const { name, group } of pages) expect(stdout).toMatch(new RegExp(`^${group}$[^]*^ {2}${name}\\b`, "m"));
  expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  const listed = JSON.parse((await runHere(["docs", "--json"])).stdout) as readonly object[];
  expect(listed[0]).toMatchObject({ page: "README", path: "README.md", title: "lastcall", group: "Start" });
  expect(listed.length).toBe(pages.length);
});

test("words without quotes find pages: headings, a line, the way to open it, and the place in the package", async () => {
  const { code, stdout } = await runHere(["docs", "cap", "what", "a", "user", "may", "spend"], { COLUMNS: "80" });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^Limits > A cap for each user and day$/m);
  expect(stdout).toMatch(/^ {2}lastcall docs limits#a-cap-for-each-user-and-day {3}docs\/limits\.md:\d+$/m);
  expect(stdout.split("\n").filter((line) => line.length > 80 && !line.startsWith("  lastcall docs"))).toEqual([]);
  expect(stdout.split("\n\n").length).toBe(5);
  expect(await runHere(["docs", "cap what a user may spend"], { COLUMNS: "80" })).toMatchObject({ stdout });
});

test("with --json a hit has the page, the way to open it, the file with its line, and the words", async () => {
  const { stdout } = await runHere(["docs", "--json", "cap what a user may spend"]);
  const [hit] = JSON.parse(stdout) as readonly { readonly open: string }[];
  expect(hit).toMatchObject({
    page: "limits",
    path: "docs/limits.md",
    line: expect.any(Number),
    excerpt: expect.any(String),
  });
  const opened = await runHere(["docs", "--json", hit?.open ?? ""]);
  expect(JSON.parse(opened.stdout)).toMatchObject({
    page: "limits",
    text: expect.stringMatching(/^## A cap for each user and day\n/),
  });
});

test("a name prints its page as it is, and a section with its address alone", async () => {
  const limits = pages.find(({ name }) => name === "limits")?.text ?? "";
  expect(await runHere(["docs", "limits"])).toEqual({ code: 0, stdout: limits, stderr: "" });
  expect(await runHere(["docs", "docs/limits.md"])).toMatchObject({ stdout: limits });
  const { stdout } = await runHere(["docs", "guide/5-checks#kinds-of-checks"]);
  expect(stdout).toMatch(/^## Kinds of checks\n[^]*maxAttempts/);
  expect(stdout).not.toContain("## The worth");
});

test.each([
  [["docs", "nothing.md"], 4, 'There is no page "nothing.md". lastcall docs lists the pages.'],
  [["docs", "docs/limts.md"], 4, "Did you mean limits?"],
  [
    ["docs", "limits#nothing"],
    4,
    'The page limits has no section "nothing". It has limits, limits-that-ask, a-cap-for-each-user-and-day',
  ],
  [["docs", "limits#%"], 4, "has no section"],
  [["docs", ""], 4, "The words to look for are empty"],
  [["docs", "limts"], 2, "Did you mean lastcall docs limits?"],
  [["docs", "如何恢复会话"], 2, "They are in English, and lastcall docs lists them."],
  [["docs", "--mcp", "limits"], 4, "lastcall docs --mcp serves all pages and takes no words"],
  [["docs", "--model", "m"], 4, "lastcall docs takes no --model"],
])("%j says what is wrong", async (args, code, words) => {
  const ended = await runHere(args);
  expect(ended).toEqual({ code, stdout: "", stderr: expect.stringContaining(words) });
});

test("a search without a hit is an empty list for programs", async () => {
  expect(await runHere(["docs", "--json", "qqqqq"])).toMatchObject({ code: 2, stdout: "[]\n" });
});

test("the help names the docs, and for a page that it lacks it says where to look", async () => {
  expect((await runHere(["help"])).stdout).toContain("docs [WORDS] searches all pages");
  expect((await runHere(["docs", "--help"])).stdout).toBe((await runHere(["help", "docs"])).stdout);
  const { stderr } = await runHere(["help", "evaluations-of-agents"]);
  expect(stderr).toContain("lastcall docs searches the pages");
});
