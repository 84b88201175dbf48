import { expect, test } from "vitest";
import type { Message, ModelRequest } from "../../src/core/index.js";
import { soundRequest } from "../../src/model/sound-request.js";

const go: Message = { role: "user", text: "go" };
const request: ModelRequest = { key: "k", system: "s", messages: [go], tools: [], needsCall: true };

test("a sound request is the same object", () => {
  expect(soundRequest(request)).toBe(request);
});

test("a mended message is the same object in every request, and a sound one stays itself", () => {
  const cut: Message = { role: "user", text: "cut \ud83d" };
  const [first, second] = [
    [go, cut],
    [go, cut, go],
  ].map((messages) => soundRequest({ ...request, messages }));
  expect(first?.messages).toEqual([go, { role: "user", text: "cut \ufffd" }]);
  expect(second?.messages[1]).toBe(first?.messages[1]);
  expect(second?.messages[0]).toBe(go);
});

test("the system prompt and the tools are mended too", () => {
  const tools = [{ name: "look", description: "l\0", parameters: { type: "object", title: "\ud83d" } }];
  const sound = soundRequest({ ...request, system: "s\udd11", tools });
  expect(sound).toMatchObject({
    system: "s\ufffd",
    tools: [{ description: "l\ufffd", parameters: { title: "\ufffd" } }],
  });
  expect(soundRequest({ ...request, tools }).tools).toBe(sound.tools);
});
