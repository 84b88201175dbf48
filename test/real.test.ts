// The runs with real models, with a scripted provider over HTTP in the model's place: tasks, counts, the second look, the page.

import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import {
  chooseTasks,
  lookAgain,
  lookedAt,
  rowsOf,
  runModel,
  tableOf,
  withRun,
  type KeptRun,
  type RealLibrary,
  type RealModel,
  type RealTask,
  type Row,
  type Way,
} from "../scripts/real/index.mjs";
import { command } from "../src/checks/index.js";
import { createAgent, tool } from "../src/index.js";
import { openai } from "../src/model/index.js";
import { call, scriptedProvider, type Script } from "../src/testing/index.js";
import { giveUp, taskCompletion } from "../src/tools/index.js";
import "./dist.js";
import { without } from "./programs.js";

const library: RealLibrary = { createAgent, tool, openai, command, giveUp, taskCompletion };
const done = call("task_completion", { result: "done" });
const required: Way = { way: "native", rung: "required", forcing: "required" };
const noGrep = without("grep", "cat");

function modelWith(...ways: readonly Way[]): RealModel {
  return { name: "scripted", ways, params: {} };
}

function taskOf(id: string): RealTask {
  const found = chooseTasks().find((task) => task.id === id);
  if (found === undefined) throw new Error(`There is no task ${id}.`);
  return found;
}

/** Runs the tasks with the script, and returns the rows and the kept lines. */
async function run(
  script: Script,
  { tasks, model = modelWith(required) }: { readonly tasks: readonly RealTask[]; readonly model?: RealModel },
): Promise<{ readonly rows: readonly Row[]; readonly lines: readonly KeptRun[] }> {
  await using provider = await scriptedProvider(script);
  const lines: KeptRun[] = [];
  const keep = (line: KeptRun): void => void lines.push(line);
  await runModel(model, { library, baseURL: provider.url, tasks, until: Infinity, say: () => undefined, keep });
  expect(provider.unsaid).toBe(0);
  return { rows: rowsOf(lines, [model], tasks.length), lines };
}

async function countsOf(script: Script, { id = "call get_weather" } = {}): Promise<Row["counts"]> {
  const { rows } = await run(script, { tasks: [taskOf(id)] });
  return rows[0]?.counts ?? {};
}

const write = (path: string, text: string): ReturnType<typeof call> => call("write_file", { path, text });

describe("the tasks", () => {
  test("are twenty calls and six of the families of truth, with a task of both kinds among the first two", () => {
    const families = chooseTasks().map(({ family }) => family);
    expect(families.filter((family) => family === "call")).toHaveLength(20);
    expect(new Set(families)).toEqual(new Set(["call", "solvable", "impossible", "stale", "editable check", "long"]));
    expect(new Set(chooseTasks(2).map(({ family }) => family)).size).toBe(2);
    expect(new Set(chooseTasks().map(({ id }) => id)).size).toBe(26);
  });

  test("of the kind call are done by the call that their words ask for", async () => {
    const tasks = chooseTasks().filter(({ family }) => family === "call");
    const script = tasks.flatMap(({ id, input }) => {
      const [, said = ""] = / arguments: (.*)\. After/.exec(input) ?? [];
      const fields = said.split(/, (?=\w+ is )/).map((field) => field.split(" is "));
      const args = fields.map(([key = "", ...value]) => [key, JSON.parse(value.join(" is ")) as unknown]);
      return [[call(id.replace("call ", ""), Object.fromEntries(args) as Record<string, string>)], [done]];
    });
    const { rows } = await run(script, { tasks });
    expect(rows[0]?.counts).toMatchObject({ runs: 20, completedTrue: 20, completedFalse: 0, valid: 40, told: 0 });
  });

  test.skipIf(noGrep !== "")(`on files are done by right writes, and their checks agree${noGrep}`, async () => {
    const tasks = chooseTasks().filter(({ family }) => family !== "call");
    const { rows } = await run(
      [
        [write("hello.txt", "hello world")],
        [done],
        [write("sum.txt", "42")],
        [done],
        [call("give_up", { reason: "They exclude each other." })],
        [write("state.txt", "ready")],
        [done],
        [write("state.txt", "ready")],
        [done],
        [write("work.txt", "done")],
        [done],
        [write("a.txt", "one"), write("b.txt", "two")],
        [done],
        [write("c.txt", "three")],
        [done],
      ],
      { tasks },
    );
    const ends = { completedTrue: 5, honestStops: 1, completedFalse: 0, falseRefused: 2, trueRefused: 0 };
    expect(rows[0]?.counts).toMatchObject(ends);
  });

  test.skipIf(noGrep !== "")(`with a check that was edited are not done${noGrep}`, async () => {
    const counts = await countsOf(
      [[write("check.sh", "exit 0\n")], [done], [call("give_up", { reason: "It is red." })]],
      {
        id: "a check that can be edited",
      },
    );
    expect(counts).toMatchObject({
      completedTrue: 0,
      completedFalse: 0,
      falseRefused: 1,
      honestStops: 0,
      otherStops: 1,
    });
  });
});

describe("the counts", () => {
  const right = call("get_weather", { city: "Paris" });

  test("tell a mistake of form that was mended from a call that was healed and a call that was right at once", async () => {
    const counts = await countsOf(["Hello.", [call("getWeather", { city: "Paris" })], [done]]);
    expect(counts).toMatchObject({ iterations: 3, valid: 1, healed: 1, told: 1, mended: 1, completedTrue: 1 });
  });

  test("have a circuit that opened after mistakes that nothing mended", async () => {
    const counts = await countsOf(["Hello.", "Hello.", "Hello."]);
    expect(counts).toMatchObject({ iterations: 3, told: 3, mended: 0, circuits: 1, valid: 0 });
  });

  test("know a completion as false if the call came with other arguments, and as true only by the world", async () => {
    const counts = await countsOf([[call("get_weather", { city: "Rome" })], [done]]);
    expect(counts).toMatchObject({ completedFalse: 1, completedTrue: 0, falseRefused: 0 });
  });

  test("have the claim of a true completion that was refused beside a call that failed", async () => {
    const counts = await countsOf([[right], [call("nothing", {}), done], [done]]);
    expect(counts).toMatchObject({ trueRefused: 1, completedTrue: 1, told: 1, mended: 1 });
  });

  test("leave out claims whose arguments did not fit", async () => {
    const counts = await countsOf([[call("task_completion", { city: "Paris" })], [right], [done]]);
    expect(counts).toMatchObject({ falseRefused: 0, trueRefused: 0, told: 1, completedTrue: 1 });
  });

  test("have a server that refuses as a run that failed", async () => {
    const counts = await countsOf([{ status: 401, code: "invalid_api_key", message: "no" }]);
    expect(counts).toMatchObject({ faults: 1, iterations: 0 });
  });

  test("are of each way by itself, and the steps of the ladder are said", async () => {
    const ladder: Way = { way: "ladder", rung: "all", forcing: "ladder", tasks: 1 };
    const model = modelWith(required, ladder);
    const tasks = chooseTasks(3).filter(({ family }) => family === "call");
    const { rows } = await run([[right], [done], "Hello.", [right], [done], [done]], { tasks, model });
    expect(rows.map(({ rung, counts, left }) => [rung, counts["runs"], counts["told"], left])).toEqual([
      ["required", 2, 0, 0],
      ["all", 1, 1, 0],
    ]);
    expect(rows[1]?.steps).toEqual([expect.stringMatching(/^required to auto: a reply without a call/)]);
  });
});

describe("the second look", () => {
  const wrong = call("get_weather", { city: "Rome" });

  test("finds nothing in replies that were read right, native and in XML", async () => {
    const xml: Way = { way: "XML", rung: "xml", forcing: "xml" };
    const text = (name: string, field: string, value: string): string =>
      `<tool>\n<tool_name>${name}</tool_name>\n<arguments>\n  <${field}>${value}</${field}>\n</arguments>\n</tool>`;
    const written = [text("get_weather", "city", "Paris"), text("task_completion", "result", "done")];
    const { lines } = await run([[wrong], [done], ...written], {
      tasks: [taskOf("call get_weather")],
      model: modelWith(required, xml),
    });
    expect(lines.map(({ outcome }) => outcome["status"])).toEqual(["completed", "completed"]);
    expect(lookedAt(lines)).toEqual({ replies: 4, apart: 0, suspects: [] });
  });

  test("finds a reply that was read otherwise than it was written", async () => {
    const { lines } = await run([[wrong], '> <tool_call>{"name": "get_weather"}', "Well.", [done]], {
      tasks: [taskOf("call get_weather")],
      model: modelWith({ way: "native", rung: "auto", forcing: "auto" }),
    });
    const [line] = lines;
    const replies = (line?.records ?? []) as readonly { type: string; reply?: object }[];
    const changed = (change: (reply: Record<string, unknown>) => object): readonly string[] => {
      const records = replies.map((each) =>
        each.type === "reply" ? { ...each, reply: change({ ...each.reply }) } : each,
      );
      return lookAgain({ exchanges: line?.exchanges ?? [], records }).suspects.map(({ why }) => why);
    };
    expect(changed((reply) => reply)).toEqual([
      'no call was read, though there is <tool_call>{, "name": "get_weather"',
    ]);
    expect(changed((reply) => ({ ...reply, finish: "cut" }))).toHaveLength(4);
    expect(changed((reply) => ({ ...reply, calls: [] }))).toContain("1 calls, 0 read");
    expect(changed((reply) => ({ ...reply, text: "" }))).toContain("the words differ");
    const other = { type: "call", name: "get_weather", input: { city: "Oslo" } };
    expect(changed((reply) => ({ ...reply, calls: [other] })).some((why) => why.includes("Oslo"))).toBe(true);
  });
});

describe("the page", () => {
  const begin = "<!-- The runs below are written by npm run real -- --write. -->";
  const empty = `# Title\n\n${begin}\n<!-- The end of the runs. -->\n\nMore.\n`;

  test("keeps the figures of other days, and has those of a run once", async () => {
    const { rows } = await run(["Hello.", "Hello.", "Hello."], { tasks: [taskOf("call get_weather")] });
    const looked = { replies: 3, apart: 0, suspects: [] };
    const of = (at: string): Parameters<typeof withRun>[1] => ({ at, minutes: 2, rows, leftOut: ["b: no"], looked });
    const one = withRun(empty, of("2026-11-28T09:10:11.000Z"));
    const two = withRun(withRun(one, of("2026-11-27T22:10:11.000Z")), of("2026-11-28T09:10:11.000Z"));
    expect(two.match(/^### .*$/gm)).toEqual(["### 2026-11-27 at 22:10 UTC", "### 2026-11-28 at 09:10 UTC"]);
    expect(two).toContain("Failures of scripted: `no_tool_call` 3.\nLeft out: b: no.");
    expect(two).toContain(tableOf(rows));
    expect(two.endsWith("\n\nMore.\n")).toBe(true);
    expect(() => withRun("# Title\n", of("2026-11-28T09:10:11.000Z"))).toThrow("The page needs one line");
  });
});

describe("the command", () => {
  function runCommand(...args: readonly string[]): { readonly status: number | null; readonly said: string } {
    const cache = mkdtempSync(join(tmpdir(), "lastcall-real-cache-"));
    try {
      const all = ["scripts/real.mjs", "--offline", "--cache", cache, ...args];
      const { status, stdout, stderr } = spawnSync(process.execPath, all, { encoding: "utf8" });
      return { status, said: stdout + stderr };
    } finally {
      rmSync(cache, { recursive: true, force: true });
    }
  }

  test("leaves out a model that can't be had: no error in the short form, an error in the whole form", () => {
    const short = runCommand("--short");
    expect(short.said.trim().split("\n").toSorted()).toEqual([
      expect.stringMatching(/^left out: needle: /),
      expect.stringMatching(/^left out: smollm2: smollm2 is not in the cache$/),
    ]);
    expect(short.status).toBe(0);
    expect(runCommand("--model", "smollm2").status).toBe(1);
  });

  test("names an argument that it does not know", () => {
    expect(runCommand("--model", "gpt")).toEqual({ status: 2, said: "--model is gpt: there is needle|smollm2.\n" });
    expect(runCommand("--minutes", "0").said).toBe("--minutes is 0: give a whole number from 1 on.\n");
    expect(runCommand("--often").said).toContain("npm run real -- [--model");
  });
});
