import { expect, test } from "vitest";
import { Below } from "../../../src/cli/show/below.js";
import { plain } from "../../../src/cli/display/quantities.js";
import { createAgent, type Event } from "../../../src/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { delegate, taskCompletion, workspaceTools } from "../../../src/tools/index.js";
import { temporary } from "../command.js";

const done = [call("task_completion", { result: "done" })];

test("the calls of agents are counted for the call that ran them, those of deeper agents too, and a new run begins anew", async () => {
  await using folder = await temporary();
  const list = workspaceTools({ root: folder.path }).filter(({ name }) => name === "list_files");
  const inner = createAgent({
    model: scriptedModel([[call("list_files", {})], done]),
    tools: [...list, taskCompletion()],
  });
  const middle = createAgent({
    model: scriptedModel([[call("list_files", {}), call("inner", { task: "Look." })], done]),
    tools: [...list, delegate(inner, { name: "inner", description: "Looks." }), taskCompletion()],
  });
  const outer = createAgent({
    model: scriptedModel([[call("middle", { task: "Look." })], done, done]),
    tools: [delegate(middle, { name: "middle", description: "Looks." }), taskCompletion()],
  });
  const below = new Below(plain);
  let id = "";
  const take = (event: Event): void => {
    if (event.type === "call-start" && event.call.name === "middle") id = event.call.id;
    below.take(event, 0);
  };
  const { session } = await outer.run("Go.", { onEvent: take });
  expect(below.summary(id)).toBe("3 calls");
  expect(below.summary("another")).toBeUndefined();
  expect(below.lines()).toEqual([
    "middle Look. 3 calls",
    expect.stringMatching(/^ {6}· list_files \. → ok /),
    expect.stringMatching(/^ {6}· · list_files \. → ok /),
    expect.stringMatching(/^ {6}· inner Look\. → ok done \(/),
  ]);
  await outer.run("Again.", { session, onEvent: take });
  expect(below.lines()).toEqual([]);
});
