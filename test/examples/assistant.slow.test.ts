// The assistant: what is on the screen, when it gets there, and what is taken back.

import { expect, test } from "vitest";
import { call, scriptedProvider } from "../../src/testing/index.js";
import { printed, projectWith } from "./example.js";

const says = (message: string): ReturnType<typeof call> => call("converse", { message });

test("it works between two turns, and prints what the page says", async () => {
  await using project = await projectWith("assistant");
  await using provider = await scriptedProvider([
    { text: "Let me write that down.", calls: [call("add", { item: "2 lemons" }), call("add", { item: "flour" })] },
    { calls: [says("Two lemons and flour are on the list.")], piece: 4 },
    [call("remove", { item: "lemons" }), says("They are gone.")],
    [call("remove", { item: "2 lemons" })],
    { text: "Now they are off the list.", piece: 4 },
  ]);
  const lines = "I want to bake a cake: two lemons and flour.\n\nI do have lemons.\n";
  const { code, stdout, stderr } = await project.run([], provider, lines);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect([stdout]).toEqual(printed("assistant"));
  expect(provider.requests.map(({ body }) => body.tool_choice)).toEqual(Array(5).fill("auto"));
  expect(provider.requests[3]?.body.messages.at(-2)?.["content"]).toContain("On it are: 2 lemons, flour");
  expect(provider.requests[3]?.body.messages.at(-1)?.["content"]).toContain("another call in the same reply failed");
});

test.each([
  ["as an argument of converse", { calls: [says("Good morning. What shall we buy?")] }],
  ["as plain words", { text: "Good morning. What shall we buy?" }],
])("words that come %s are shown as they come", async (_how, reply) => {
  await using project = await projectWith("assistant");
  await using provider = await scriptedProvider([{ ...reply, piece: 8, pause: 150 }]);
  const assistant = project.start([], provider);
  assistant.child.stdin?.end("Hello\n");
  await assistant.seen("Good");
  expect(assistant.stdout()).not.toContain("buy?");
  expect((await assistant.ended).stdout).toBe("Good morning. What shall we buy?\n");
});

test.each([
  ["broke off", { cut: "reset", pause: 20 }],
  ["was cut for its length", { finishReason: "length" }],
] as const)("words of a reply that %s are taken back, and said again", async (_how, ending) => {
  await using project = await projectWith("assistant");
  const reply = { text: "What shall we buy?", piece: 5 };
  await using provider = await scriptedProvider([{ ...reply, ...ending }, reply]);
  const { code, stdout } = await project.run([], provider, "Hello\n");
  expect([code, stdout]).toEqual([0, "What shall we buy?\n[taken back]\nWhat shall we buy?\n"]);
});

test("words in a call that stands in the text are shown once, and nothing of the call", async () => {
  await using project = await projectWith("assistant");
  const written = '<tool_call>{"name": "converse", "arguments": {"message": "What shall we buy?"}}</tool_call>';
  await using provider = await scriptedProvider([{ text: written, piece: 5 }]);
  const { code, stdout } = await project.run([], provider, "Hello\n");
  expect([code, stdout]).toEqual([0, "What shall we buy?\n"]);
});
