import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, tool } from "../../../src/index.js";
import { openai } from "../../../src/model/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

/** The words of servers for a prompt that is too long: name, status, body. */
const wordings: readonly (readonly [server: string, status: number, body: unknown])[] = [
  [
    "llama-server",
    400,
    {
      error: {
        code: 400,
        type: "exceed_context_size_error",
        message: "request (9216 tokens) exceeds the available context size (8192 tokens), try increasing it",
      },
    },
  ],
  ["Perplexity", 400, { error: { message: "The total length of all messages is too long.", code: 400 } }],
  ["Perplexity's type", 400, { error: { message: "No.", type: "too_many_prompt_tokens", code: 400 } }],
  [
    "DeepSeek",
    400,
    { error: { message: "This model's maximum context length is 65536 tokens. However, you requested 70000" } },
  ],
  ["Ollama", 400, { error: { message: "prompt too long; exceeded max context length by 4096 tokens" } }],
  [
    "OpenAI",
    400,
    { error: { message: "Your input exceeds the context window of this model.", code: "context_length_exceeded" } },
  ],
  ["OpenRouter", 400, { error: { message: "This endpoint's maximum context length is 32000 tokens.", code: 400 } }],
  [
    "Anthropic",
    400,
    { error: { type: "invalid_request_error", message: "prompt is too long: 210000 tokens > 200000 maximum" } },
  ],
  ["Bedrock", 400, { error: { message: "Input is too long for requested model." } }],
  [
    "Google",
    400,
    [
      {
        error: {
          code: 400,
          message: "The input token count (1100000) exceeds the maximum number of tokens allowed (1048575).",
        },
      },
    ],
  ],
  [
    "xAI",
    400,
    {
      code: "invalid-argument",
      error: "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
    },
  ],
  ["Groq", 400, { error: { message: "Please reduce the length of the messages or completion.", param: "messages" } }],
  [
    "Cerebras",
    400,
    {
      message: "Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192",
      code: "context_length_exceeded",
    },
  ],
  [
    "Mistral",
    400,
    {
      object: "error",
      message: "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
      code: 3051,
    },
  ],
  ["Moonshot", 400, { error: { message: "Invalid request: Your request exceeded model token limit: 131072" } }],
  ["MiniMax", 400, { error: { message: "invalid params, context window exceeds limit" } }],
  [
    "LM Studio",
    400,
    { error: "The number of tokens to keep from the initial prompt is greater than the context length." },
  ],
  [
    "Copilot",
    400,
    {
      error: {
        message: "prompt token count of 140000 exceeds the limit of 128000",
        code: "model_max_prompt_tokens_exceeded",
      },
    },
  ],
  ["z.ai", 400, { error: { code: "1261", message: "Prompt exceeds max length" } }],
  ["Qwen", 400, { error: { code: "invalid_parameter_error", message: "Range of input length should be [1, 129024]" } }],
  [
    "vLLM",
    400,
    {
      object: "error",
      message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens",
      code: 400,
    },
  ],
  [
    "SGLang",
    400,
    { object: "error", message: "The input (9000 tokens) is longer than the model's context length (8192 tokens)." },
  ],
  ["a gateway", 413, "<html><body><h1>413 Request Entity Too Large</h1></body></html>"],
  [
    "GitHub Models",
    413,
    {
      error: { code: "tokens_limit_reached", message: "Request body too large for the model. Max size: 8000 tokens." },
    },
  ],
  ["a detail", 400, { detail: "Input is too long for requested model." }],
  [
    "a router's provider",
    400,
    {
      error: {
        message: "Provider returned error",
        code: 400,
        metadata: { raw: "prompt is too long: 9 tokens > 8 maximum" },
      },
    },
  ],
  [
    "an error in a stream",
    200,
    { error: { code: 500, message: "Context size has been exceeded.", type: "server_error" } },
  ],
];

/** Errors that a shorter prompt does not mend. */
const others: readonly (readonly [what: string, status: number, body: unknown])[] = [
  [
    "a rate of tokens",
    429,
    { error: { message: "Too many tokens: limit 6000 per minute", code: "rate_limit_exceeded" } },
  ],
  [
    "a request that is larger than the rate",
    413,
    {
      error: {
        message:
          "Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 7000, please reduce your message size",
        type: "tokens",
        code: "rate_limit_exceeded",
      },
    },
  ],
  [
    "a setting",
    400,
    { error: { message: "max_tokens is too large: 100000. This model supports at most 16384 completion tokens." } },
  ],
  [
    "a name",
    400,
    {
      error: { message: "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64" },
    },
  ],
  ["a picture", 400, { error: { message: "The input image is too large." } }],
  ["a daily quota", 400, { error: { message: "You exceeded your token limit per day: too many tokens" } }],
  ["a parameter of the context", 400, { error: { message: "Unknown parameter: context window" } }],
];

/** A server that answers each request as `answer` says; the first argument is its text. */
async function serve(answer: (text: string) => readonly [number, unknown]): Promise<{ url: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    const parts: string[] = [];
    request.on("data", (part: Buffer) => parts.push(part.toString()));
    request.on("end", () => {
      const [status, body] = answer(parts.join(""));
      const isStream = status === 200;
      response.writeHead(status, { "content-type": isStream ? "text/event-stream" : "application/json" });
      const text = typeof body === "string" ? body : JSON.stringify(body);
      response.end(isStream ? `data: ${text}\n\n` : text);
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A completion with one call. */
function calling(name: string, input: object): unknown {
  const piece = { index: 0, id: "c", function: { name, arguments: JSON.stringify(input) } };
  return { choices: [{ index: 0, delta: { tool_calls: [piece] }, finish_reason: "tool_calls" }] };
}

describe("a prompt that is too long", () => {
  it.each(wordings)("is shortened when %s says so, and the task goes on to its end", async (_server, status, body) => {
    const looks = 10;
    let overflows = 0;
    let calls = 0;
    await using server = await serve((text) => {
      if (text.length > 30_000) {
        overflows += 1;
        return [status, body];
      }
      calls += 1;
      return [200, calls > looks ? calling("task_completion", { result: "done" }) : calling("look", { at: calls })];
    });
    const look = tool({
      name: "look",
      description: "Looks.",
      input: z.object({ at: z.int() }),
      effect: "read",
      run: ({ at }) => `${String(at)}: ${"words ".repeat(700)}`,
    });
    const model = openai({ baseURL: server.url, model: "m", steady: false });
    const outcome = await createAgent({ model, tools: [look, taskCompletion()] }).run("Look around.");
    expect(outcome.status).toBe("completed");
    expect(overflows).toBeGreaterThan(0);
  });

  it.each(others)("is not %s", async (_what, status, body) => {
    await using server = await serve(() => [status, body]);
    const model = openai({ baseURL: server.url, model: "m", steady: false });
    const outcome = await createAgent({ model, tools: [taskCompletion()] }).run("Go.");
    expect(outcome).toMatchObject({
      status: "failed",
      fault: { code: expect.not.stringContaining("overflow") as string },
    });
  });
});
