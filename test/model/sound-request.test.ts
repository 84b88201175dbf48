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

test("a conversation that goes on is examined only where it is new", () => {
  let reads = 0;
  const counted = (text: string): Message => ({
    role: "user",
    get text() {
      reads += 1;
      return text;
    },
  });
  const messages = Array.from({ length: 100 }, (_, index) => counted(`message ${String(index)}`));
  soundRequest({ ...request, messages: messages.slice(0, 99) });
  const before = reads;
  soundRequest({ ...request, messages });
  const [first, last] = [before / 99, reads - before];
  expect(last).toBe(first);
});

test("two conversations that begin alike, and a conversation that was cut, are mended each", () => {
  const cut: Message = { role: "user", text: "cut \ud83d" };
  const ask = (...messages: readonly Message[]): readonly Message[] => soundRequest({ ...request, messages }).messages;
  const mended = { role: "user", text: "cut \ufffd" };
  expect(ask(go, cut, go)).toEqual([go, mended, go]);
  expect(ask(go, go, cut)).toEqual([go, go, mended]);
  expect(ask(go)).toEqual([go]);
  expect(ask(go, cut)).toEqual([go, mended]);
});
