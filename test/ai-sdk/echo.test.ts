import { describe, expect, test } from "vitest";
import { fromAiSdk } from "../../src/ai-sdk/index.js";
import type { WrittenReply } from "../../src/core/index.js";
import { openai } from "../../src/model/index.js";
import { call, scriptedProvider, type ScriptedReply } from "../../src/testing/index.js";
import { makerOf, type Maker } from "./makers.js";
import { ask, continued, requestOf } from "./request.js";

const thought: ScriptedReply = {
  reasoning: "Look at both.",
  text: "Looking.",
  calls: [call("lookup", { key: "a" }), call("lookup", { key: "b" })],
};

/** The second request after a reply with reasoning, by a model of this maker. */
async function secondRequest(maker: Maker): Promise<{ readonly reply: WrittenReply; readonly body: string }> {
  await using running = await maker.start([thought, "ok"]);
  const model = fromAiSdk(running.model, { steady: false });
  const { reply } = await ask(model);
  // The journal keeps replies as JSON.
  const kept = JSON.parse(JSON.stringify(reply)) as WrittenReply;
  await ask(model, requestOf({ messages: continued(kept) }));
  return { reply: kept, body: JSON.stringify(running.requests[1]?.body) };
}

describe.each(["v3", "v4"] as const)("reasoning goes back to its own provider, at %s", (version) => {
  test("with its signature, before the calls that it led to (Anthropic)", async () => {
    await using running = await makerOf("anthropic", version).start([thought, "ok"]);
    const model = fromAiSdk(running.model, { steady: false });
    const { reply } = await ask(model);
    await ask(model, requestOf({ messages: continued(reply!, { failed: 1 }) }));
    const messages = running.requests[1]?.body["messages"] as readonly { readonly content: unknown }[];
    expect(messages[1]).toMatchObject({
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Look at both.", signature: "signature of 1" },
        { type: "text", text: "Looking." },
        { type: "tool_use", id: "toolu_1_0", name: "lookup", input: { key: "a" } },
        { type: "tool_use", id: "toolu_1_1", name: "lookup", input: { key: "b" } },
      ],
    });
    expect(messages[2]).toMatchObject({
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "toolu_1_0", content: "result 0" },
        { type: "tool_result", tool_use_id: "toolu_1_1", content: "result 1", is_error: true },
      ],
    });
    expect(JSON.stringify((messages[2]?.content as readonly unknown[])[0])).not.toContain("is_error");
  });

  test("with the signature on the call that has it (Google)", async () => {
    const { body } = await secondRequest(makerOf("google", version));
    expect(body).toContain('"thoughtSignature":"signature of 1"');
    expect(body.indexOf('"thought":true')).toBeLessThan(body.indexOf('"functionCall"'));
  });

  test("as thinking (Mistral)", async () => {
    const { body } = await secondRequest(makerOf("mistral", version));
    expect(body).toContain('"type":"thinking","thinking":[{"type":"text","text":"Look at both."}]');
  });

  test("encrypted, with the ids of its items (OpenAI's Responses API)", async () => {
    const { body } = await secondRequest(makerOf("openai responses", version));
    expect(body).toMatch(/"encrypted_content":"[^"]+"|"type":"item_reference","id":"rs_1"/);
  });

  test("under its own key (an OpenAI-compatible server)", async () => {
    const { body } = await secondRequest(makerOf("openai-compatible", version));
    expect(body).toContain('"reasoning_content":"Look at both."');
  });

  test.each(["google", "mistral", "openai chat", "openai responses", "openai-compatible"])(
    "and to no other: %s",
    async (other) => {
      const { reply } = await secondRequest(makerOf("anthropic", version));
      await using running = await makerOf(other, version).start(["ok"]);
      const { fault } = await ask(
        fromAiSdk(running.model, { steady: false }),
        requestOf({ messages: continued(reply) }),
      );
      expect(fault).toBeUndefined();
      const body = JSON.stringify(running.requests[0]?.body);
      expect(body).toContain("Looking.");
      expect(body).not.toContain("Look at both.");
      expect(body).not.toContain("signature of 1");
      expect(body).not.toContain("ai_sdk");
    },
  );
});

test("openai() gets nothing of the reasoning of another maker, and its own goes to no other", async () => {
  const { reply } = await secondRequest(makerOf("anthropic", "v4"));
  await using provider = await scriptedProvider([thought, "ok"]);
  const model = openai({ baseURL: provider.url, model: "m", steady: false });
  const own = await ask(model, requestOf({ messages: continued(reply) }));
  expect(JSON.stringify(provider.requests[0]?.body)).not.toMatch(/Look at both|signature|ai_sdk/);
  await using running = await makerOf("anthropic", "v4").start(["ok"]);
  await ask(fromAiSdk(running.model), requestOf({ messages: continued(own.reply!) }));
  expect(JSON.stringify(running.requests[0]?.body)).not.toContain("Look at both.");
});

test("the ids of calls fit a provider that takes nine characters alone", async () => {
  const { reply } = await secondRequest(makerOf("anthropic", "v4"));
  await using running = await makerOf("mistral", "v4").start(["ok"]);
  await ask(fromAiSdk(running.model), requestOf({ messages: continued(reply) }));
  const messages = running.requests[0]?.body["messages"] as readonly {
    readonly tool_calls?: readonly { readonly id: string }[];
    readonly tool_call_id?: string;
  }[];
  const ids = messages.flatMap((message) => message.tool_calls?.map(({ id }) => id) ?? []);
  expect(ids).toHaveLength(2);
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
  expect(messages.flatMap(({ tool_call_id: id }) => id ?? [])).toEqual(ids);
});

test("a server that refuses the reasoning of earlier replies is asked again without it", async () => {
  const refusal = { status: 400, message: "messages.1: Unrecognized key: reasoning_content" };
  await using running = await makerOf("openai-compatible", "v4").start([thought, refusal, "ok", "ok"]);
  const model = fromAiSdk(running.model, { steady: false });
  const { reply } = await ask(model);
  const { events, fault } = await ask(model, requestOf({ messages: continued(reply!) }));
  expect(fault).toBeUndefined();
  expect(events).toContainEqual({ type: "prompt-rewrite", reason: "extras" });
  await ask(model, requestOf({ messages: continued(reply!) }));
  const bodies = running.requests.map(({ body }) => JSON.stringify(body).includes("reasoning_content"));
  expect(bodies).toEqual([false, true, false, false]);
});
