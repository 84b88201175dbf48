import { describe, expect, it } from "vitest";
import { openai, type OpenAIOptions } from "../../../src/model/index.js";
import { scriptedProvider, type Script } from "../../../src/testing/index.js";
import { ask, requestOf } from "../../ai-sdk/request.js";

const summary = requestOf({ tools: [], needsCall: false });
const params = { temperature: 0, parallel_tool_calls: false, tool_choice: "none", tools: [], max_tool_calls: 3 };
const aboutTools = /tool|function/;

/** The keys of each body that the model sent for a request without tools, with its path. */
async function sent(options: OpenAIOptions, script: Script): Promise<readonly string[]> {
  await using provider = await scriptedProvider(script);
  const { reply } = await ask(openai({ baseURL: provider.url, steady: false, ...options }), summary);
  expect(reply?.text).toBe("In short.");
  return provider.requests.map(({ path, body }) => `${path} ${Object.keys(body).join(" ")}`);
}

describe("a request without tools", () => {
  it.each(["chat", "responses"] as const)("had an empty list of tools and a choice over %s", async (api) => {
    const [only] = await sent({ api }, ["In short."]);
    expect(only).not.toMatch(aboutTools);
  });

  it.each(["chat", "responses"] as const)("has none of the caller's settings about tools over %s", async (api) => {
    const [only] = await sent({ api, params }, ["In short."]);
    expect(only).toContain("temperature");
    expect(only).not.toMatch(aboutTools);
  });

  it("had the caller's settings about tools on the rung xml, which offers no tools either", async () => {
    const [only] = await sent({ forcing: "xml", params }, ["In short."]);
    expect(only).not.toMatch(aboutTools);
  });

  it("that is refused over the Responses API with words about tools is sent once more over chat completions", async () => {
    const refusal = { status: 400, message: "tool_choice is not supported by this model" };
    const requests = await sent({ api: "responses" }, [refusal, "In short."]);
    expect(requests.map((each) => each.split(" ")[0])).toEqual(["/v1/responses", "/v1/chat/completions"]);
  });
});

it("a request with tools keeps the caller's settings about tools", async () => {
  await using provider = await scriptedProvider(["Well."]);
  const model = openai({ baseURL: provider.url, steady: false, params: { parallel_tool_calls: false } });
  await ask(model, requestOf());
  expect(provider.requests[0]?.body).toMatchObject({ parallel_tool_calls: false, tool_choice: "required" });
});
