import { describe, expect, test } from "vitest";
import { readSettings } from "../../../src/cli/args/args.js";
import { parseOptions } from "../../../src/cli/args/options.js";
import type { Order } from "../../../src/cli/args/order.js";

const order = (...argv: readonly string[]): Order => readSettings(parseOptions(argv)).order;
const task = (words: string): Order => ({ do: "run", task: { words, namesInput: false } });

test.each<[readonly string[], Order]>([
  [[], { do: "demo", isNamed: false }],
  [["demo"], { do: "demo", isNamed: true }],
  [["help"], { do: "help", page: undefined }],
  [["help", "chat"], { do: "help", page: "chat" }],
  [["version"], { do: "version" }],
  [["sessions"], { do: "list" }],
  [["session"], { do: "list" }],
  [["list"], { do: "list" }],
  [["chat"], { do: "chat", id: undefined }],
  [["review"], { do: "review", what: undefined }],
  [["review", "main...HEAD"], { do: "review", what: "main...HEAD" }],
  [["--json", "review", "2026"], { do: "review", what: "2026" }],
  [["show", "2026"], { do: "show", id: "2026" }],
  [["fork", "2026@7"], { do: "fork", id: "2026", at: 7 }],
  [["prune", "2d"], { do: "prune", age: 172_800_000 }],
  [["work"], { do: "work" }],
  [["schedule"], { do: "schedule", plan: { is: "list" } }],
  [["schedule", "remove", "tick"], { do: "schedule", plan: { is: "removed", name: "tick" } }],
  [["schedule", "do it"], { do: "schedule", plan: { is: "given", name: undefined, task: "do it" } }],
  [
    ["schedule", "tick", "do it", "--every", "7d"],
    { do: "schedule", plan: { is: "given", name: "tick", task: "do it" } },
  ],
  [["docs"], { do: "docs", words: undefined }],
  [["docs", "limits"], { do: "docs", words: "limits" }],
  [["docs", "resume", "after a crash"], { do: "docs", words: "resume after a crash" }],
  [["docs", "--json", "limits"], { do: "docs", words: "limits" }],
  [["docs", "--mcp"], { do: "docs-mcp" }],
  [["mcp", "list"], { do: "mcp-list" }],
  [["mcp", "serve"], { do: "mcp-serve" }],
  [["mcp", "test", "demo"], { do: "mcp-test", name: "demo", call: undefined }],
  [["mcp", "test", "demo", "echo"], { do: "mcp-test", name: "demo", call: { tool: "echo", input: {} } }],
  [
    ["mcp", "test", "demo", "echo", '{"a":1}'],
    { do: "mcp-test", name: "demo", call: { tool: "echo", input: { a: 1 } } },
  ],
  [["resume", "2026"], { do: "resume", id: "2026", answer: undefined, more: false }],
])("%j is a command and no task", (argv, wanted) => {
  expect(order(...argv)).toEqual(wanted);
});

test("words about docs are a task in quotes, or behind two dashes", () => {
  expect(order("docs are missing")).toEqual(task("docs are missing"));
  expect(order("--", "docs")).toEqual(task("docs"));
});

describe("a mistyped command is told, and not run as a task:", () => {
  test.each([
    [["chta"], "Did you mean lastcall chat? For a task of this one word: lastcall -- chta."],
    [["hlep"], "Did you mean lastcall help?"],
    [["HELP"], "Did you mean lastcall help?"],
    [["verison"], "Did you mean lastcall version?"],
    [["sesions"], "Did you mean lastcall sessions?"],
    [["resum", "2026-x"], "Did you mean lastcall resume 2026-x?"],
    [["resum", "2026-x", "at eight"], 'Did you mean lastcall resume 2026-x "at eight"?'],
  ])("%j", (argv, words) => {
    expect(() => order(...argv)).toThrow(words);
  });
});

describe("a command without its words, or with too many, is told:", () => {
  test.each([
    [["resume"], "lastcall resume needs the id of a session; lastcall sessions lists them. See lastcall help resume."],
    [["show", " "], "lastcall show needs the id of a session"],
    [["prune"], "needs the age of the sessions"],
    [["prune", "x"], "is no age"],
    [["sessions", "x"], 'lastcall sessions has no "x"; it has import FILE'],
    [["sessions", "import"], "lastcall sessions import needs a file"],
    [["agents", "x"], "takes no other words; a task that begins so has to be in quotes"],
    [["help", "me", "please"], "takes [PAGE] and no more"],
    [["docs", " "], "The words to look for are empty; leave them out to list the pages. See lastcall help docs."],
    [["docs", "--mcp", "servers.json"], "lastcall docs --mcp serves all pages and takes no words"],
    [["mcp"], "lastcall mcp needs list, test NAME or serve. See lastcall help mcp."],
    [["mcp", "tets", "demo"], "lastcall mcp needs list, test NAME or serve"],
    [["mcp", "list", "x"], "lastcall mcp list takes no other words"],
    [["mcp", "test"], "lastcall mcp test needs the name of a server"],
    [["mcp", "test", "demo", "echo", "{"], "The arguments of the tool are no JSON"],
    [["mcp", "test", "demo", "echo", "[1]"], "The arguments of the tool must be an object in JSON"],
    [["mcp", "test", "demo", "echo", "{}", "x"], "takes NAME TOOL JSON and no more"],
    [["resume", "x", "  "], "The answer is empty"],
    [["resume", "x", "a", "b"], "The answer must be one word to the shell"],
  ])("%j", (argv, words) => {
    expect(() => order(...argv)).toThrow(words);
  });
});

test("a word that is like no command is a task, and so is any word after --, or a sentence in quotes", () => {
  for (const word of ["worry", "lint", "tests", "build", "x", "help me with the tests", "resume the work"])
    expect(order(word)).toEqual(task(word));
  // Members of all objects are no commands.
  for (const word of ["constructor", "toString", "valueOf", "__proto__", "hasOwnProperty"])
    expect(order(word)).toEqual(task(word));
  for (const word of ["help", "chta", "-x", "resume"]) expect(order("--", word)).toEqual(task(word));
  expect(order("--yes", "--", "help")).toEqual(task("help"));
  expect(order("resume", "x", "--", "-1")).toMatchObject({ do: "resume", answer: { words: "-1" } });
});

test("a - is standard input: the task or the answer itself, or material for it", () => {
  expect(order("-")).toEqual({ do: "run", task: { words: undefined, namesInput: true } });
  expect(order("review this", "-")).toEqual({ do: "run", task: { words: "review this", namesInput: true } });
  expect(order("resume", "x", "-")).toMatchObject({ answer: { words: undefined, namesInput: true } });
  expect(order("resume", "x", "yes", "-")).toMatchObject({ answer: { words: "yes", namesInput: true } });
  expect(() => order("-", "review this")).toThrow("put it in quotes");
});

test.each([
  ["--modle", "--model"],
  ["--max-iter", "--max-iterations"],
  ["--no_save", "--no-save"],
  ["--NO-SAVE", "--no-save"],
  ["-help", "--help"],
  ["--timeuot=3", "--timeout"],
])("the mistyped option %s is answered with %s", (typed, meant) => {
  expect(() => order("x", "--quiet", typed)).toThrow(`Did you mean ${meant}? See lastcall --help.`);
});

test("an option that is like no other is unknown, and that is all", () => {
  expect(() => order("x", "--nonsense")).toThrow("Unknown option '--nonsense'. See lastcall --help.");
  expect(() => order("x", "--model")).toThrow(/^Option '--model <value>' argument missing\. See/);
});

test.each<[readonly string[], string]>([
  [["schedule", "tick"], "has a name and no task, such as"],
  [["schedule", "tick", "do it"], "add --every or --at"],
  [["schedule", "a b", "do it", "--every", "1h"], "is no name"],
  [["schedule", "remove", " "], "The name is empty"],
  [["schedule", "  "], "The task is empty"],
  [["schedule", "--every", "1h"], "--at and --every go with a task"],
  [["schedule", "remove", "tick", "--every", "1h"], "--at and --every go with a task"],
  [["schedule", "do it", "--every", "0h"], "is no time between two others"],
  [["schedule", "do it", "--every", "400d"], "is no time between two others"],
  [["schedule", "do it", "--at", "2026-12-31"], "is no time such as"],
  [["schedule", "do it", "--at", "2026-13-31T06:00Z"], "is no time such as"],
  [["do it", "--every", "1h"], "A task takes no --every"],
])("%j is no schedule", (argv, words) => {
  expect(() => order(...argv)).toThrow(words);
});
