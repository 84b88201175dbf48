import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { readSettings, type Settings } from "../../../src/cli/args/args.js";
import { parseOptions } from "../../../src/cli/args/options.js";
import { findModel, findServers, type ModelSearch } from "../../../src/cli/task/find-model.js";
import { defaultModel } from "../../../src/model/index.js";
import { scriptedProvider } from "../../../src/testing/index.js";

function settings(argv: readonly string[]): Settings {
  return readSettings(parseOptions(argv));
}

/** A server that is not a provider. */
async function serverThat(answers: RequestListener): Promise<AsyncDisposable & { readonly baseURL: string }> {
  const server = createServer(answers);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    baseURL: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

function around(
  baseURLs: readonly string[],
  more: Partial<ModelSearch> = {},
): ModelSearch & { readonly said: string[] } {
  const said: string[] = [];
  return {
    env: {},
    servers: baseURLs.map((baseURL, index) => ({ name: `server ${String(index)}`, baseURL })),
    confirm: undefined,
    say: (line) => said.push(line),
    said,
    ...more,
  };
}

test("without a key the first local server that lists models is used, and the choice is printed", async () => {
  await using page = await serverThat((_request, response) => response.end("<html>hello</html>"));
  await using other = await serverThat((_request, response) => response.end('{"data": "no list"}'));
  await using silent = await serverThat(() => undefined);
  await using provider = await scriptedProvider([]);
  const surroundings = around([page.baseURL, other.baseURL, silent.baseURL, provider.url]);
  expect(await findModel(settings(["go"]), surroundings)).toEqual({ model: "scripted", baseURL: provider.url });
  expect(surroundings.said).toEqual([
    `There is no key: using server 3 on this machine (${provider.url}) with the model scripted.`,
  ]);
});

test("at a terminal the person is asked first, and a no ends with the ways to get a model", async () => {
  await using provider = await scriptedProvider([]);
  const questions: string[] = [];
  const confirm = (answer: boolean) => async (question: string) => {
    questions.push(question);
    return answer;
  };
  expect(await findModel(settings(["go"]), around([provider.url], { confirm: confirm(true) }))).toMatchObject({
    model: "scripted",
  });
  await expect(findModel(settings(["go"]), around([provider.url], { confirm: confirm(false) }))).rejects.toThrow(
    "Three ways",
  );
  expect(questions[0]).toContain(provider.url);
});

test("a named model is looked for among the local servers", async () => {
  await using provider = await scriptedProvider([]);
  await expect(findModel(settings(["go", "--model", "other"]), around([provider.url]))).rejects.toThrow("Three ways");
  expect(await findModel(settings(["go", "--model", "scripted"]), around([provider.url]))).toMatchObject({
    baseURL: provider.url,
  });
});

test("OPENAI_MODEL names a model; --model wins over it, and an empty value names none", async () => {
  await using provider = await scriptedProvider([]);
  const found = async (env: ModelSearch["env"], ...options: readonly string[]): Promise<string> =>
    (await findModel(settings(["go", ...options]), around([provider.url], { env }))).model;
  expect(await found({ OPENAI_MODEL: "scripted" })).toBe("scripted");
  expect(await found({ OPENAI_MODEL: "other", OPENAI_API_KEY: "sk" })).toBe("other");
  expect(await found({ OPENAI_MODEL: "", OPENAI_API_KEY: "sk" })).toBe(defaultModel);
  expect(await found({ OPENAI_MODEL: "other" }, "--model", "scripted")).toBe("scripted");
  expect(await found({ OPENAI_MODEL: "other", OPENAI_BASE_URL: provider.url })).toBe("other");
  expect(await found({ OPENAI_MODEL: "" }, "--base-url", provider.url)).toBe("scripted");
});

test("a named model is never replaced by another: the message lists the available ones", async () => {
  await using provider = await scriptedProvider([]);
  const env = { OPENAI_MODEL: "other" };
  await expect(findModel(settings(["go"]), around([provider.url], { env }))).rejects.toThrow(
    "No server on this machine lists the model other (--model or OPENAI_MODEL): server 0 has scripted. Three ways",
  );
  await expect(findModel(settings(["go"]), around([], { env }))).rejects.toThrow(
    "There is no model to ask. Three ways",
  );
});

test("with a key no local server is looked for", async () => {
  await using provider = await scriptedProvider([]);
  const surroundings = around([provider.url], { env: { OPENAI_API_KEY: "sk" } });
  expect(await findModel(settings(["go"]), surroundings)).toEqual({ model: defaultModel });
  expect(surroundings.said).toEqual([]);
});

test("OPENAI_BASE_URL counts as a given address, and the key's variable can be named", async () => {
  const env = { OPENAI_BASE_URL: "https://proxy.test/v1", K: "sk" };
  expect(await findModel(settings(["go", "--api-key-env", "K"]), around([], { env }))).toEqual({
    model: defaultModel,
    baseURL: "https://proxy.test/v1",
    apiKey: "sk",
  });
});

test.each(["NONE", "constructor", "__proto__"])("a key in %s, a variable that is not there, is told", async (name) => {
  const given = settings(["x", "--api-key-env", name, "--base-url", "https://far.example/v1"]);
  await expect(findModel(given, around([]))).rejects.toThrow(`--api-key-env ${name}: there is no such variable`);
});

test("a server that redirects elsewhere is not followed", async () => {
  await using provider = await scriptedProvider([]);
  await using redirect = await serverThat((_request, response) => {
    response.writeHead(302, { location: `${provider.url}/models` }).end();
  });
  expect(await findServers([{ name: "redirect", baseURL: redirect.baseURL }])).toEqual([]);
});
