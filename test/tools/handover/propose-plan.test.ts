// A planner that proposes a plan: the user's yes leads to the agent that works it off, and other words to the planner.

import { expect, test } from "vitest";
import { createAgent, LastcallError, type Session } from "../../../src/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { giveUp, proposePlan, taskCompletion } from "../../../src/tools/index.js";

const step = (what: string) => ({ what, files: ["sum.mjs"], check: "node --test" });
const plan = (what: string) => [call("propose_plan", { summary: "Adds a sum.", steps: [step(what)] })];
const done = [call("task_completion", { result: "The sum is there." })];

function agents(
  replies: Parameters<typeof scriptedModel>[0],
  built: Parameters<typeof scriptedModel>[0],
  asks?: boolean,
) {
  const [plans, builds] = [scriptedModel(replies), scriptedModel(built)];
  const build = createAgent({ model: builds, tools: [taskCompletion()] });
  return { plans, builds, agent: createAgent({ model: plans, tools: [proposePlan(build, { asks }), giveUp()] }) };
}

test("the run waits with the plan, and a yes hands over to the agent that builds, with the plan and the user's words alone", async () => {
  const { agent, plans, builds } = agents([plan("Write it.")], [done]);
  const first = await agent.run("Add a sum.");
  expect(first).toMatchObject({
    status: "waiting",
    by: "propose_plan",
    value: { summary: "Adds a sum.", steps: [step("Write it.")], suggestions: ["yes"] },
  });
  const second = await agent.run("Yes.", { session: first.session });
  expect(second).toMatchObject({ status: "completed", by: "task_completion", speaker: "build" });
  expect(plans.requests).toHaveLength(1);
  const told = JSON.stringify(builds.requests[0]?.messages);
  expect(told).toContain("Add a sum.");
  expect(told).toContain("1. Write it.\\n   Files: sum.mjs\\n   Check: node --test");
  expect(told).toContain("The user has approved this plan.");
});

test("other words go to the planner in the same session, however often, and the next plan is asked about anew", async () => {
  const changes = Array.from({ length: 6 }, (_, index) => `No, make it ${String(index)}.`);
  const { agent, plans, builds } = agents([plan("v"), ...changes.map((words) => plan(words))], [done]);
  let outcome = await agent.run("Add a sum.");
  for (const words of changes) {
    outcome = await agent.run(words, { session: outcome.session });
    expect(outcome).toMatchObject({ status: "waiting", value: { steps: [step(words)] } });
    expect(JSON.stringify(plans.requests.at(-1)?.messages)).toContain(`and says: ${words}`);
    expect(builds.requests).toHaveLength(0);
  }
  expect(await agent.run("y", { session: outcome.session })).toMatchObject({ status: "completed" });
});

test("a yes with a condition is no yes", async () => {
  const { agent, builds } = agents([plan("v"), [call("give_up", { reason: "No plan." })]], [done]);
  const { session } = await agent.run("Add a sum.");
  expect(await agent.run("yes, but only half", { session })).toMatchObject({ status: "stopped", reason: "gave_up" });
  expect(builds.requests).toHaveLength(0);
});

test("without asking, the plan is worked off at once, and is called no approved one", async () => {
  const { agent, builds } = agents([plan("Write it.")], [done], false);
  expect(await agent.run("Add a sum.")).toMatchObject({ status: "completed", speaker: "build" });
  expect(JSON.stringify(builds.requests[0]?.messages)).not.toContain("approved");
});

test("a session that is cut after any record ends the same, and the plan is asked about once", async () => {
  const { agent } = agents([plan("Write it.")], [done]);
  const waiting = await agent.run("Add a sum.");
  const whole = (await agent.run("yes", { session: waiting.session })).session;
  const from = waiting.session.records.length + 1;
  for (let at = from; at < whole.records.length; at += 1) {
    const again = agents([], [done]);
    const cut: Session = { ...whole, records: whole.records.slice(0, at) };
    const outcome = await again.agent.resume(cut);
    expect(outcome, `cut at ${String(at)}`).toMatchObject({ status: "completed", speaker: "build" });
    expect(again.plans.requests).toHaveLength(0);
  }
});

test("a plan without a step is a mistake that the model is told", async () => {
  const { agent, plans } = agents([[call("propose_plan", { summary: "x", steps: [] })], plan("v")], [done]);
  await agent.run("Add a sum.");
  expect(JSON.stringify(plans.requests[1]?.messages)).toContain("must have a step");
});

test("something that is no agent is refused", () => {
  expect(() => proposePlan({ run: 1 })).toThrow(LastcallError);
});
