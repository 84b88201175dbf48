// Sessions as trajectories, held against the fields and rules of ATIF 1.7, which are written down here a second time.

import { expect, test } from "vitest";
import { z } from "zod";
import { trajectoryOf } from "../../../src/cli/show/trajectory.js";
import { createAgent, tool, type Session } from "../../../src/index.js";
import { openai } from "../../../src/model/index.js";
import { memoryStore, openSession } from "../../../src/memory/index.js";
import { call, scriptedModel, scriptedProvider } from "../../../src/testing/index.js";
import { delegate, taskCompletion } from "../../../src/tools/index.js";
import { runHere, temporary } from "../command.js";

type Fields = Readonly<Record<string, unknown>>;

/** The fields of each object: `!` marks a field that has to be there. The format forbids all others. */
const fields = {
  trajectory:
    "schema_version! session_id trajectory_id agent! steps! notes final_metrics continued_trajectory_ref extra subagent_trajectories",
  agent: "name! version! model_name tool_definitions extra",
  step: "step_id! timestamp source! model_name reasoning_effort message! reasoning_content tool_calls observation metrics is_copied_context llm_call_count extra",
  call: "tool_call_id! function_name! arguments! extra",
  observation: "results!",
  result: "source_call_id content subagent_trajectory_ref extra",
  ref: "trajectory_id session_id trajectory_path extra",
  metrics:
    "prompt_tokens completion_tokens cached_tokens cost_usd prompt_token_ids completion_token_ids logprobs extra",
  final: "total_prompt_tokens total_completion_tokens total_cached_tokens total_cost_usd total_steps extra",
} as const;

/** Fields that only steps of an agent have. */
const ofAgents = ["model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics"];

/** The breaches of the format. */
function breaches(trajectory: Fields): readonly string[] {
  const found: string[] = [];
  const check = (kind: keyof typeof fields, value: unknown, where: string): Fields => {
    const known = fields[kind].split(" ");
    const given = value as Fields;
    if (typeof value !== "object" || value === null || Array.isArray(value))
      return (found.push(`${where} is no object`), {});
    for (const key of Object.keys(given))
      if (!known.some((name) => name.replace("!", "") === key)) found.push(`${where} has ${key}`);
    for (const name of known)
      if (name.endsWith("!") && given[name.slice(0, -1)] === undefined) found.push(`${where} lacks ${name}`);
    return given;
  };
  const list = (value: unknown): readonly Fields[] => (value ?? []) as readonly Fields[];
  check("trajectory", trajectory, "the trajectory");
  if (trajectory["schema_version"] !== "ATIF-v1.7") found.push("the version is another");
  check("agent", trajectory["agent"], "agent");
  if (trajectory["final_metrics"] !== undefined) check("final", trajectory["final_metrics"], "final_metrics");
  const steps = list(trajectory["steps"]);
  if (steps.length === 0) found.push("there are no steps");
  steps.forEach((step, index) => {
    const where = `step ${String(index + 1)}`;
    check("step", step, where);
    if (step["step_id"] !== index + 1) found.push(`${where} has another number`);
    if (!["system", "user", "agent"].includes(String(step["source"]))) found.push(`${where} has another source`);
    if (typeof step["message"] !== "string") found.push(`${where} has no message`);
    if (Number.isNaN(Date.parse(String(step["timestamp"])))) found.push(`${where} has no time`);
    if (step["source"] !== "agent")
      for (const key of ofAgents) if (step[key] !== undefined) found.push(`${where} has ${key} without an agent`);
    if (step["metrics"] !== undefined) check("metrics", step["metrics"], `${where}.metrics`);
    const calls = list(step["tool_calls"]).map((one) => check("call", one, `${where}.tool_calls`));
    for (const { arguments: given } of calls)
      if (typeof given !== "object" || given === null || Array.isArray(given)) found.push(`${where}: arguments`);
    if (step["observation"] === undefined) return;
    for (const result of list(check("observation", step["observation"], `${where}.observation`)["results"])) {
      const { source_call_id: source } = check("result", result, `${where}.results`);
      if (source !== undefined && !calls.some((one) => one["tool_call_id"] === source))
        found.push(`${where} observes a call of another step`);
      for (const ref of list(result["subagent_trajectory_ref"]))
        if (check("ref", ref, `${where}.ref`)["trajectory_id"] === undefined) found.push(`${where}: no id to resolve`);
    }
  });
  const inner = list(trajectory["subagent_trajectories"]);
  const ids = inner.map((one) => one["trajectory_id"]);
  if (ids.includes(undefined) || new Set(ids).size < ids.length) found.push("an inner trajectory has no id of its own");
  return [...found, ...inner.flatMap(breaches)];
}

const look = tool({
  name: "look",
  description: "Looks at a path",
  input: z.object({ path: z.string() }),
  effect: "read",
  run: ({ path }) => `nothing at ${path}`,
});

async function sessionOf(): Promise<Session> {
  const scout = createAgent({
    model: scriptedModel([[call("look", { path: "b" })], [call("task_completion", { result: "Seen." })]]),
    tools: [look, taskCompletion()],
  });
  let asked = 0;
  const provider = await scriptedProvider([
    {
      text: "First I look.",
      calls: [call("look", { path: "a" })],
      reasoning: "It may be there.",
    },
    "Words without a call.",
    [call("look", '{"path": ')],
    [call("scout", { task: "Look at b." })],
    [call("task_completion", { result: "Too soon." })],
    [call("task_completion", { result: "Done." })],
  ]);
  const agent = createAgent({
    model: openai({ baseURL: provider.url, apiKey: "none", model: "m" }),
    tools: [look, delegate(scout, { name: "scout", description: "Scouts" }), taskCompletion()],
    checks: [{ name: "look", verify: () => Promise.resolve({ passed: (asked += 1) > 2, output: "not yet" }) }],
  });
  const session = openSession({ store: memoryStore(), id: "s" });
  await agent.run("Find it.", { session });
  await provider.close();
  return session.toJSON();
}

test("a session with mistakes, a refused claim and an agent in a tool keeps to the format", async () => {
  const session = await sessionOf();
  const made = JSON.parse(JSON.stringify(trajectoryOf(session, "0.0.1"))) as Fields;
  expect(breaches(made)).toEqual([]);
  expect(made).toMatchObject({
    session_id: "s",
    agent: { name: "lastcall", version: "0.0.1" },
    extra: { status: "completed" },
  });
  const steps = made["steps"] as readonly Fields[];
  expect(steps.map(({ source }) => source)).toContain("user");
  const first = steps.find(({ source }) => source === "agent");
  expect(first).toMatchObject({
    message: "First I look.",
    reasoning_content: "It may be there.",
    tool_calls: [{ function_name: "look", arguments: { path: "a" } }],
    observation: { results: [{ content: expect.stringContaining("nothing at a") as unknown }] },
  });
  expect(steps.at(-1)).toMatchObject({ source: "system", message: "check look (claim): passed" });
  expect(steps.findLast(({ source }) => source === "agent")).toMatchObject({ extra: { verified: "checked" } });
  const [inner] = made["subagent_trajectories"] as readonly Fields[];
  expect(JSON.stringify(steps)).toContain(
    `"subagent_trajectory_ref":[{"trajectory_id":"${String(inner?.["trajectory_id"])}"}]`,
  );
  expect((made["agent"] as Fields)["tool_definitions"]).toContainEqual(
    expect.objectContaining({ type: "function", function: expect.objectContaining({ name: "look" }) as unknown }),
  );
});

test("the validator of this test sees a breach", async () => {
  const made = trajectoryOf(await sessionOf(), "0.0.1") as { readonly steps: readonly Fields[] };
  expect(breaches({ ...made, steps: [] })).toEqual(["there are no steps"]);
  expect(breaches({ ...made, steps: made.steps.slice(1) })).toContain("step 1 has another number");
  expect(breaches({ ...made, version: 1 })).toEqual(["the trajectory has version"]);
});

test("lastcall show --atif prints it, and refuses a second form", async () => {
  await using folder = await temporary();
  const provider = await scriptedProvider([[call("task_completion", { result: "Done." })]]);
  const kept = ["--sessions", folder.path];
  const run = await runHere(["Do it", ...kept, "--base-url", provider.url, "--model", "m", "--no-sandbox", "--json"]);
  await provider.close();
  expect(run.code).toBe(0);
  const id = (await runHere(["sessions", ...kept])).stdout.split(/\s/)[0] ?? "";
  const shown = await runHere(["show", id, "--atif", ...kept]);
  expect(shown.code).toBe(0);
  expect(breaches(JSON.parse(shown.stdout) as Fields)).toEqual([]);
  expect((await runHere(["show", id, "--atif", "--json", ...kept])).stderr).toContain(
    "--json and --atif name two forms",
  );
});
