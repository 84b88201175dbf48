import { describe, expect, test } from "vitest";
import { createAgent, type CheckContext } from "../../src/index.js";
import { all, any, judge, predicate } from "../../src/checks/index.js";
import { openai } from "../../src/model/index.js";
import { call, scriptedModel, scriptedProvider, type Script } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";

const done = [call("task_completion", { result: "Dusted, under the sofa too." })];
const says =
  (passed: unknown, reason = "It was seen to."): Script =>
  () => [call("verdict", { passed, reason })];
const context: CheckContext = { key: "s/1/check:1", signal: new AbortController().signal, when: "claim", records: [] };

const verdictOf = (script: Script) => judge(scriptedModel(script), "The room is clean.").verify(context);

describe("judge", () => {
  test("makes a completion that nothing else checked judged, and never checked", async () => {
    const worker = scriptedModel([done]);
    const checks = [judge(scriptedModel(says(true)), "The room is clean.")];
    const outcome = await createAgent({ model: worker, tools: [taskCompletion()], checks }).run("Clean the room");
    expect(outcome).toMatchObject({
      status: "completed",
      verified: "judged",
      receipts: [{ check: "judge: The room is clean.", judged: true, passed: true }],
    });
    expect(outcome).not.toHaveProperty("receipts.0.passedAtBaseline");
  });

  test("beside a check that a machine makes, the completion is checked", async () => {
    const checks = [
      predicate("yes", ({ when }) => when === "claim"),
      judge(scriptedModel(says(true)), "The room is clean."),
    ];
    const outcome = await createAgent({ model: scriptedModel([done]), tools: [taskCompletion()], checks }).run("x");
    expect(outcome).toMatchObject({ verified: "checked" });
  });

  test("refuses a claim with its reason, for the model to read", async () => {
    const worker = scriptedModel([done, done]);
    let asked = 0;
    const model = scriptedModel(() => [
      call("verdict", { passed: (asked += 1) > 1, reason: "There is dust under the sofa." }),
    ]);
    const agent = createAgent({ model: worker, tools: [taskCompletion()], checks: [judge(model, "No dust.")] });
    expect(await agent.run("Clean the room")).toMatchObject({ status: "completed", iterations: 2 });
    expect(JSON.stringify(worker.requests[1]?.messages)).toContain("There is dust under the sofa.");
  });

  test("sees the rubric, the task, what was done and the claim, over real HTTP", async () => {
    await using provider = await scriptedProvider(says(true));
    const model = openai({ baseURL: provider.url, model: "m" });
    const agent = createAgent({
      model: scriptedModel([done]),
      tools: [taskCompletion()],
      checks: [judge(model, "No dust.")],
    });
    expect(await agent.run("Clean the room")).toMatchObject({ verified: "judged" });
    const [request] = provider.requests;
    const [system, user] = request!.body.messages.map(({ content }) => String(content));
    expect(system).toContain("Hold the work against the rubric alone");
    expect(user).toContain("The rubric:\nNo dust.");
    expect(user).toContain("user: Clean the room");
    expect(user).toContain('The claim: task_completion {"result":"Dusted, under the sofa too."}');
    expect(request?.body.tools).toHaveLength(1);
  });

  test("is shown the beginning and the end of a long run, within its bound", async () => {
    const model = scriptedModel(says(true));
    const records = Array.from({ length: 500 }, (_, seq) => {
      const result = {
        callId: `c${String(seq)}`,
        name: "look",
        ok: true,
        text: `seen ${String(seq)} ${"x".repeat(5000)}`,
      };
      return { type: "result", result, seq, at: 0 } as const;
    });
    const input = { type: "input", run: 1, text: "The task.", seq: 0, at: 0 } as const;
    await judge(model, "No dust.", { shown: 10_000 }).verify({ ...context, records: [input, ...records] });
    const text = JSON.stringify(model.requests[0]?.messages);
    expect(text.length).toBeLessThan(11_000);
    expect(text).toContain("The task.");
    expect(text).toContain("[...]");
  });

  test.each<[string, Script]>([
    ["no verdict", ["I think it is fine."]],
    ["another call", [[call("task_completion", { result: "fine" })]]],
    ["a verdict that is no yes or no", says("yes")],
    ["a verdict that was cut", [{ calls: [call("verdict", { passed: true })], finishReason: "length" }]],
  ])("takes %s as a no", async (_what, script) => {
    expect(await verdictOf(script)).toMatchObject({
      passed: false,
      output: "The model that judges gave no verdict.",
    });
  });

  test("that can't be reached is a no, with the reason", async () => {
    const agent = createAgent({
      model: scriptedModel(() => done),
      tools: [taskCompletion()],
      checks: [judge(scriptedModel([]), "No dust.")],
      maxAttempts: 1,
    });
    const outcome = await agent.run("x");
    expect(outcome).toMatchObject({ status: "stopped", reason: "checks_failed" });
    expect(JSON.stringify(outcome.session.records)).toContain("The check itself failed");
  });

  test("says which model was asked and what that took", async () => {
    const script: Script = [{ calls: [call("verdict", { passed: true, reason: "ok" })], usage: { inputTokens: 12 } }];
    expect(await verdictOf(script)).toMatchObject({ asked: [{ model: "scripted", usage: { inputTokens: 12 } }] });
  });

  test("makes what is combined with it an opinion where it alone can make it pass", () => {
    const opinion = judge(scriptedModel([]), "No dust.");
    const fact = predicate("fact", () => true);
    expect(all(opinion, fact).judged).toBe(false);
    expect(all(opinion).judged).toBe(true);
    expect(any(opinion, fact).judged).toBe(true);
    expect(any(fact).judged).toBe(false);
  });

  test("needs a rubric", () => {
    expect(() => judge(scriptedModel([]), " ")).toThrow("A judge needs a rubric: say what must be met.");
  });
});
