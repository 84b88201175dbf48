import { describe, expect, it } from "vitest";
import {
  LastcallError,
  noUsage,
  type Message,
  type ModelEvent,
  type ModelRequest,
  type WrittenReply,
} from "../../../src/core/index.js";
import { call, scriptedModel, type ScriptedModel, type Script, type Seen } from "../../../src/testing/index.js";
import { drain, type Drained } from "../../core/drain.js";

const signal = new AbortController().signal;

function requestOf(...messages: readonly Message[]): ModelRequest {
  return { key: "s/1/model:1", system: "Be brief.", messages, tools: [], needsCall: true };
}

async function ask(
  model: ScriptedModel,
  request: ModelRequest = requestOf({ role: "user", text: "Go." }),
): Promise<Drained<ModelEvent, WrittenReply>> {
  return drain(model.respond(request, signal));
}

async function say(script: Script): Promise<Drained<ModelEvent, WrittenReply>> {
  return ask(scriptedModel(script));
}

async function faultOf(model: ScriptedModel): Promise<LastcallError> {
  const thrown: unknown = await ask(model).catch((error: unknown) => error);
  if (thrown instanceof LastcallError) return thrown;
  throw new Error("it did not fail");
}

describe("a scripted model says", () => {
  it("a text", async () => {
    expect(await say(["Hello."])).toEqual({
      events: [{ type: "text-delta", text: "Hello." }],
      value: { text: "Hello.", calls: [], finish: "complete", usage: noUsage },
    });
  });

  it("calls", async () => {
    expect(await say([[call("read", { path: "a" }), call("list", {}, "call_9")]])).toEqual({
      events: [
        { type: "call-delta", index: 0, name: "read", text: '{"path":"a"}' },
        { type: "call-delta", index: 1, name: "list", text: "{}" },
      ],
      value: {
        text: "",
        calls: [
          { type: "call", name: "read", input: { path: "a" } },
          { type: "call", name: "list", input: {}, providerId: "call_9" },
        ],
        finish: "complete",
        usage: noUsage,
      },
    });
  });

  it("a whole reply: reasoning, text, calls and usage, in that order", async () => {
    const usage = { inputTokens: 10, outputTokens: 3 };
    const { events, value } = await say([{ reasoning: "Hm.", text: "Now.", calls: [call("read")], usage }]);
    expect(events.map(({ type }) => type)).toEqual(["reasoning-delta", "text-delta", "call-delta"]);
    expect(value.usage).toEqual({ ...noUsage, ...usage });
  });

  it("arguments that are broken, as a call that can't be read", async () => {
    const { events, value } = await say([[call("read", '{"path": ')]]);
    expect(events).toEqual([{ type: "call-delta", index: 0, name: "read", text: '{"path": ' }]);
    expect(value.calls).toMatchObject([{ type: "unreadable-call", kind: "malformed_call", source: '{"path": ' }]);
  });

  it("it in pieces of so many characters", async () => {
    const { events, value } = await say([{ text: "Hello.", calls: [call("read", { a: 1 })], piece: 4 }]);
    expect(events.map((event) => "text" in event && event.text)).toEqual(["Hell", "o.", '{"a"', ":1}"]);
    expect(value).toMatchObject({ text: "Hello.", calls: [{ input: { a: 1 } }] });
  });

  it("that it was cut by its length, or refused by the filter", async () => {
    expect((await say([{ text: "Ha", finishReason: "length" }])).value.finish).toBe("cut");
    expect((await say([{ text: "Ha", finishReason: "content_filter" }])).value.finish).toBe("refused");
    expect((await say([{ text: "Ha", finishReason: "stop" }])).value.finish).toBe("complete");
  });

  it("what a function makes of the request, as one step or for every one", async () => {
    const answer = ({ number, lastText }: Seen): string => `${String(number)}: ${lastText}`;
    const steps = scriptedModel(["first", answer]);
    await ask(steps);
    expect((await ask(steps)).value.text).toBe("2: Go.");
    const always = scriptedModel(answer);
    for (const number of [1, 2, 3]) expect((await ask(always)).value.text).toBe(`${String(number)}: Go.`);
    expect(always.unsaid).toBe(0);
  });

  it("what a function that returns a function makes of it", async () => {
    expect((await say([() => () => [call("read")]])).value.calls).toMatchObject([{ name: "read" }]);
  });

  it("the last text of a reply or a result too", async () => {
    const reply = { text: "I said.", calls: [], finish: "complete", usage: noUsage } as const;
    const model = scriptedModel(({ lastText }) => lastText);
    expect((await ask(model, requestOf({ role: "assistant", reply }))).value.text).toBe("I said.");
    expect((await ask(model, requestOf({ role: "tool", callId: "a", text: "result" }))).value.text).toBe("result");
    expect((await ask(model, requestOf())).value.text).toBe("");
  });
});

describe("a scripted model fails", () => {
  it("when it is asked for more than its script, and says what it was asked", async () => {
    const model = scriptedModel(["one", "two"]);
    await ask(model);
    await ask(model);
    const fault = await faultOf(model);
    expect(fault.code).toBe("script");
    expect(fault.message).toBe('The script has 2 replies and was asked for number 3. The last message was: "Go."');
  });

  it.each([
    [401, "authentication"],
    [403, "authentication"],
    [400, "provider_rejected"],
    [404, "provider_rejected"],
    [429, "provider_unavailable"],
    [503, "provider_unavailable"],
  ])("with the fault that a provider's %i would be", async (status, code) => {
    const fault = await faultOf(scriptedModel([{ status, message: "No." }]));
    expect(fault).toMatchObject({ code, status, message: "No." });
  });

  it.each(["end", "reset"] as const)("where the stream is cut by %s, taking back what it showed", async (cut) => {
    const source = scriptedModel([{ text: "Half", cut }]).respond(requestOf(), signal);
    const events: ModelEvent[] = [];
    const reading = (async () => {
      for await (const event of source) events.push(event);
    })();
    await expect(reading).rejects.toMatchObject({ code: "provider_unavailable" });
    expect(events.map(({ type }) => type)).toEqual(["text-delta", "reply-retracted"]);
  });

  it("soon after the signal aborts: before it starts, during a delay and during a pause", async () => {
    const reason = new Error("the user left");
    const aborted = AbortSignal.abort(reason);
    await expect(drain(scriptedModel(["x"]).respond(requestOf(), aborted))).rejects.toBe(reason);
    for (const manner of [{ delay: 60_000 }, { pause: 60_000 }]) {
      const abort = new AbortController();
      const running = drain(scriptedModel([{ text: "x", ...manner }]).respond(requestOf(), abort.signal));
      setTimeout(() => {
        abort.abort(reason);
      }, 10);
      await expect(running).rejects.toThrow();
    }
  });
});

describe("a scripted model keeps", () => {
  it("every request, its messages as they were then", async () => {
    const model = scriptedModel(["one", "two"]);
    const messages: Message[] = [{ role: "user", text: "Go." }];
    await ask(model, { ...requestOf(), messages });
    messages.push({ role: "user", text: "On." });
    await ask(model, { ...requestOf(), key: "s/1/model:2", messages });
    expect(model.requests.map(({ key }) => key)).toEqual(["s/1/model:1", "s/1/model:2"]);
    expect(model.requests.map((request) => request.messages.length)).toEqual([1, 2]);
    expect(model.requests[0]?.messages[0]).toBe(messages[0]);
    expect(model.requests[0]?.system).toBe("Be brief.");
  });

  it("only the latest request where it is told so", async () => {
    const model = scriptedModel(() => "x", { keep: "last" });
    for (let n = 1; n <= 3; n += 1) await ask(model, { ...requestOf(), key: `s/1/model:${String(n)}` });
    expect(model.requests.map(({ key }) => key)).toEqual(["s/1/model:3"]);
  });

  it("count of what was not said yet", async () => {
    const model = scriptedModel(["one", "two", "three"]);
    expect(model.unsaid).toBe(3);
    await ask(model);
    expect(model.unsaid).toBe(2);
    await ask(model);
    await ask(model);
    await faultOf(model);
    expect(model.unsaid).toBe(0);
  });
});

it("a scripted model waits before its first word where it has a delay", async () => {
  const began = performance.now();
  await say([{ text: "x", delay: 30 }]);
  expect(performance.now() - began).toBeGreaterThanOrEqual(28);
});
