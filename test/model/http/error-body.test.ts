import { describe, expect, it } from "vitest";
import { createAgent } from "../../../src/index.js";
import { openai } from "../../../src/model/index.js";
import { errorIn } from "../../../src/model/http/error-body.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { chunk, loopback } from "../loopback.js";

describe("the words of an error", () => {
  it.each<[string, unknown, string]>([
    ["under error", { error: { message: "No." } }, "No."],
    ["as the error itself", { code: "x", error: "No." }, "No."],
    ["as the message", { object: "error", message: "No.", code: 3051 }, "No."],
    ["as the message of a gateway", { status: "failure", message: "No." }, "No."],
    ["as a detail", { detail: "No." }, "No."],
    [
      "as a list of details",
      { detail: [{ loc: ["body", "model"], msg: "Field required" }, { msg: "No." }] },
      "body.model: Field required; No.",
    ],
    ["in a list", [{ error: { message: "No." } }], "No."],
    ["as text", "No.", "No."],
    [
      "of the provider behind a router",
      { error: { message: "Provider error", metadata: { raw: "No." } } },
      "Provider error: No.",
    ],
    ["as an object", { error: { message: { why: "No." } } }, '{"why":"No."}'],
    ["in keys of its own", { error: { reason: "No." } }, '{"reason":"No."}'],
    [
      "in a page",
      "<!doctype html><html><style>a{}</style><title>502</title><h1>Bad <b>Gateway</b></h1></html>",
      "502 Bad Gateway",
    ],
    ["nowhere", null, "null"],
  ])("are found %s", (_where, body, message) => {
    expect(errorIn(body).message).toBe(message);
  });

  it("keep the code and the type beside them, and are shortened", () => {
    expect(errorIn({ message: "No.", type: "t", code: "c" })).toMatchObject({ type: "t", code: "c" });
    expect(errorIn("x".repeat(9000)).message).toHaveLength(2000);
    expect(errorIn(`<html>${"<p>a</p>".repeat(9000)}`).message.length).toBeLessThanOrEqual(300);
  });

  it.each([{ detail: "Invalid API Key" }, { status: "failure", message: "Invalid API Key" }])(
    "reach the person, though the body has no error: %j",
    async (body) => {
      await using server = await loopback(() => ({ status: 401, body }));
      const model = openai({ baseURL: server.url, model: "m" });
      const outcome = await createAgent({ model, tools: [taskCompletion()] }).run("Go.");
      expect(outcome).toMatchObject({ status: "failed", fault: { code: "authentication" } });
      expect(outcome).toMatchObject({ message: expect.stringContaining("said: 401 Invalid API Key.") as string });
    },
  );

  const words = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set';
  it.each([{ object: "error", message: words, code: 400 }, { detail: words }, words])(
    "reach the ladder, so that the model is made to call in another way: %j",
    async (body) => {
      const text = '<tool_call>\n{"name": "task_completion", "arguments": {"result": "done"}}\n</tool_call>';
      await using server = await loopback((_number, { choice }) => {
        return choice === undefined ? { body: [chunk({ content: text }, "stop")] } : { status: 400, body };
      });
      const model = openai({ baseURL: server.url, model: "m" });
      const outcome = await createAgent({ model, tools: [taskCompletion()] }).run("Go.");
      expect(outcome.status).toBe("completed");
    },
  );
});
