import { describe, expect, test } from "vitest";
import { help, noPage } from "../../../src/cli/args/help.js";
import { rows } from "../../../src/cli/args/option-table.js";
import { runHere } from "../command.js";

const names = ["chat", "resume", "sessions", "show", "fork", "prune", "docs", "input", "codes"];
const groups = ["task", "model", "checks", "rights", "limits", "output"];

test.each([34, 80, 200])(
  "no line of the help is wider than a terminal of %i columns, or ends in a space, but for a word that is wider",
  (columns) => {
    for (const page of [undefined, "all", ...names, ...groups]) {
      const lines = (help(page, columns) ?? "").split("\n");
      expect(lines.length).toBeGreaterThan(2);
      const isWide = (line: string): boolean => line.length > Math.min(columns, 100) && line.trim().includes(" ");
      expect(lines.filter((line) => isWide(line) || line.endsWith(" "))).toEqual([]);
    }
  },
);

test("the overview fits on a screen, and names every option, every page and every exit code", () => {
  const text = help(undefined, 80) ?? "";
  expect(text.split("\n").length).toBeLessThan(48);
  expect(text).toContain("commands run unasked behind walls");
  for (const name of Object.keys(rows)) expect(text).toMatch(new RegExp(` --${name}\\b`));
  for (const name of [...names, ...groups]) expect(text).toContain(name);
  for (const code of ["0", "1", "2", "3", "4", "124", "130"]) expect(text).toMatch(new RegExp(`^  ${code} +\\w`, "m"));
});

describe("a page is found", () => {
  test("by the name of a command, a group of options or an option", () => {
    expect(help("chat", 80)).toContain("lastcall chat [ID]");
    expect(help("list", 80)).toContain("lastcall sessions");
    expect(help("rights", 80)).toContain("--no-sandbox");
    expect(help("--until", 80)).toBe(help("checks", 80));
    expect(help("model", 80)).toContain("--api-key-env NAME");
  });

  test("by the command before --help, and only if it is one", async () => {
    const resume = help("resume", 80);
    expect(await runHere(["resume", "--help"])).toEqual({ code: 0, stdout: resume, stderr: "" });
    expect(await runHere(["--help", "resume", "ID"])).toMatchObject({ code: 0, stdout: resume });
    expect(await runHere(["fix the tests", "--help"])).toMatchObject({ code: 0, stdout: help(undefined, 80) });
  });

  test("at the width that COLUMNS says", async () => {
    expect(await runHere(["help", "rights"], { COLUMNS: "34" })).toMatchObject({ stdout: help("rights", 34) });
  });

  test("and one that is not there is a message with the nearest one, or with all", async () => {
    expect(help("toString", 80)).toBe(undefined);
    expect(noPage("rihgts")).toContain("Did you mean lastcall help rights?");
    const { code, stderr } = await runHere(["help", "nonsense"]);
    expect({ code, stderr }).toMatchObject({ code: 4, stderr: expect.stringContaining("The pages are chat, resume") });
  });
});
