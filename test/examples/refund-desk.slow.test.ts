// The refund desk: each of its three endings, and what is no ending.

import { expect, test } from "vitest";
import { call, scriptedProvider } from "../../src/testing/index.js";
import { printed, projectWith } from "./example.js";

const find = (id: string): ReturnType<typeof call> => call("find_order", { id });

test("the desk approves, hands over or asks, and prints what the page says", async () => {
  await using desk = await projectWith("refund-desk");
  await using approving = await scriptedProvider([[find("A-17")], [call("approve", { id: "A-17", cents: 4000 })]]);
  const approved = await desk.run([], approving);
  await using escalating = await scriptedProvider([
    [find("B-42")],
    [call("escalate", { team: "workshop", why: "A string of the piano broke, which may be worth repairing." })],
  ]);
  const escalated = await desk.run(["A string of my piano, order B-42, broke."], escalating);
  await using asking = await scriptedProvider([[call("ask", { question: "What is the number of your order?" })]]);
  const asked = await desk.run(["It is broken!"], asking);
  for (const { code, stderr } of [approved, escalated, asked])
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect([approved.stdout, escalated.stdout, asked.stdout]).toEqual(printed("refund-desk"));
  expect(approving.requests[0]?.body.messages.at(-1)?.["content"]).toContain("The lamp of order A-17 arrived broken.");
  expect(approving.requests[1]?.body.messages.at(-1)?.["content"]).toContain("4000");
  expect(escalating.requests[0]?.body.messages.at(-1)?.["content"]).toContain("piano");
});

test("a refund of more than was paid does not end the case: the model reads why", async () => {
  await using desk = await projectWith("refund-desk");
  const approve = (cents: number): readonly ReturnType<typeof call>[] => [call("approve", { id: "A-17", cents })];
  await using provider = await scriptedProvider([approve(400_000), approve(-1), approve(4000)]);
  expect((await desk.run([], provider)).stdout).toBe("Paid back 4000 cents for the lamp.\n");
  expect(provider.requests[1]?.body.messages.at(-1)?.["content"]).toContain("more than was paid");
  expect(provider.requests[2]?.body.messages.at(-1)?.["content"]).toContain("invalid_arguments");
});

test("a model that only talks ends in no case, and the desk exits with 1", async () => {
  await using desk = await projectWith("refund-desk");
  await using provider = await scriptedProvider(() => "I would pay it back.");
  const { code, stdout, stderr } = await desk.run([], provider);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("no_tool_call");
});

test("a provider that takes no key ends it with the reason", async () => {
  await using desk = await projectWith("refund-desk");
  await using provider = await scriptedProvider([{ status: 401, message: "Wrong key." }]);
  const { code, stdout, stderr } = await desk.run([], provider);
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toContain("Wrong key.");
});
