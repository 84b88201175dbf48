import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, tool } from "../../../src/index.js";
import { mistakeIn } from "../../../src/model/http/model-mistake.js";
import { openai } from "../../../src/model/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { chunk, done, loopback, type Answer } from "../loopback.js";

const wrongArguments = {
  message: "Tool call validation failed: parameters for tool read did not match schema: missing properties: 'path'",
  type: "invalid_request_error",
  code: "tool_use_failed",
  failed_generation: '{"name": "read", "arguments": {"file": "a"}}',
  status_code: 400,
};
const noCall = {
  message: "Tool choice is required, but model did not call a tool",
  type: "invalid_request_error",
  code: "tool_use_failed",
  failed_generation: "maybe",
};

/** The error as an event of a stream that had begun. */
const inStream = (error: object): Answer => ({
  body: `data: ${JSON.stringify(chunk({ content: "may" }))}\n\nevent: error\ndata: ${JSON.stringify({ error })}\n\n`,
});

const read = tool({ name: "read", description: "Reads.", input: z.object({ path: z.string() }), run: () => "content" });

describe("a call that the provider checked and refused", () => {
  it.each([
    ["as a status 400", { status: 400, body: { error: wrongArguments } }],
    ["in the midst of a stream", inStream(wrongArguments)],
  ])("is told to the model %s, and the run completes", async (_how, refusal) => {
    await using server = await loopback((number) => (number === 1 ? refusal : { body: done }));
    const model = openai({ baseURL: server.url, model: "m" });
    const types: string[] = [];
    const outcome = await createAgent({ model, tools: [read, taskCompletion()] }).run("Go.", {
      onEvent: ({ type }) => void types.push(type),
    });
    expect(outcome).toMatchObject({ status: "completed", iterations: 2 });
    expect(server.requests).toHaveLength(2);
    expect(JSON.stringify(server.requests[1]?.messages)).toContain("missing properties: 'path'");
    expect(types).not.toContain("request-retry");
    expect(outcome.session.records.some((each) => each.type === "result" && each.result.name === "read")).toBe(true);
  });

  it.each([
    ["a choice that was not made", "Tool choice is required, but model did not call a tool"],
    ["arguments that don't fit", "Tool call validation failed: parameters for tool x did not match schema"],
    ["a call that is none", "Failed to call a function. Please adjust your prompt."],
    ["a call that can't be parsed", "Failed to parse tool call arguments as JSON"],
  ])("is known by its words if a package left out the code: %s", (_what, message) => {
    const error = { message, type: "invalid_request_error", code: undefined, statusCode: 400 };
    expect(mistakeIn({ error })).toBeDefined();
    expect(mistakeIn({ error: { ...error, code: "rate_limit_exceeded" } })).toBeUndefined();
    expect(mistakeIn({ error: { message: "Invalid schema for function look" } })).toBeUndefined();
  });

  it.each([
    ["as a status 400", { status: 400, body: { error: noCall } }],
    ["in the midst of a stream", inStream(noCall)],
  ])("is a reply without a call if there was none, %s, and the call stays required", async (_how, refusal) => {
    await using server = await loopback((number) => (number < 3 ? refusal : { body: done }));
    const model = openai({ baseURL: server.url, model: "m" });
    const outcome = await createAgent({ model, tools: [read, taskCompletion()] }).run("Go.");
    expect(outcome).toMatchObject({ status: "completed", iterations: 3 });
    expect(server.requests.map(({ choice }) => choice)).toEqual(["required", "required", "required"]);
    const failures = outcome.session.records.filter(({ type }) => type === "error-context");
    expect(failures).toMatchObject([{ failure: { kind: "no_tool_call" } }, { failure: { kind: "no_tool_call" } }]);
  });
});
