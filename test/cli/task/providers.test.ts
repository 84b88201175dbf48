import { describe, expect, test } from "vitest";
import { readSettings, type Settings } from "../../../src/cli/args/args.js";
import { parseOptions } from "../../../src/cli/args/options.js";
import { findModel } from "../../../src/cli/task/find-model.js";
import { findModels } from "../../../src/cli/task/models.js";
import { findProvider, type FoundProvider } from "../../../src/cli/task/providers.js";
import { scriptedProvider } from "../../../src/testing/index.js";
import { wireProvider } from "../../ai-sdk/wire-provider.js";
import { anthropicWire, googleWire } from "../../ai-sdk/wires.js";

function found(argv: readonly string[], env: Readonly<Record<string, string>>): FoundProvider {
  const settings: Settings = readSettings(parseOptions(["go", ...argv]));
  const { provider } = settings;
  if (provider === undefined || provider === "openai") throw new Error("There is no other provider in the words.");
  return findProvider(provider, settings, env);
}

const anthropic = ["--provider", "anthropic", "--model", "claude"];

test("a provider named without a model gets the maker's usual one, and the choice is printed", async () => {
  await using server = await wireProvider(googleWire, ["One."]);
  const settings = readSettings(parseOptions(["go", "--provider", "google", "--base-url", `${server.origin}/v1beta`]));
  const said: string[] = [];
  const { modelNamed } = await findModels(settings, { env: {}, confirm: undefined, say: (line) => said.push(line) });
  expect(modelNamed(undefined).name).toBe("gemini-pro-latest");
  expect(said).toEqual(["No model named: using gemini-pro-latest of google."]);
});

describe("a provider", () => {
  test.each([
    ["anthropic", "ANTHROPIC_API_KEY"],
    ["google", "GOOGLE_GENERATIVE_AI_API_KEY"],
    ["mistral", "MISTRAL_API_KEY"],
  ])("named %s has its key in %s", (provider, name) => {
    const argv = ["--provider", provider, "--model", "m"];
    expect(found(argv, { [name]: "secret" })).toEqual({ provider, model: "m", baseURL: undefined, apiKey: "secret" });
    expect(() => found(argv, { OPENAI_API_KEY: "secret" })).toThrow(`set ${name}`);
    expect(() => found(argv, {})).toThrow(expect.objectContaining({ code: "authentication" }));
  });

  test("gets no key of the environment at an address of somebody else", () => {
    const elsewhere = [...anthropic, "--base-url", "https://gateway.test/v1"];
    expect(() => found(elsewhere, { ANTHROPIC_API_KEY: "secret" })).toThrow("--api-key-env NAME");
    expect(found([...elsewhere, "--api-key-env", "MINE"], { MINE: "own" })).toMatchObject({ apiKey: "own" });
    const here = [...anthropic, "--base-url", "http://127.0.0.1:9/v1"];
    expect(found(here, { ANTHROPIC_API_KEY: "secret" })).toMatchObject({ apiKey: "secret" });
    expect(found(here, {})).toMatchObject({ apiKey: "none" });
    expect(() => found([...here, "--api-key-env", "MINE"], {})).toThrow("set MINE");
  });

  test("has a model of its own, and does not take the model that is named for another maker", () => {
    expect(found(["--provider", "google"], { OPENAI_MODEL: "gpt", GOOGLE_GENERATIVE_AI_API_KEY: "k" })).toMatchObject({
      model: "gemini-pro-latest",
    });
  });
});

describe("the key of one maker alone", () => {
  const asked = async (
    argv: readonly string[],
    env: Readonly<Record<string, string>>,
    urls: readonly string[] = [],
  ) => {
    const said: string[] = [];
    const servers = urls.map((baseURL) => ({ name: "here", baseURL }));
    const around = { servers, confirm: undefined, say: (line: string) => said.push(line), env };
    const answer = await findModel(readSettings(parseOptions(["go", ...argv])), around).catch(String);
    return { answer, said };
  };

  test("was refused with the line to type; it is used, and its use is told", async () => {
    expect(await asked([], { ANTHROPIC_API_KEY: "k" })).toEqual({
      answer: { model: "claude-sonnet-5", provider: "anthropic" },
      said: ["ANTHROPIC_API_KEY is set: using claude-sonnet-5 of anthropic."],
    });
    expect(await asked(["--model", "m"], { MISTRAL_API_KEY: "k" })).toMatchObject({
      answer: { model: "m", provider: "mistral" },
    });
  });

  test("is not used beside OpenAI's, another maker's, an address or a named provider", async () => {
    const key = { ANTHROPIC_API_KEY: "k" };
    expect((await asked([], { ...key, OPENAI_API_KEY: "k" })).answer).not.toHaveProperty("provider");
    expect((await asked(["--base-url", "https://gateway.test/v1"], key)).answer).not.toHaveProperty("provider");
    expect((await asked([], { ...key, MISTRAL_API_KEY: "k" })).answer).toContain("lastcall --provider anthropic");
    expect((await asked(["--provider", "openai"], key)).answer).toContain(
      "Another maker:     lastcall --provider anthropic",
    );
    expect((await asked([], { ...key, OPENAI_MODEL: "gpt" })).answer).toContain("There is no model to ask.");
    expect((await asked([], {})).answer).not.toContain("Another maker");
  });

  test("is not used for a model that a server on this machine lists", async () => {
    await using server = await scriptedProvider([]);
    const { answer } = await asked(["--model", "scripted"], { ANTHROPIC_API_KEY: "k" }, [server.url]);
    expect(answer).toEqual({ model: "scripted", baseURL: server.url });
  });
});

test("another model of the same provider is made by its name, and a pinned rung holds for it", async () => {
  await using server = await wireProvider(anthropicWire, ["One."]);
  const argv = [...anthropic, "--base-url", `${server.origin}/v1`, "--forcing", "xml", "--window", "5000"];
  const settings = readSettings(parseOptions(["go", ...argv]));
  const models = await findModels(settings, { env: {}, confirm: undefined, say: () => undefined });
  expect([models.modelNamed(undefined).name, models.modelNamed("other").name, models.window]).toEqual([
    "claude",
    "other",
    5000,
  ]);
  const look = { name: "look", description: "Looks.", parameters: { type: "object", properties: {} } };
  const source = models
    .modelNamed("other")
    .respond(
      { key: "k", system: "s", messages: [{ role: "user", text: "go" }], tools: [look], needsCall: true },
      new AbortController().signal,
    );
  while ((await source.next()).done !== true);
  expect(JSON.stringify(server.requests[0]?.body)).toContain("You call tools by writing XML");
});
