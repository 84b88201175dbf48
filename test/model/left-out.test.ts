import { describe, expect, it } from "vitest";
import { openai } from "../../src/model/index.js";
import { scriptedProvider, type ProviderRequest, type Script } from "../../src/testing/index.js";
import { ask, requestOf } from "../ai-sdk/request.js";

const toolsOf = (...names: readonly string[]) =>
  names.map((name) => ({ name, description: "", parameters: { type: "object", properties: {} } }));

const refused = (message: string, status = 400) => ({ status, message });

/** Asks twice for each script. Returns the names of the tools of each request, and what watchers and the caller see. */
async function asked(script: Script, names: readonly string[], times = 2) {
  await using provider = await scriptedProvider(script);
  const model = openai({ baseURL: provider.url, steady: false });
  const request = requestOf({ tools: toolsOf(...names), needsCall: false });
  const answers = [];
  for (let time = 0; time < times; time += 1) answers.push(await ask(model, request));
  const offered = ({ body }: ProviderRequest): readonly string[] =>
    (body["tools"] as readonly { readonly function: { readonly name: string } }[]).map((each) => each.function.name);
  return { offered: provider.requests.map(offered), answers };
}

describe("a tool whose schema the provider refuses ended every run: it is left out from now on", () => {
  it.each([
    ["OpenAI, which names it", "Invalid schema for function 'b': In context=(), object schema missing properties."],
    [
      "Anthropic, which counts",
      "tools.1.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12",
    ],
    [
      "Gemini, which counts within its one tool",
      "Invalid JSON payload received. Unknown name \"x\" at 'tools[0].function_declarations[1].parameters': Cannot find field.",
    ],
    ["a server that counts", "schema of tools[1].function.parameters can't be read"],
  ])("%s", async (_who, words) => {
    const { offered, answers } = await asked([refused(words), "One.", "Two."], ["a", "b", "c"]);
    expect(offered).toEqual([
      ["a", "b", "c"],
      ["a", "c"],
      ["a", "c"],
    ]);
    expect(answers.map(({ reply }) => reply?.text)).toEqual(["One.", "Two."]);
    expect(answers[0]?.events[0]).toMatchObject({
      type: "request-adjusted",
      reason: expect.stringContaining("the tool b left out") as string,
    });
  });

  it("one after the other, with places in the list that was sent", async () => {
    const script = [refused("tools.0.custom.input_schema: bad"), refused("tools.0.custom.input_schema: bad"), "One."];
    const { offered } = await asked(script, ["a", "b", "c"], 1);
    expect(offered).toEqual([["a", "b", "c"], ["b", "c"], ["c"]]);
  });

  it("but not the last tool, and no more than ten", async () => {
    const bad = refused("tools.0.custom.input_schema: bad");
    const { offered, answers } = await asked([bad, bad], ["a", "b"], 1);
    expect(offered).toEqual([["a", "b"], ["b"]]);
    expect(answers[0]?.fault).toMatchObject({ code: "provider_rejected" });
    const many = await asked(() => bad, "a b c d e f g h i j k l m n o p".split(" "), 1);
    expect(many.offered).toHaveLength(11);
  });

  it.each([
    "Invalid schema for function 'other': In context=()",
    "messages.3.content: the schema of this block is unknown",
    "the function 'b' is not allowed for your project",
    "Invalid schema: type must be 'object'",
  ])("but none for words that name no tool of the request by its schema: %s", async (words) => {
    const { offered } = await asked([refused(words)], ["a", "b", "object"], 1);
    expect(offered).toHaveLength(1);
  });

  it("but none for another status", async () => {
    expect((await asked([refused("Invalid schema for function 'b'", 403)], ["a", "b"], 1)).offered).toHaveLength(1);
  });
});
