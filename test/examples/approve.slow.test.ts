// Approve: small sums pass, a person decides about the others, and nobody is a no.

import { expect, test } from "vitest";
import { call, scriptedProvider, type Script } from "../../src/testing/index.js";
import { printed, projectWith } from "./example.js";

const script: Script = [
  [call("refund", { order: "A-1", cents: 800 })],
  [call("refund", { order: "B-2", cents: 9000 })],
  [call("close_account", { email: "ann@example.com" })],
  [call("task_completion", { result: "Both are refunded. The account stays open." })],
];

test("a person says yes and no, and it prints what the page says", async () => {
  await using project = await projectWith("approve");
  await using provider = await scriptedProvider(script);
  const { code, stdout, stderr } = await project.run([], provider, "y\nn\n");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toBe(printed("approve")[0]);
  const results = provider.requests.map(({ body }) => body.messages.at(-1)?.["content"]);
  expect(results[1]).toContain("800 cents are paid back for A-1.");
  expect(results[2]).toContain("9000 cents are paid back for B-2.");
  expect(results[3]).toContain("a person was asked and said no");
});

test("without anybody at the terminal, only the small sum is paid", async () => {
  await using project = await projectWith("approve");
  await using provider = await scriptedProvider(script);
  expect((await project.run([], provider)).code).toBe(0);
  const results = provider.requests.map(({ body }) => body.messages.at(-1)?.["content"]);
  expect(results[1]).toContain("800 cents are paid back for A-1.");
  expect(results[2]).toContain("a person was asked and said no");
  expect(results[3]).toContain("a person was asked and said no");
});
