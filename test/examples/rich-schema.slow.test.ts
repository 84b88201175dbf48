// Rich schema: the model reads each broken rule, and the program gets dates and numbers.

import { expect, test } from "vitest";
import { call, scriptedProvider } from "../../src/testing/index.js";
import { printed, projectWith } from "./example.js";

const steps = [
  { title: " Pack ", hours: "3", parts: [{ title: "Books", hours: 2 }, { title: "Plants" }] },
  { title: "Drive", hours: 4 },
];
const plan = { from: "2027-03-01", to: "2027-03-05", steps, remind: { by: "mail", address: "ann@example.com" } };

test("it is told what is wrong until the plan is right, and prints what the page says", async () => {
  await using project = await projectWith("rich-schema");
  await using provider = await scriptedProvider([
    [call("make_plan", { ...plan, to: "2027-02-01" })],
    [call("make_plan", { ...plan, remind: { by: "phone", number: "none" } })],
    [call("make_plan", plan)],
  ]);
  const { code, stdout, stderr } = await project.run([], provider);
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toBe(printed("rich-schema")[0]);
  expect(provider.requests[1]?.body.messages.at(-1)?.["content"]).toContain("`to` must not be before `from`");
});

test("the model sees the cases, what it may leave out, and the recursion as JSON Schema", async () => {
  await using project = await projectWith("rich-schema");
  await using provider = await scriptedProvider([[call("make_plan", plan)]]);
  await project.run([], provider);
  const tool = JSON.stringify(provider.requests[0]?.body.tools);
  for (const part of ['"phone"', '"required":["title"]', '"$ref"']) expect(tool).toContain(part);
});
