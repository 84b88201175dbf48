import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { fromAiSdk } from "../../src/ai-sdk/index.js";
import { noUsage, type Attachment, type Message, type ModelRequest } from "../../src/core/index.js";
import { makerOf, makers } from "./makers.js";
import { ask, requestOf } from "./request.js";

const bytes = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const picture: Attachment = {
  mediaType: "image/png",
  digest: createHash("sha256").update(bytes).digest("hex"),
  size: bytes.length,
  tokens: 100,
  name: "dot.png",
};
const bytesOf = (): Uint8Array => bytes;
const base64 = bytes.toString("base64");

const called: readonly Message[] = [
  { role: "user", text: "Go." },
  {
    role: "assistant",
    reply: {
      text: "",
      calls: ["a", "b"].map((key) => ({ type: "call", id: `c:${key}`, name: "lookup", input: { key } })),
      finish: "complete",
      usage: noUsage,
    },
  },
  { role: "tool", callId: "c:a", text: "a dot", ok: true, attachments: [picture] },
  { role: "tool", callId: "c:b", text: "no dot", ok: true },
];

function showing(messages: readonly Message[]): ModelRequest {
  return requestOf({ messages, bytesOf });
}

const asked = showing([{ role: "user", text: "See.", attachments: [picture] }]);

describe.each(makers)("$name at $version", ({ start }) => {
  test("gets the picture of the user, and the one of a result behind all results", async () => {
    await using running = await start(["ok", "ok"]);
    const model = fromAiSdk(running.model, { steady: false });
    for (const request of [asked, showing(called)]) expect((await ask(model, request)).fault).toBeUndefined();
    const [first, second] = running.requests.map(({ body }) => JSON.stringify(body));
    for (const body of [first, second]) expect(body).toContain(base64);
    expect(second).toContain("[The files of the result of lookup:]");
    expect(second?.indexOf(base64)).toBeGreaterThan(second?.indexOf("no dot") ?? 0);
  });

  test("gets it in XML as well", async () => {
    await using running = await start(["ok", "ok"]);
    const model = fromAiSdk(running.model, { steady: false, forcing: "xml" });
    for (const request of [asked, showing(called)]) await ask(model, request);
    for (const { body } of running.requests) expect(JSON.stringify(body)).toContain(base64);
  });

  test("is told of it in words if the model takes no pictures", async () => {
    await using running = await start(["ok"]);
    const model = fromAiSdk(running.model, { steady: false, attachments: [] });
    expect(model.attachments).toEqual([]);
    await ask(model, showing(called));
    const body = JSON.stringify(running.requests[0]?.body);
    expect(body).not.toContain(base64);
    expect(body).toContain("dot.png: image/png");
  });
});

test("a provider that refuses the file of a result, or of the user, gets words in its place", async () => {
  const refusal = { status: 400, message: "image input is not supported by this model" };
  await using running = await makerOf("anthropic", "v4").start([refusal, "ok", refusal, "ok"]);
  const { events, reply } = await ask(fromAiSdk(running.model, { steady: false }), showing(called));
  expect(events).toContainEqual({ type: "prompt-rewrite", reason: "attachments" });
  expect(reply?.text).toBe("ok");
  expect(JSON.stringify(running.requests[1]?.body)).not.toContain(base64);
  expect((await ask(fromAiSdk(running.model, { steady: false }), asked)).fault).toBeUndefined();
  expect(JSON.stringify(running.requests[3]?.body)).not.toContain(base64);
  expect(JSON.stringify(running.requests[3]?.body)).toContain("dot.png");
});

test("a file that a package does not know is told in words", async () => {
  const sound: Attachment = { ...picture, mediaType: "audio/wav", name: "bark.wav" };
  const messages = called.map((message) =>
    message.role === "tool" && message.attachments ? { ...message, attachments: [sound] } : message,
  );
  await using running = await makerOf("mistral", "v4").start(["ok"]);
  const { events, reply } = await ask(fromAiSdk(running.model, { steady: false }), showing(messages));
  expect(events).toContainEqual({ type: "prompt-rewrite", reason: "attachments" });
  expect(reply?.text).toBe("ok");
  expect(JSON.stringify(running.requests[0]?.body)).toContain("bark.wav");
});
