import { describe, expect, test } from "vitest";
import { help, readOptions } from "../../bench/figures/index.mjs";
import { row } from "./row.js";

const rows = [row("n50"), row("c1000", { isSlow: true })];
const read = (...args: readonly string[]) => readOptions(args, rows);
const names = (...args: readonly string[]) => read(...args).rows.map(({ name }) => name);

describe("the options of the bench", () => {
  test("are three rounds of all rows if nothing is asked for", () => {
    expect(read()).toMatchObject({ rounds: 3, rows, openai: [], quick: false, check: false });
  });

  test("--quick is two rounds without the slow rows, unless they are asked for", () => {
    expect([read("--quick").rounds, names("--quick")]).toEqual([2, ["n50"]]);
    expect([read("--quick", "--rounds", "7").rounds, names("--quick", "--rows", "c1000")]).toEqual([7, ["c1000"]]);
  });

  test("--openai is a list of versions", () => {
    expect(read("--openai", "6,7.57.0").openai).toEqual(["6", "7.57.0"]);
  });

  test("--profile goes with --write, and no other two actions go together", () => {
    expect(read("--profile", "--write").error).toBeUndefined();
    expect(read("--check", "--write").error).toBe("--check and --write do not go together.");
  });

  test.each([
    [["--rounds", "none"], '--rounds takes a whole number from 1 to 50, not "none".'],
    [["--rounds", "0"], '--rounds takes a whole number from 1 to 50, not "0".'],
    [["--rows", "n50,n51"], 'There is no row "n51". The rows are n50, c1000.'],
    [["--openai", "newest; ls"], '--openai takes versions like 6 or 7.57.0, not "newest; ls".'],
    [["--fast"], "Unknown option '--fast'. See --help."],
    [["--rows"], "Option '--rows <value>' argument missing. See --help."],
    [["n50"], "Unexpected argument 'n50'. See --help."],
  ])("%j is a mistake, and the sentence says which", (args, error) => {
    expect(read(...args)).toMatchObject({ error: expect.stringContaining(error.replace(" See --help.", "")) });
  });

  test("the help names each of them", () => {
    const flags = ["quick", "rounds", "rows", "openai", "check", "write", "redraw", "profile", "json", "from", "help"];
    expect(flags.filter((flag) => !help.includes(`  --${flag} `))).toEqual([]);
  });
});
