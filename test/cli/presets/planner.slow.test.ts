// lastcall --plan: a plan is approved, changed, left or taken at once, and then worked off by the agent that builds.

import { mkdir, writeFile, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { call, scriptedProvider, type ScriptedProvider } from "../../../src/testing/index.js";
import { runHere, temporary, type Ended } from "../command.js";

const steps = (what: string) => [{ what, files: ["sum.txt"], check: "cat sum.txt" }];
const plan = (what = "Write 5.") => [call("propose_plan", { summary: "Writes the sum.", steps: steps(what) })];
const write = [call("write_file", { path: "sum.txt", content: "5\n" })];
const done = [call("task_completion", { result: "The sum is 5." })];

/** A folder, and the command in it with a model that says these replies. */
async function world(replies: Parameters<typeof scriptedProvider>[0]) {
  const folder = await temporary();
  const provider = await scriptedProvider(replies);
  const home = join(folder.path, "home");
  const at = ["--workdir", folder.path, "--sessions", join(folder.path, "sessions"), "--no-sandbox"];
  return {
    path: folder.path,
    provider,
    async put(name: string, text: string) {
      await mkdir(dirname(join(folder.path, name)), { recursive: true });
      await writeFile(join(folder.path, name), text);
    },
    run: (args: readonly string[], other: ScriptedProvider = provider): Promise<Ended> =>
      runHere([...args, ...at, "--base-url", other.url, "--model", "m"], { XDG_CONFIG_HOME: home }),
    id: async () =>
      (await runHere(["sessions", "--sessions", join(folder.path, "sessions")])).stdout.split(" ")[0] ?? "",
    toolsOf: (request: number) =>
      ((provider.requests[request]?.body.tools ?? []) as { function: { name: string } }[]).map(
        ({ function: { name } }) => name,
      ),
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

test("without a terminal the plan waits with exit code 3, and yes has it worked off in the same session", async () => {
  await using at = await world([plan(), write, done]);
  const waiting = await at.run(["--plan", "write the sum of 2 and 3"]);
  expect(waiting.code, waiting.stderr).toBe(3);
  expect(waiting.stdout).toBe("");
  expect(waiting.stderr).toContain(
    "Writes the sum.\n  steps:\n  1. Write 5.\n     - files: sum.txt\n     - check: cat sum.txt\n  question: Shall this plan",
  );
  const id = await at.id();
  expect(waiting.stderr).toContain(`lastcall resume ${id} "your answer", or the number of one`);
  expect(at.toolsOf(0)).toEqual(
    expect.arrayContaining(["read_file", "list_files", "search_files", "explore", "propose_plan", "give_up"]),
  );
  expect(at.toolsOf(0)).not.toEqual(expect.arrayContaining([expect.stringMatching(/write|edit|move|delete|command/)]));
  const { code, stdout, stderr } = await at.run(["resume", id, "1", "--yes"]);
  expect([code, stdout], stderr).toEqual([0, "The sum is 5.\n"]);
  expect(await readFile(join(at.path, "sum.txt"), "utf8")).toBe("5\n");
  expect(at.toolsOf(1)).toContain("write_file");
  const told = JSON.stringify(at.provider.requests[1]?.body.messages);
  expect(told).toContain("write the sum of 2 and 3");
  expect(told).toContain("1. Write 5.");
});

test("other words change the plan, which is asked about again", async () => {
  await using at = await world([plan("Write 4."), plan("Write 5."), done]);
  await at.run(["--plan", "write the sum"]);
  const id = await at.id();
  const changed = await at.run(["resume", id, "it is 5, not 4"]);
  expect([changed.code, changed.stdout], changed.stderr).toEqual([3, ""]);
  expect(changed.stderr).toContain("1. Write 5.");
  expect(JSON.stringify(at.provider.requests[1]?.body.messages)).toContain("says: it is 5, not 4");
  expect((await at.run(["resume", id, "yes"])).code).toBe(0);
});

test("words that stop the work end it with exit code 2, and nothing is built", async () => {
  await using at = await world([plan(), [call("give_up", { reason: "The user wants no plan." })]]);
  await at.run(["--plan", "write the sum"]);
  const { code, stderr } = await at.run(["resume", await at.id(), "stop"]);
  expect(code, stderr).toBe(2);
  expect(stderr).toContain("The user wants no plan.");
  expect(at.provider.requests).toHaveLength(2);
});

test.each(["--yes", "--dry-run"])("with %s the plan is worked off at once", async (option) => {
  await using at = await world([plan(), write, done]);
  const { code, stdout, stderr } = await at.run(["--plan", "write the sum", option]);
  expect([code, stdout], stderr).toEqual([0, "The sum is 5.\n"]);
  expect(at.provider.requests).toHaveLength(3);
});

test("the checks of --until count for the work, and not for the plan", async () => {
  await using at = await world([plan(), write, done]);
  const { code, stderr } = await at.run(["--plan", "write the sum", "--yes", "--until", "test -s sum.txt"]);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain("completed, checked");
});

test("rules about tools of the work do not keep the planner from starting, and rules about reading hold for it", async () => {
  await using at = await world([[call("read_file", { path: "a.txt" })], plan()]);
  await at.put("a.txt", "the word");
  const rules = ["--allow", "run_command(npm test)", "--deny", "read(a.txt)"];
  const { code, stderr } = await at.run(["--plan", "write the sum", ...rules]);
  expect(code, stderr).toBe(3);
  expect(JSON.stringify(at.provider.requests[1]?.body.messages)).not.toContain("the word");
});

test.each<readonly [args: readonly string[], why: string]>([
  [["--plan", "--no-input", "x"], "--plan asks whether the plan is right"],
  [["--plan", "--review", "x"], "a review changes nothing"],
  [["--plan", "--rounds", "2", "--until", "true", "x"], "takes no --plan"],
  [["chat", "--plan"], "takes no --plan"],
])("%j is refused: %s", async (args, why) => {
  await using at = await world([]);
  const { code, stderr } = await at.run(args);
  expect([code, at.provider.requests.length]).toEqual([4, 0]);
  expect(stderr).toContain(why);
});

const own = (tools: string) => `---\ndescription: Plans.\nmodel: planner-model\n${tools}---\nPlan as a poet does.\n`;

test("an agent named plan in a file is the planner, with its instructions and its model", async () => {
  await using at = await world([plan(), done]);
  await at.put("agents/plan.md", own("tools: [read_file]\n"));
  const args = ["--plan", "write the sum", "--yes", "--agents", join(at.path, "agents/plan.md")];
  const { code, stderr } = await at.run(args);
  expect(code, stderr).toBe(0);
  const [first, second] = at.provider.requests.map(({ body }) => body);
  expect(JSON.stringify(first?.messages)).toContain("Plan as a poet does.");
  expect([first?.model, second?.model]).toEqual(["planner-model", "m"]);
  expect(at.toolsOf(0)).not.toContain("list_files");
});

test("an own planner that may do more than read is refused", async () => {
  await using at = await world([]);
  await at.put("plan.md", own("tools: [write_file]\n"));
  const { code, stderr } = await at.run(["--plan", "x", "--agents", join(at.path, "plan.md")]);
  expect(code).toBe(4);
  expect(stderr).toContain("The agent plan in");
  expect(stderr).toContain("may only read");
});

test("the planner of an untrusted folder does nothing", async () => {
  await using at = await world([plan(), done]);
  await at.put(".lastcall/agents/plan.md", own(""));
  const { code, stderr } = await at.run(["--plan", "write the sum", "--yes"]);
  expect(code, stderr).toBe(0);
  expect(JSON.stringify(at.provider.requests[0]?.body)).not.toContain("poet");
  expect(at.provider.requests[0]?.body.model).toBe("m");
});
