import { describe, expect, test } from "vitest";
import { readSettings, type Settings } from "../../../src/cli/args/args.js";
import type { Values } from "../../../src/cli/args/option-table.js";
import { parseOptions, type KeptOptions } from "../../../src/cli/args/options.js";
import { joinOptions } from "../../../src/cli/args/sources.js";

interface Found {
  readonly kept?: KeptOptions;
  readonly config?: Values;
}

function settings(argv: readonly string[], found: Found = {}): Settings {
  return readSettings(parseOptions(["x", ...argv]), found);
}

describe("of two options that contradict each other, the nearest source decides about both:", () => {
  test.each<[string, readonly string[], Found, object]>([
    ["--ask over a configured yes", ["--ask"], { config: { yes: true } }, { yes: false, ask: true }],
    ["--yes over a configured ask", ["--yes"], { config: { ask: true } }, { yes: true, ask: false }],
    ["--yes over a kept ask", ["--yes"], { kept: { ask: true }, config: { ask: true } }, { yes: true, ask: false }],
    ["a kept ask over a configured yes", [], { kept: { ask: true }, config: { yes: true } }, { yes: false, ask: true }],
    ["--ask over a configured no-input", ["--ask"], { config: { "no-input": true } }, { ask: true, noInput: false }],
    ["--dry-run over a kept park", ["--dry-run"], { kept: { park: true } }, { dryRun: true, park: false }],
    ["--dry-run over a configured park", ["--dry-run"], { config: { park: true } }, { dryRun: true, park: false }],
    ["--no-save over a configured park", ["--no-save"], { config: { park: true } }, { noSave: true, park: false }],
    ["--park over a configured no-save", ["--park"], { config: { "no-save": true } }, { park: true, noSave: false }],
    ["--sessions over a configured no-save", ["--sessions", "s"], { config: { "no-save": true } }, { noSave: false }],
    ["--sessions over a configured store", ["--sessions", "s"], { config: { store: "p" } }, { store: undefined }],
    ["--store over configured sessions", ["--store", "p"], { config: { sessions: "s" } }, { sessions: undefined }],
    ["--network over a configured no-sandbox", ["--network"], { config: { "no-sandbox": true } }, { noSandbox: false }],
    ["--no-sandbox over a configured network", ["--no-sandbox"], { config: { network: true } }, { network: false }],
    ["--verbose over a configured quiet", ["--verbose"], { config: { quiet: true } }, { quiet: false, verbose: true }],
    ["--no-mcp over kept servers", ["--no-mcp"], { kept: { mcp: ["m"] } }, { noMcp: true, mcp: [] }],
  ])("%s", (_name, argv, found, wanted) => {
    expect(settings(argv, found)).toMatchObject(wanted);
  });

  test("also of two config files, and a switch that is off decides nothing", () => {
    expect(joinOptions({ yes: true }, { config: { ask: true } })).toEqual({ yes: true });
    expect(joinOptions({ "no-mcp": false }, { config: { mcp: ["m"] } })).toEqual({ "no-mcp": false, mcp: ["m"] });
    expect(settings([], { kept: { ask: true }, config: { yes: false } }).rights.mode).toBe("ask-all");
  });

  test("--no-save leaves the configured place, from which notes are read and which no command sees", () => {
    expect(settings(["--no-save"], { config: { sessions: "s" } })).toMatchObject({ noSave: true, sessions: "s" });
    expect(settings([], { config: { "no-save": true, store: "p" } })).toMatchObject({ noSave: true, store: "p" });
  });
});

describe("two options that contradict each other are refused", () => {
  test.each<[readonly string[], Found, string]>([
    [["--yes", "--ask"], { kept: { ask: true } }, "--yes and --ask contradict each other; give one."],
    [
      ["--no-save", "--store", "p"],
      {},
      "--store says where to keep the session, and --no-save to keep none; give one.",
    ],
    [[], { config: { yes: true, ask: true } }, "contradict each other; a config file has both: leave one out there."],
    [
      ["--park"],
      { kept: { "dry-run": true } },
      "--dry-run does nothing that needs one; the session keeps --dry-run: leave --park out.",
    ],
    [
      ["--no-input"],
      { kept: { ask: true } },
      "--no-input says nobody is there; the session keeps --ask: leave --no-input out, or add --park.",
    ],
    [["--no-input"], { config: { ask: true } }, "a config file has --ask: leave --no-input out, or add --park."],
  ])("%j beside %j", (argv, found, words) => {
    expect(() => settings(argv, found)).toThrow(words);
  });

  test("but --ask and --no-input go together with --park: what is asked about waits", () => {
    expect(settings(["--ask", "--no-input", "--park"])).toMatchObject({ ask: true, noInput: true, park: true });
    const kept = { ask: true, park: true };
    expect(settings(["--no-input"], { kept })).toMatchObject({ ask: true, noInput: true });
    expect(settings(["--ask", "--park"], { config: { "no-input": true } })).toMatchObject({ noInput: true });
  });
});

describe("a command that two options could check", () => {
  test("is checked as the nearest source says", () => {
    const late = { until: ["npm test", "npm run lint"] };
    for (const found of [{ kept: late }, { config: late }])
      expect(settings(["--until-every", "npm test"], found).checks).toEqual([
        { line: "npm test", every: "iteration" },
        { line: "npm run lint", every: "claim" },
      ]);
    const often = { "until-every": ["npm test"] };
    expect(settings(["--until", "npm test"], { kept: often })).toMatchObject({
      checks: [{ line: "npm test", every: "claim" }],
      kept: { until: ["npm test"] },
    });
  });

  test("is refused if one source gives it twice", () => {
    const twice = 'The command "npm test" is given twice; give it once';
    expect(() => settings(["--until", "npm test", "--until-every", "npm test"])).toThrow(twice);
    expect(() => settings(["--until", "npm test", "--until", "npm test"])).toThrow(twice);
  });
});
