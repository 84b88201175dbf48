import { describe, expect, test } from "vitest";
import { readSettings, type Settings } from "../../../src/cli/args/args.js";
import { help } from "../../../src/cli/args/help.js";
import { rows, takersOf, type Row } from "../../../src/cli/args/option-table.js";
import { fileNames, isValueOf, ownFiles, parseOptions, pickKept, typed } from "../../../src/cli/args/options.js";
import type { Sources } from "../../../src/cli/args/sources.js";

/** All options, each in one line. */
const allHelp = help("all", 1000) ?? "";

function settings(argv: readonly string[], sources: Sources = {}): Settings {
  return readSettings(parseOptions(argv), sources);
}

describe("each row of the table of options is enough for", () => {
  /** Words for the readers that do not take any text. */
  const words: Readonly<Partial<Record<NonNullable<Row["read"]>, string>>> = {
    count: "7",
    port: "7",
    "count or none": "7",
    "time or none": "7s",
    "amount or none": "0.7",
    tier: "read-only",
    suite: "truth",
    template: "desk",
    forcing: "xml",
    provider: "google",
    cap: "files: 5",
    hook: "end: b",
    "edit command": "a: b",
    period: "7d",
    moment: "2026-12-31T06:00Z",
  };
  const digest = "0123456789";
  const cases = Object.entries(rows).map(([name, row]: [string, Row]) => {
    const word =
      row.value === undefined
        ? true
        : row.read === undefined
          ? name === "digest"
            ? digest
            : "some text"
          : (words[row.read] ?? "");
    const value = row.multiple ? [word] : word;
    return { name, row, value, argv: [`--${name}`, ...(word === true ? [] : [word])] };
  });

  test.each(cases)("its help: --$name", ({ name, row }) => {
    if (typeof row.help !== "string") {
      expect(allHelp.replace(/\s+/g, " ")).toMatch(new RegExp(`, --${name} |; --${name} (?:reads none|leaves it out)`));
      return;
    }
    const short = row.short === undefined ? "" : `-${row.short}, `;
    const usage = `  ${short}--${name}${row.value === undefined ? "" : ` ${row.value}`}`;
    const fallback = row.default === undefined ? "" : ` (default: ${row.default})`;
    expect(row.help).not.toBe("");
    expect(allHelp.replace(/\s+/g, " ")).toContain(`${row.help}${fallback}`);
    expect(help(undefined, 1000)).toContain(`--${name} `.trimEnd());
    const page = name === "help" || name === "version" ? "all" : name;
    for (const text of [allHelp, help(page, 1000)]) expect(text).toContain(usage);
  });

  test.each(cases)("the parser and a setting: --$name", ({ name, row, value, argv }) => {
    const { values } = parseOptions(argv);
    expect(values).toEqual({ [name]: value });
    const setting = name.replace(/-[a-z]/g, (pair) => pair.slice(1).toUpperCase());
    const taker = takersOf(name as keyof typeof rows)[0];
    const line = {
      init: ["init"],
      resume: ["resume", "id"],
      repair: ["repair", "id"],
      verify: ["verify", "id"],
      serve: ["serve"],
      studio: ["studio"],
      schedule: ["schedule", "do it"],
      eval: ["eval", "a.mjs"],
      replay: ["replay", "id"],
      show: ["show", "id"],
    };
    const words = line[taker as keyof typeof line] ?? ["x"];
    const without = settings(words);
    expect(without).toHaveProperty(setting);
    const given = settings([...words, ...argv, ...(name === "digest" ? ["--refuse"] : [])]);
    expect(given[setting as keyof Settings]).not.toEqual(without[setting as keyof Settings]);
    expect(isValueOf(name as keyof typeof rows, value)).toBe(true);
    expect(row.short === undefined || parseOptions([`-${row.short}`]).values).toEqual(
      row.short === undefined ? true : { [name]: true },
    );
  });

  test.each(cases)("sessions and config files: --$name", ({ name, row, value }) => {
    expect(pickKept({ [name]: value })).toEqual(row.kept === undefined ? {} : { [name]: value });
    expect(fileNames.includes(name as keyof typeof rows)).toBe(row.inFiles !== false);
  });
});

describe("the limits of the command", () => {
  test("are generous by default", () => {
    expect(settings(["x"]).limits).toEqual({
      maxIterations: 200,
      timeout: 7_200_000,
      maxTokens: 20_000_000,
      iterationTimeout: 1_800_000,
      toolTimeout: 1_200_000,
    });
  });

  test("can be set one by one, or switched off", () => {
    const limits = (...args: readonly string[]) => settings(["x", ...args]).limits;
    expect(limits("--max-iterations", "3", "--max-tokens", "none")).toEqual({
      maxIterations: 3,
      timeout: 7_200_000,
      iterationTimeout: 1_800_000,
      toolTimeout: 1_200_000,
    });
    expect(limits("--max-cost", "0.5", "--prices", "p.json")).toEqual({ ...settings(["x"]).limits, maxCost: 0.5 });
    expect(limits("--timeout", "none")).not.toHaveProperty("timeout");
    expect(limits("--max-tokens", "1000000000")).toMatchObject({ maxTokens: 1_000_000_000 });
    expect(limits("--max-cost", "1234567890.5", "--prices", "p")).toMatchObject({ maxCost: 1_234_567_890.5 });
  });

  test.each([
    ["90", 90_000],
    ["90s", 90_000],
    ["1.5m", 90_000],
    ["2h", 7_200_000],
    ["250ms", 250],
    ["2000000000ms", 2_000_000_000],
    ["0.0005h", 1800],
  ])("--timeout %s is %i ms", (word, ms) => {
    expect(settings(["x", "--timeout", word]).limits.timeout).toBe(ms);
  });

  test.each(["0", "0.1ms", "-1", "1d", "40000m", "90 s", "", "1e3"])("--timeout %j is refused", (word) => {
    expect(() => settings(["x", `--timeout=${word}`])).toThrow(
      /is no time such as 90s, 10m or 2h, from 1ms to 24 days; none sets no limit/,
    );
  });
});

test.each([
  ["--max-iterations", "0", "is no whole number from 1 to 9007199254740991; none sets no limit"],
  ["--max-tokens", "9007199254740993", "is no whole number from 1 to 9007199254740991; none sets no limit"],
  ["--max-cost", "0", "is no amount above 0 such as 0.50; none sets no limit"],
  ["--attempts", "0", "is no whole number from 1 to 9007199254740991. See"],
])("%s %s is refused with its bounds, and with none if it takes none", (option, word, words) => {
  expect(() => settings(["x", option, word])).toThrow(words);
});

test("checks have their order of asking: those of every iteration come first", () => {
  const { checks, protect } = settings([
    "x",
    "--until",
    "a",
    "--until-every",
    "b",
    "--until",
    "c",
    "--protect",
    "test",
  ]);
  expect(checks).toEqual([
    { line: "b", every: "iteration" },
    { line: "a", every: "claim" },
    { line: "c", every: "claim" },
  ]);
  expect(protect).toEqual(["test"]);
});

describe("notes and the window", () => {
  test("are off by default, and each has its option", () => {
    expect(settings(["x"])).toMatchObject({ notes: false, notesFrom: undefined, window: undefined });
    expect(settings(["x", "--notes"])).toMatchObject({ notes: true, notesFrom: undefined });
    expect(settings(["x", "--window", "32000"])).toMatchObject({ window: 32_000 });
    for (const option of ["--notes ", "--notes-from ID", "--window TOKENS"]) expect(allHelp).toContain(`  ${option}`);
  });

  test("the notes of another session come with the tools, and only to a new session", () => {
    expect(settings(["x", "--notes-from", "2026"])).toMatchObject({ notes: true, notesFrom: "2026" });
    expect([settings(["x"]).as, settings(["x", "--as", "ann"]).as]).toEqual([undefined, "ann"]);
    expect(() => settings(["resume", "2026", "--notes-from", "2025"])).toThrow(
      "lastcall resume takes no --notes-from, which goes with a task. Nothing was done: leave it out.",
    );
  });

  test.each(["0", "32k", "-1", ""])("--window %j is refused", (word) => {
    expect(() => settings(["x", `--window=${word}`])).toThrow("is no whole number from 1 to 9007199254740991");
  });
});

describe("the options kept with a session", () => {
  const server = ["--provider", "mistral", "--base-url", "u", "--api-key-env", "K"];
  const task = ["--workdir", "w", "--model", "m", ...server, "--forcing", "xml"];
  const checks = ["--until", "a", "--until", "b c", "--until-every", "d", "--protect", "e", "--attempts", "2"];
  const bounds = ["--max-iterations", "3", "--timeout", "1m", "--max-tokens", "4", "--max-cost", "5", "--prices", "p"];
  const all = [...task, ...checks, "--on-edit", "f: g", ...bounds, "--notes", "--window", "6000"];

  test("are those of the task: a resume has the settings of its run, and none of its rights", () => {
    const { order: _run, ...first } = settings(["x", ...all]);
    const { order: _resume, ...second } = settings(["resume", "id"], { kept: first.kept });
    expect(second).toEqual(first);
    expect(settings(["x", "--yes", "--json", "--verbose", "--no-input"]).kept).toEqual({});
  });

  test("are overridden by the command line", () => {
    const { kept } = settings(["x", ...all]);
    const again = settings(["resume", "id", "--until", "h", "--model", "n"], { kept });
    expect(again).toMatchObject({ model: "n", attempts: 2, kept: { model: "n", until: ["h"], "until-every": ["d"] } });
    expect(again.checks.map(({ line }) => line)).toEqual(["d", "h"]);
  });

  test("are validated: unknown options and wrong values are left out", () => {
    const kept = pickKept({ model: 1, until: "a", protect: ["b", 2], notes: "yes", yes: true, window: "7000" });
    expect(kept).toEqual({ window: "7000" });
  });

  test("are shown as a person would type them", () => {
    expect(typed({ model: "m-1", until: ["npm test", "it's"], notes: true })).toBe(
      "--model m-1 --until 'npm test' --until 'it'\\''s' --notes",
    );
  });
});

describe("an order refuses the options that it does not take, and nothing is done:", () => {
  const done = "Nothing was done: leave it out.";
  test.each([
    [["prune", "30d", "--dry-run"], `lastcall prune takes no --dry-run, which goes with a run of an agent. ${done}`],
    [["repair", "ID", "--write", "--dry-run"], "lastcall repair takes no --dry-run"],
    [["fork", "ID", "--dry-run"], "lastcall fork takes no --dry-run"],
    [["sessions", "--json"], "lastcall sessions takes no --json"],
    [["prune", "30d", "--verbose"], "lastcall prune takes no --verbose"],
    [["store", "migrate", "--dry-run"], "lastcall store migrate takes no --dry-run"],
    [["mcp", "test", "demo", "echo", "--dry-run"], "lastcall mcp test takes no --dry-run"],
    [["mcp", "test", "demo", "echo", "--deny", "demo__echo"], "lastcall mcp test takes no --deny"],
    [["x", "--more"], `A task takes no --more, which goes with lastcall resume. ${done} See lastcall help more.`],
    [["chat", "ID", "--more"], "lastcall chat takes no --more, which goes with lastcall resume."],
    [["x", "--write"], "A task takes no --write, which goes with lastcall repair."],
    [["show", "ID", "--key", "k.pem"], "lastcall show takes no --key, which goes with lastcall verify."],
    [["show", "ID", "--approve"], "lastcall show takes no --approve"],
    [["sessions", "--port", "80"], "goes with lastcall serve, lastcall studio and lastcall mcp serve."],
    [["sessions", "--log", "l"], "lastcall sessions takes no --log"],
    [["resume", "ID", "--no-save"], "lastcall resume takes no --no-save, which goes with a task and lastcall review."],
    [["chat", "--rounds", "3"], "lastcall chat takes no --rounds, which goes with a task and lastcall resume."],
    [["chat", "--notes-from", "ID"], "lastcall chat takes no --notes-from, which goes with a task."],
    [["serve", "--read-only"], "lastcall serve takes no --read-only, which goes with lastcall studio."],
    [["demo", "--model", "m"], "lastcall demo takes no --model"],
    [["demo", "--workdir", "w"], "lastcall demo takes no --workdir"],
    [
      ["--yes"],
      "lastcall without a task takes no --yes, which goes with a run of an agent. Nothing was done: add a task",
    ],
  ])("%j", (argv, words) => {
    expect(() => settings(argv)).toThrow(words);
  });

  test("options of another source are no mistake, and every order takes what is about printing and the store", () => {
    const config = { "no-save": true, yes: true, log: "l" };
    const lines = [
      ["resume", "ID"],
      ["prune", "30d"],
      ["show", "ID"],
      ["repair", "ID", "--write"],
      ["agents"],
      ["demo"],
    ];
    for (const line of lines) {
      expect(() => settings(line, { config })).not.toThrow();
      expect(() => settings([...line, "--quiet", "--no-input", "--sessions", "s", "--no-config"])).not.toThrow();
    }
    expect(settings(["prune", "30d", "--dry-run", "--help"]).order).toEqual({ do: "help", page: "prune" });
  });

  test("an option that a task does not take says in the help what it goes with", () => {
    const names = (Object.keys(rows) as readonly (keyof typeof rows)[]).filter(
      (name) => !takersOf(name).includes("run"),
    );
    const helps = names.map((name) => {
      const row: Row = rows[name];
      return typeof row.help === "string" ? row.help : rows[row.help.in as keyof typeof rows].help;
    });
    expect(names.length).toBeGreaterThan(5);
    for (const text of helps)
      expect(text).toMatch(
        /with (?:init|resume|repair|show|verify|schedule|serve and studio|studio|eval|replay)|serve and studio take/,
      );
  });
});

test("--on-edit is a pattern and a command, divided at the first colon", () => {
  expect(settings(["x", "--on-edit", "**/*.ts: eslint --rule a:b {file}"]).onEdit).toEqual([
    { files: "**/*.ts", command: "eslint --rule a:b {file}" },
  ]);
});

test.each([
  [
    ["--config", "c.json", "--log", "l.jsonl", "--record", "r.jsonl"],
    ["c.json", "l.jsonl", "r.jsonl"],
  ],
  // `-` and `missing` name no file, so a file of that name may be written.
  [["--log", "-", "--replay", "r.jsonl", "--record", "missing"], ["r.jsonl"]],
  [[], []],
])("no tool may write the files that the options name: %j", (argv, files) => {
  expect(ownFiles(settings([...argv, "task"]))).toEqual(files);
});

describe("a review", () => {
  const work = { agent: "a.mjs", until: ["npm test"], protect: ["test/**"], tier: "full-access", cap: ["files: 5"] };

  test("only reads, whatever a config file says about work, and goes on so", () => {
    const read = (argv: readonly string[], sources: Parameters<typeof readSettings>[1]) =>
      readSettings(parseOptions([...argv]), sources);
    for (const { review, agent, checks, protect, cap, rights, kept } of [
      read(["review"], { config: work }),
      read(["--review", "look"], { config: work }),
      read(["resume", "ID"], { kept: { review: true }, config: work }),
    ]) {
      expect([review, agent, rights.tier, kept.review]).toEqual([true, undefined, "read-only", true]);
      expect([...checks, ...protect, ...cap]).toEqual([]);
    }
    expect(() => read(["resume", "ID", "--until", "true"], { kept: { review: true } })).toThrow("a review does none");
  });

  test("is a task in quotes, or behind two dashes", () => {
    for (const argv of [["review the code"], ["--", "review"]]) {
      const { review, rights } = readSettings(parseOptions(argv));
      expect([review, rights.tier]).toEqual([false, "workspace-write"]);
    }
  });
});
