import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { readSettings } from "../../../src/cli/args/args.js";
import { parseOptions } from "../../../src/cli/args/options.js";
import { loadModules } from "../../../src/cli/modules/modules.js";
import { makeAgent } from "../../../src/cli/task/make-agent.js";
import { workplaceFor } from "../../../src/cli/task/workplace-for.js";
import { watch } from "../../../src/cli/show/watch.js";
import { plain } from "../../../src/cli/display/quantities.js";
import { call, scriptedModel, scriptedProvider } from "../../../src/testing/index.js";
import { converse, taskCompletion } from "../../../src/tools/index.js";
import { runHere, temporary, type Ended } from "../command.js";

test("the agent of the command ends by its ending tools: in a conversation by text alone, for several turns in one session", async () => {
  await using folder = await temporary();
  const model = scriptedModel([{ text: "Hello." }, [call("list_files", {})], { text: "There is nothing." }]);
  const said: string[] = [];
  const { onEvent, hooks, ending } = watch({
    log: "verbose",
    style: plain,
    say: (line) => said.push(line),
    events: undefined,
    now: () => 0,
  });
  const settings = readSettings(parseOptions(["x", "--no-sandbox"]));
  const needs = { root: folder.path, guarded: [], modules: await loadModules(settings) };
  const { agent, notices, remarks } = await makeAgent(
    {
      settings,
      workdir: folder.path,
      model,
      guidance: "Speak plainly.",
      limits: {},
      window: undefined,
      approver: undefined,
      secrets: [],
      guarded: [],
      modules: [],
      workplaceFor: (rights) => workplaceFor({ ...settings, rights }, needs),
    },
    { endings: [taskCompletion(), converse()], onText: "converse", hooks },
  );
  expect(notices).toEqual([expect.stringContaining("without a sandbox")]);
  const first = await agent.run("Hi.", { onEvent });
  expect(first).toMatchObject({ status: "waiting", by: "converse", value: { message: "Hello." } });
  const second = await agent.run("What is here?", { session: first.session, onEvent });
  expect(second).toMatchObject({ status: "waiting", value: { message: "There is nothing." } });
  expect(model.requests[0]?.system).toMatch(/careful engineer[^]*\n\nSpeak plainly\./);
  expect(said.filter((line) => line.includes("system: "))).toHaveLength(1);
  expect(said).toContain("      | tool: What is here?");
  expect(said).toContain("      ok 0 entries (0 ms)");
  expect(ending()).toEqual(["waiting for an answer · 3 iterations · tokens not reported · 0 ms"]);
  expect(remarks()).toEqual([]);
});

/** Runs a task whose model completes it at once. */
async function tried(config: string, ...args: readonly string[]): Promise<Ended> {
  await using folder = await temporary();
  await using provider = await scriptedProvider(() => [call("task_completion", { result: "all done" })]);
  const file = join(folder.path, "config.yaml");
  await writeFile(file, config);
  const line = ["do it", "--no-sandbox", "--no-save", "--config", file, "--base-url", provider.url, "--workdir"];
  return await runHere([...line, folder.path, ...args], { OPENAI_MODEL: "m" });
}

test.each([
  ['deny: ["files__write"]', "--no-mcp"],
  ['allow: ["files__write(src/**)"]', "--quiet"],
  ['deny: ["explore"]', "--no-explore"],
  ['deny: ["ask_question"]', "--no-input"],
])("a rule of a config file about a tool that an option leaves out ended the command: %s with %s", async (...given) => {
  const { code, stderr, stdout } = await tried(...given);
  expect([code, stdout], stderr).toEqual([0, "all done\n"]);
});

const reviewer = "---\ndescription: Reviews.\n---\nReview.\n";

test.each<{
  readonly files: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly rules: string;
}>([
  { files: { ".lastcall/agents/reviewer.md": reviewer }, args: ["--no-agents"], rules: 'rule "reviewer" has' },
  {
    files: { ".lastcall/agents/x.md": reviewer.replace("---", "---\nname: reviewer") },
    args: ["--no-agents"],
    rules: 'rule "reviewer" has',
  },
  { files: { ".lastcall/agents/reviewer.md": "no front matter" }, args: ["--no-agents"], rules: 'rule "reviewer" has' },
  { files: { "config/lastcall/agents/reviewer.md": reviewer }, args: ["--no-agents"], rules: 'rule "reviewer" has' },
  { files: { ".lastcall/agents/reviewer.md": reviewer }, args: ["--no-input"], rules: 'rule "reviewer" has' },
  {
    files: { ".lastcall/agents/reviewer.md": reviewer, "other.md": reviewer },
    args: ["--agents", "other.md", "--no-explore", "--deny", "explore"],
    rules: 'rules "reviewer", "explore" have',
  },
])("a rule about an agent that is left out ended the command: $files with $args", async ({ files, args, rules }) => {
  await using folder = await temporary();
  await using provider = await scriptedProvider(() => [call("task_completion", { result: "all done" })]);
  const config = join(folder.path, "config.yaml");
  for (const [name, text] of Object.entries({ ...files, "config.yaml": "allow: [reviewer]" })) {
    await mkdir(dirname(join(folder.path, name)), { recursive: true });
    await writeFile(join(folder.path, name), text);
  }
  const at = ["--no-sandbox", "--no-save", "--base-url", provider.url, "--workdir", folder.path, "--config", config];
  const own = { OPENAI_MODEL: "m", XDG_CONFIG_HOME: join(folder.path, "config") };
  const given = args.map((word) => (word === "other.md" ? join(folder.path, word) : word));
  const { code, stderr, stdout } = await runHere(["do it", ...at, ...given], own);
  expect([code, stdout], stderr).toEqual([0, "all done\n"]);
  expect(stderr).toContain(`The ${rules} no effect: this run leaves out what `);
  const quiet = await runHere(["do it", ...at, ...given, "--quiet"], own);
  expect([quiet.code, quiet.stderr]).toEqual([0, expect.not.stringContaining("no effect")]);
});

test("a rule about an agent of a config file, which --no-agents leaves out, ended the command", async () => {
  const { code, stderr } = await tried('agents: ["agents/reviewer.md"]\ndeny: ["reviewer"]', "--no-agents");
  expect([code, stderr]).toEqual([0, expect.stringContaining('The rule "reviewer" has no effect: this run leaves')]);
});

test.each([
  ['deny: ["file_write"]', "--no-mcp"],
  ['deny: ["reviewer"]', "--no-agents"],
  ['deny: ["explorer"]', "--no-explore"],
])("a rule about a tool that nothing leaves out ends the command: %s with %s", async (...given) => {
  const { code, stderr } = await tried(...given);
  expect([code, stderr]).toEqual([4, expect.stringContaining("is about a tool that the agent does not have")]);
});

test.each([":", "", "openai:", ":gpt", " "])("the name %j was taken for a model", async (name) => {
  const words = `${JSON.stringify(name)} is no name of a model. Give one as the server has it`;
  const explore = await tried("{}", "--explore-model", name);
  expect([explore.code, explore.stderr]).toEqual([4, expect.stringContaining(`--explore-model: ${words}`)]);
  const own = await tried("{}", "--model", name);
  expect([own.code, own.stderr]).toEqual([4, expect.stringContaining(`--model: ${words}`)]);
});

test.each<[string, ...string[]]>([
  ["ask: true", "--dry-run", "--no-input"],
  ["{}", "--ask", "--dry-run", "--no-input"],
  ["{}", "--ask", "--dry-run"],
])("a dry run, which asks nobody, was refused because nobody was there to be asked: %s %s %s %s", async (...given) => {
  const { code, stderr, stdout } = await tried(...given);
  expect([code, stdout], stderr).toEqual([0, "all done\n"]);
});
