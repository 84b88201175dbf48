import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, tool, type Agent } from "../../../src/index.js";
import { openai } from "../../../src/model/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";
import { calling, chunk, done, loopback, type Received } from "../loopback.js";

const look = tool({ name: "look", description: "Looks.", input: z.object({}), run: () => "seen" });
const agentAt = (baseURL: string, model: string): Agent =>
  createAgent({
    model: openai({ baseURL, model }),
    tools: [look, askQuestion(), taskCompletion()],
  });

/** The keys of the assistant messages of a request, besides the usual ones. */
const extraKeys = ({ messages }: Received): readonly string[] =>
  messages
    .filter(({ role }) => role === "assistant")
    .flatMap((message) => Object.keys(message).filter((key) => !["role", "content", "tool_calls"].includes(key)));

const thinking = { reasoning_content: "I think.", token_id: 7 };

describe("what a provider puts on its replies", () => {
  it("goes back to it, and never to another model or address", async () => {
    await using one = await loopback((number) => {
      return {
        body: number === 1 ? calling("look", {}, thinking) : calling("ask_question", { question: "Which?" }, thinking),
      };
    });
    await using other = await loopback(() => ({ body: done }));
    const outcome = await agentAt(one.url, "a").run("Go.");
    expect(extraKeys(one.requests[1]!)).toEqual(["reasoning_content", "token_id"]);
    const session = JSON.parse(JSON.stringify(outcome.session)) as typeof outcome.session;
    const resumed = await agentAt(other.url, "a").run("This.", { session });
    expect(resumed.status).toBe("completed");
    expect(extraKeys(other.requests[0]!)).toEqual([]);
    await agentAt(one.url, "b").run("This.", { session });
    expect(extraKeys(one.requests.at(-1)!)).toEqual([]);
    await agentAt(one.url, "a").run("This.", { session });
    expect(extraKeys(one.requests.at(-1)!)).not.toEqual([]);
  });

  it("is left out once the provider refuses it, and the request is sent once more", async () => {
    await using server = await loopback((number, request) => {
      if (extraKeys(request).includes("reasoning_content"))
        return {
          status: 400,
          body: {
            error: {
              message: "'messages.2' : property 'reasoning_content' is unsupported",
              type: "invalid_request_error",
            },
          },
        };
      return { body: number > 4 ? done : calling("look", {}, thinking) };
    });
    const events: string[] = [];
    const outcome = await agentAt(server.url, "m").run("Go.", {
      onEvent: ({ type }) => void events.push(type),
    });
    expect(outcome).toMatchObject({ status: "completed", iterations: 4 });
    expect(server.requests).toHaveLength(5);
    expect(events.filter((type) => type === "request-adjusted")).toHaveLength(1);
  });

  it("is not blamed for a refusal that names none of it", async () => {
    await using server = await loopback((number) => {
      return number === 1
        ? { body: calling("look", {}, thinking) }
        : { status: 400, body: { error: { message: "messages: unsupported value" } } };
    });
    expect((await agentAt(server.url, "m").run("Go.")).status).toBe("failed");
    expect(server.requests).toHaveLength(2);
  });

  it("is sent as before in a session of version 0.1, which does not say whose it is", async () => {
    await using server = await loopback((number) => ({
      body: number === 1 ? calling("ask_question", { question: "?" }, thinking) : done,
    }));
    const outcome = await agentAt(server.url, "m").run("Go.");
    const text = JSON.stringify(outcome.session).replaceAll(/,"from":"m [^"]*"/g, "");
    await agentAt(server.url, "n").run("This.", { session: JSON.parse(text) as typeof outcome.session });
    expect(extraKeys(server.requests[1]!)).toEqual(["reasoning_content", "token_id"]);
  });

  it("keeps one channel, though each chunk names it", async () => {
    await using server = await loopback((number) => {
      const pieces = ["a", "b"].map((reasoning) => chunk({ reasoning, channel: "analysis" }));
      return { body: number === 1 ? [...pieces, ...calling("look", {})] : done };
    });
    await agentAt(server.url, "m").run("Go.");
    expect(server.requests[1]?.messages).toContainEqual(
      expect.objectContaining({ channel: "analysis", reasoning: "ab" }),
    );
  });
});
