import { describe, expect, it } from "vitest";
import { createAgent, LastcallError } from "../../../src/index.js";
import { openai } from "../../../src/model/index.js";
import { secrets, withoutKey } from "../../../src/model/http/without-key.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { chunk, loopback, type Answer } from "../loopback.js";

const key = "a3f5c1d7e9b24680a3f5c1d7e9b24680";

describe("a key that the provider repeats in an error", () => {
  const words = `Incorrect API key provided: ${key}`;
  const ways: readonly (readonly [string, Answer])[] = [
    ["an error", { status: 401, body: { error: { message: words, key } } }],
    ["a detail", { status: 400, body: { detail: words } }],
    ["a refusal of tools", { status: 400, body: { error: { message: `tool_choice is not supported for ${key}` } } }],
    ["a page", { status: 403, body: `<html>${words}</html>` }],
    [
      "an error in a stream",
      {
        body: `data: ${JSON.stringify(chunk({ content: "x" }))}\n\nevent: error\ndata: ${JSON.stringify({ message: words })}\n\n`,
      },
    ],
    ["something that is not JSON", { body: `data: ${key}\n\n` }],
  ];

  it.each(ways)("stands in no message, event or journal: %s", async (_what, answer) => {
    await using server = await loopback(() => answer);
    const model = openai({ baseURL: server.url, model: "m", apiKey: key, steady: { firstDelay: 0 } });
    const seen: unknown[] = [];
    const outcome = await createAgent({ model, tools: [taskCompletion()] }).run("Go.", {
      onEvent: (event) => void seen.push(event),
    });
    expect(outcome.status).toBe("failed");
    const { fault } = outcome as { readonly fault?: LastcallError };
    expect(JSON.stringify([outcome, seen])).not.toContain(key);
    expect([fault?.stack, JSON.stringify(fault?.cause), String(fault?.cause)].join()).not.toContain(key);
  });

  it("leaves short keys and ordinary headers alone, because they are words", () => {
    const error = new Error("none of openai and anthropic took secret-of-mine");
    const clean = withoutKey("none", { "x-portkey-provider": "anthropic", "x-portkey-api-key": "secret-of-mine" });
    expect(clean(error)).toBe(error);
    expect(error.message).toBe("none of openai and anthropic took [redacted: value]");
  });

  it("is removed without its scheme too, if a header has both", () => {
    const clean = withoutKey("none", { authorization: `Bearer ${key}` });
    expect((clean(new Error(`no such key: ${key}`)) as Error).message).toBe("no such key: [redacted: value]");
  });

  it("is one of the last 200, if keys change", () => {
    const known = secrets();
    for (let number = 0; number < 1000; number += 1) known.add([`${key}-${String(number)}`]);
    expect(known.clean(`${key}-999 ${key}-800`)).toBe("[redacted: value] [redacted: value]");
    known.add([`${key}-800`, "and another"]);
    expect(known.clean(`${key}-800 ${key}-801`)).toBe(`[redacted: value] ${key}-801`);
  });

  it("is removed from causes, and what is no error stays", () => {
    const error = new LastcallError("bug", "x", { cause: new Error(`inner ${key}`, { cause: { key } }) });
    withoutKey(key, {})(error);
    const { cause } = error as { readonly cause?: Error };
    expect(cause?.message).not.toContain(key);
    expect(JSON.stringify(cause?.cause)).not.toContain(key);
    expect(withoutKey(key, {})(7)).toBe(7);
  });
});
