// The triage desk: a hand-over, a question of the colleague, and its answer from the terminal.

import { expect, test } from "vitest";
import { call, scriptedProvider } from "../../src/testing/index.js";
import { printed, projectWith } from "./example.js";

test("billing asks, looks and refunds, and it prints what the page says", async () => {
  await using project = await projectWith("triage-desk");
  await using provider = await scriptedProvider([
    [call("hand_over", { to: "billing", message: "The customer was charged twice." })],
    [call("ask_question", { question: "Which order is it?" })],
    [call("charges", { order: "A-7" })],
    [call("refunded", { order: "A-7", cents: 1999 })],
  ]);
  const { code, stdout } = await project.run([], provider, "A-7\n");
  expect([code, stdout]).toEqual([0, printed("triage-desk")[0]]);
  expect(JSON.stringify(provider.requests[2]?.body.messages[0])).toContain("You handle charges.");
});

test("support explains what is handed back and over", async () => {
  await using project = await projectWith("triage-desk");
  await using provider = await scriptedProvider([
    [call("hand_over", { to: "billing", message: "It is about the lamp." })],
    [call("hand_back", { message: "It is not about money." })],
    [call("hand_over", { to: "support", message: "How is the lamp dimmed?" })],
    [call("explained", { answer: "Turn the ring." })],
  ]);
  const { code, stdout } = await project.run(["How do I dim the lamp?"], provider);
  expect([code, stdout]).toEqual([0, "Turn the ring.\n"]);
});
