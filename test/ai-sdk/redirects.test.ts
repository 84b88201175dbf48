// Redirects: a package of the AI SDK whose fetch function stays takes neither the key nor the prompt to another server.

import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import * as anthropic6 from "@ai-sdk/anthropic";
import * as google6 from "@ai-sdk/google";
import * as mistral6 from "@ai-sdk/mistral";
import * as openai6 from "@ai-sdk/openai";
import * as compatible6 from "@ai-sdk/openai-compatible";
import * as anthropic7 from "ai-sdk-7-anthropic";
import * as google7 from "ai-sdk-7-google";
import * as mistral7 from "ai-sdk-7-mistral";
import * as openai7 from "ai-sdk-7-openai";
import * as compatible7 from "ai-sdk-7-openai-compatible";
import { describe, expect, onTestFinished, test } from "vitest";
import { fromAiSdk, type AiSdkModel } from "../../src/ai-sdk/index.js";
import { ask } from "./request.js";

type FetchOption = typeof fetch;

const packages = [
  ["v3", { anthropic: anthropic6, google: google6, mistral: mistral6, openai: openai6, compatible: compatible6 }],
  ["v4", { anthropic: anthropic7, google: google7, mistral: mistral7, openai: openai7, compatible: compatible7 }],
] as const;

const apiKey = "the-key-of-the-given-server";

const models = packages.flatMap(([version, { anthropic, google, mistral, openai, compatible }]) => {
  const model = (name: string, made: (baseURL: string, fetch: FetchOption) => AiSdkModel) => ({ name, version, made });
  return [
    model("anthropic", (baseURL, fetch) => anthropic.createAnthropic({ baseURL, apiKey, fetch })("m")),
    model("google", (baseURL, fetch) => google.createGoogleGenerativeAI({ baseURL, apiKey, fetch })("m")),
    model("mistral", (baseURL, fetch) => mistral.createMistral({ baseURL, apiKey, fetch })("m")),
    model("openai chat", (baseURL, fetch) => openai.createOpenAI({ baseURL, apiKey, fetch }).chat("m")),
    model("openai responses", (baseURL, fetch) => openai.createOpenAI({ baseURL, apiKey, fetch }).responses("m")),
    model("openai-compatible", (baseURL, fetch) =>
      compatible.createOpenAICompatible({ name: "given", baseURL, apiKey, fetch })("m"),
    ),
  ];
});

/** A server that is asked for nothing, and one that redirects there. */
async function servers(status: number, to: (port: number) => string) {
  const got: IncomingHttpHeaders[] = [];
  const other = await listening((headers, answer) => {
    got.push(headers);
    answer(400, {});
  });
  let requests = 0;
  const given = await listening((_headers, answer) => {
    requests += 1;
    answer(status, { location: to(other) });
  });
  return { url: `http://127.0.0.1:${String(given)}/v1`, got, requests: () => requests };
}

async function listening(
  asked: (headers: IncomingHttpHeaders, answer: (status: number, headers: Record<string, string>) => void) => void,
): Promise<number> {
  const server = createServer((request, response) => {
    request.resume();
    asked(request.headers, (status, headers) => void response.writeHead(status, headers).end());
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** The function of the docs, and the stricter one that many have. */
const stays: FetchOption = (url, init) => fetch(url, { ...init, redirect: "manual" });
const refuses: FetchOption = (url, init) => fetch(url, { ...init, redirect: "error" });

const otherHost = (port: number): string => `http://localhost:${String(port)}/v1/elsewhere`;
const otherPort = (port: number): string => `http://127.0.0.1:${String(port)}/v1/elsewhere`;

describe.each(models)("$name at $version", ({ made }) => {
  test.each([301, 302, 303, 307, 308])("a redirect with status %i is a fault that names it, once", async (status) => {
    for (const to of [otherHost, otherPort]) {
      const { url, got, requests } = await servers(status, to);
      const { fault, events } = await ask(fromAiSdk(made(url, stays), { steady: { firstDelay: 1 } }));
      expect(fault).toMatchObject({ code: "provider_rejected" });
      const { message } = fault as Error;
      expect(message).toContain(`redirects with status ${String(status)} to http://`);
      expect(message).toContain("/v1/elsewhere. The key and the prompt are not sent there");
      expect(events.filter(({ type }) => type === "request-retry")).toEqual([]);
      expect([got, requests()]).toEqual([[], 1]);
    }
  });

  test("a fetch function that fails at redirects is told apart from a broken connection", async () => {
    const { url, got, requests } = await servers(307, otherHost);
    const { fault } = await ask(fromAiSdk(made(url, refuses), { steady: { firstDelay: 1 } }));
    expect(fault).toMatchObject({ code: "provider_rejected", message: expect.stringContaining("redirects") as string });
    expect([got, requests()]).toEqual([[], 1]);
  });
});
