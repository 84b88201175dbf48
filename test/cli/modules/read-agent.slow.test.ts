// An agent of one's own: its endings in the answer, the log, the exit code and a conversation, and its options beside those of the command.

import { expect, test } from "vitest";
import { call } from "../../../src/testing/index.js";
import { runHere } from "../command.js";
import { imports, moduleFolder, shout, type ModuleFolder } from "./module-folder.js";

const desk = `${imports}
const ending = (name, input, more = {}) => tool({ name, description: name, input: z.object(input), isLoopBreaking: true, effect: "none", ...more });
export default {
  instructions: "You decide on refunds.",
  tools: [
    ${shout},
    ending("approve", { id: z.string() }, { run: ({ id }) => ({ id, cents: 4000 }) }),
    ending("say", { words: z.string() }, { streams: "words" }),
    ending("escalate", { why: z.string(), team: z.string() }, { streams: "why" }),
    ending("reject", { why: z.string() }, { givesUp: true, streams: "why" }),
    ending("propose", { words: z.string(), cents: z.int() }, { awaitsReply: true, streams: "words",
      replySchema: z.object({ accepted: z.boolean(), why: z.string().optional() }) }),
  ],
};`;

async function deskIn(folder: ModuleFolder): Promise<string> {
  return folder.put("desk.mjs", desk);
}

/** The id of the session in the command that goes on. */
function idIn(stderr: string): string {
  return /lastcall resume (\S+)/.exec(stderr)?.[1] ?? "";
}

test("the agent has its own instructions and tools, and none of the command's", async () => {
  await using folder = await moduleFolder();
  const { code, body } = await folder.on([[call("say", { words: "Hello." })]], ["go", "--agent", await deskIn(folder)]);
  expect(code).toBe(0);
  expect(body).toContain("You decide on refunds.");
  expect(body).not.toContain("careful engineer");
  expect(body).not.toContain('"read_file"');
  expect(body).not.toContain('"task_completion"');
});

test("an agent hands over to another one, whose words are the answer", async () => {
  await using folder = await moduleFolder();
  const source = `${imports}
import { createAgent } from "lastcall";
import { handOver } from "lastcall/tools";
import { call, scriptedModel } from "lastcall/testing";
const explain = tool({ name: "explain", description: "Ends it", input: z.object({ words: z.string() }), isLoopBreaking: true, streams: "words" });
const support = createAgent({ model: scriptedModel([[call("explain", { words: "Turn the ring." })]]), tools: [explain] });
export default { instructions: "You are the desk.", tools: [handOver({ support }), taskCompletion()] };`;
  const { code, stdout, stderr, requests } = await folder.on(
    [[call("hand_over", { to: "support", message: "How is it dimmed?" })]],
    ["go", "--agent", await folder.put("agent.mjs", source)],
  );
  expect({ code, stdout, requests }).toEqual({ code: 0, stdout: "Turn the ring.\n", requests: 1 });
  expect(stderr).toContain("handed over to support");
});

test.each([
  [
    "a made value is printed as JSON",
    call("approve", { id: "A" }),
    0,
    '{"id":"A","cents":4000}\n',
    "completed by approve, unchecked ·",
  ],
  [
    "words alone are printed as they are",
    call("say", { words: "Hello." }),
    0,
    "Hello.\n",
    "completed by say, unchecked ·",
  ],
  [
    "words with other fields lose none of them",
    call("escalate", { why: "big", team: "w" }),
    0,
    '{"why":"big","team":"w"}\n',
    "completed by escalate, unchecked ·",
  ],
  [
    "a tool that gives up is no answer",
    call("reject", { why: "Fraud." }),
    2,
    "",
    "Not finished. It said (reject): Fraud.",
  ],
])("an ending of one's own: %s", async (_what, claim, code, stdout, words) => {
  await using folder = await moduleFolder();
  const ended = await folder.on([[claim]], ["go", "--agent", await deskIn(folder)]);
  expect(ended).toMatchObject({ code, stdout, stderr: expect.stringContaining(words) });
});

test("--json has the typed value and the tool, and --log every event", async () => {
  await using folder = await moduleFolder();
  const script = [[call("approve", { id: "A" })]];
  const { stdout } = await folder.on(script, ["go", "--agent", await deskIn(folder), "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({ status: "completed", by: "approve", value: { id: "A", cents: 4000 } });
});

test("a typed reply: the question shows its fields and the form, a misfit changes nothing, and the answer goes on", async () => {
  await using folder = await moduleFolder();
  const agent = await deskIn(folder);
  const asked = await folder.on([[call("propose", { words: "Half?", cents: 2000 })]], ["go", "--agent", agent]);
  expect(asked).toMatchObject({ code: 3, stdout: "" });
  expect(asked.stderr).toContain(
    'Half?\n  cents: 2000\nThe answer is JSON: { "accepted": true | false, "why"?: "text" }',
  );
  expect(asked.stderr).toContain("waiting for an answer to propose");
  const id = idIn(asked.stderr);
  const misfit = await folder.on([], ["resume", id, '{"accepted": "maybe"}']);
  expect(misfit).toMatchObject({
    code: 4,
    requests: 0,
    stderr: expect.stringContaining("does not fit what propose asked for"),
  });
  const answered = await folder.on([[call("approve", { id: "A" })]], ["resume", id, '{"accepted": true}']);
  expect(answered).toMatchObject({ code: 0, stdout: '{"id":"A","cents":4000}\n' });
  expect(answered.stderr).toContain(`--agent ${agent}`);
});

test("in a conversation the words are said once, the other fields below them, and a value without words under its tool", async () => {
  await using folder = await moduleFolder();
  const agent = await deskIn(folder);
  const script = [
    [call("escalate", { why: "big", team: "w" })],
    [call("approve", { id: "A" })],
    [call("propose", { words: "Half?", cents: 2000 })],
  ];
  const { code, stdout, stderr } = await folder.on(script, ["chat", "--agent", agent], "one\ntwo\nthree\n");
  expect(stdout).toBe("big\n  team: w\napprove\n  id: A\n  cents: 4000\nHalf?\n  cents: 2000\n");
  expect(stderr).toContain("The answer is JSON: {");
  expect(code).toBe(0);
});

test("an agent without an ending gets those of the command, and a function gets its tools, its folder and its shell", async () => {
  await using folder = await moduleFolder();
  const source = `export default async ({ tools, root, shell, isConversation, isDryRun }) => ({
    instructions: [root, isConversation, isDryRun, typeof shell.run].join(" "),
    tools: tools.filter(({ name }) => name === "list_files"),
  });`;
  const path = await folder.put("agent.mjs", source);
  const script = [[call("list_files")], [call("task_completion", { result: "done" })]];
  const { code, stdout, body } = await folder.on(script, ["go", "--agent", path]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "done\n" });
  expect(body).toContain(`${folder.path} false false function`);
  expect(body).not.toContain('"write_file"');
});

test("--tools and --notes add to the agent, its checks hold beside --until, and its hooks run", async () => {
  await using folder = await moduleFolder();
  const source = `${imports}
    export default { tools: [taskCompletion()], checks: [{ name: "mine", verify: () => ({ passed: true, output: "" }) }],
      hooks: [{ request: (request, next) => next({ ...request, system: request.system + " hooked" }) }] };`;
  const tools = await folder.put("tools.mjs", `${imports}export default ${shout};`);
  const args = ["--agent", await folder.put("agent.mjs", source), "--tools", tools, "--notes", "--until", "true"];
  const script = [[call("shout", { words: "hey" })], [call("task_completion", { result: "done" })]];
  const { code, stderr: log, body } = await folder.on(script, ["go", ...args]);
  expect(code).toBe(5);
  expect(body).toContain('"add_note"');
  expect(body).toContain(" hooked");
  expect(log).toMatch(/check mine: passed[^]*check true: passed/);
});

test("options win over the module: limits, model and attempts; without them the module decides", async () => {
  await using folder = await moduleFolder();
  const source = `${imports}import { scriptedModel, call } from "lastcall/testing";
    export default { tools: [taskCompletion(), ${shout}], limits: { maxIterations: 2 },
      model: scriptedModel(() => [call("shout", { words: "own" })]) };`;
  const path = await folder.put("agent.mjs", source);
  const own = await runHere(["go", "--agent", path, "--no-save", "--workdir", folder.path]);
  expect(own).toMatchObject({ code: 2, stderr: expect.stringContaining("stopped (max_iterations)") });
  expect(own.stderr.match(/ok OWN!/g)).toHaveLength(2);
  const limited = await runHere([
    "go",
    "--agent",
    path,
    "--no-save",
    "--workdir",
    folder.path,
    "--max-iterations",
    "1",
  ]);
  expect(limited.stderr.match(/ok OWN!/g)).toHaveLength(1);
  const other = await folder.on([[call("task_completion", { result: "by m" })]], ["go", "--agent", path]);
  expect(other).toMatchObject({ code: 0, stdout: "by m\n" });
});

test("a tool of the agent gets the context of its definition", async () => {
  await using folder = await moduleFolder();
  const source = `${imports}export default { context: { user: "ann" }, tools: [taskCompletion(), tool({ name: "who", description: "D",
    input: z.object({}), context: z.object({ user: z.string() }), effect: "none", run: (_, { context }) => context.user })] };`;
  const path = await folder.put("agent.mjs", source);
  const { stderr } = await folder.on(
    [[call("who")], [call("task_completion", { result: "x" })]],
    ["go", "--agent", path],
  );
  expect(stderr).toContain("ok ann");
});

/** A server that is never asked. */
const elsewhere = ["--base-url", "http://127.0.0.1:9/v1", "--model", "m"];

test.each([
  ["no default export", "export const agent = {};", [], "agent.mjs has no default export. Export the agent"],
  [
    "another value",
    "export default 7;",
    [],
    "its default export is a number. An agent is an object with `tools` and `instructions`.",
  ],
  ["a tool", `export default ${shout};`, [], "its default export is a tool."],
  [
    "a permission",
    "export default { permission: {} };",
    [],
    "an agent of the command has no `permission`: its gate decides. Give --tier, --allow and --deny",
  ],
  [
    "a slip",
    "export default { instruction: 'x' };",
    [],
    'agent.mjs has no option "instruction". Did you mean "instructions"?',
  ],
  ["secrets that are off", "export default { secrets: false };", [], "`secrets` can't be false"],
  ["no tool", "export default { tools: [taskCompletion] };", [], "its `tools` is a list with a function at index 0."],
  [
    "an agent that is made",
    "export default { run() {}, stream() {} };",
    [],
    "an agent that is made already. Export the options instead",
  ],
  [
    "an option of another model",
    "export default { model: { name: 'x', respond() {} } };",
    ["--forcing", "xml"],
    "--forcing is about a model that the command makes",
  ],
  [
    "two memories",
    "export default { memory: () => ({}) };",
    ["--window", "1000"],
    "--window says how much of the prompt the command keeps",
  ],
  [
    "nobody to ask",
    "export default { tools: [tool({ name: 'ask', description: 'D', input: z.object({}), isLoopBreaking: true, awaitsReply: true })] };",
    ["--no-input", ...elsewhere],
    "--no-input leaves out the tools that wait for an answer",
  ],
  [
    "a note tool",
    "import { notes } from 'lastcall/tools'; export default { tools: notes() };",
    ["--notes", ...elsewhere],
    'agent.mjs and --notes both have a tool named "add_note"',
  ],
])("an agent that can't be used is refused before a model is asked: %s", async (_what, source, args, message) => {
  await using folder = await moduleFolder();
  const path = await folder.put("agent.mjs", imports + source);
  const { code, stderr } = await runHere(["go", "--agent", path, "--workdir", folder.path, "--no-save", ...args], {
    OPENAI_API_KEY: "sk-not-used",
  });
  expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining(message) });
});
