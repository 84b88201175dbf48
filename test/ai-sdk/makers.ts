// The providers' packages of AI SDK 6 and 7, each with a provider on loopback that speaks its wire.

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
import type { AiSdkModel } from "../../src/ai-sdk/index.js";
import { scriptedProvider, type Script } from "../../src/testing/index.js";
import { wireProvider, type WireRequest } from "./wire-provider.js";
import { anthropicWire, googleWire, mistralWire, type Wire } from "./wires.js";

/** A running provider, and a model of it. */
export interface Running extends AsyncDisposable {
  readonly model: AiSdkModel;
  readonly requests: readonly WireRequest[];
}

/** A package at one version. */
export interface Maker {
  readonly name: string;
  readonly version: "v3" | "v4";
  /** Starts a provider with the script, and makes a model of the package that asks it. */
  start(script: Script): Promise<Running>;
}

function overWire(wire: Wire, modelAt: (origin: string) => AiSdkModel): Maker["start"] {
  return async (script) => {
    const provider = await wireProvider(wire, script);
    const { requests } = provider;
    return { model: modelAt(provider.origin), requests, [Symbol.asyncDispose]: () => provider[Symbol.asyncDispose]() };
  };
}

function overScripted(modelAt: (url: string) => AiSdkModel): Maker["start"] {
  return async (script) => {
    const provider = await scriptedProvider(script);
    const requests = provider.requests as unknown as readonly WireRequest[];
    return { model: modelAt(provider.url), requests, [Symbol.asyncDispose]: () => provider.close() };
  };
}

const apiKey = "test-key-1234567890";

const versions = [
  ["v3", { anthropic: anthropic6, google: google6, mistral: mistral6, openai: openai6, compatible: compatible6 }],
  ["v4", { anthropic: anthropic7, google: google7, mistral: mistral7, openai: openai7, compatible: compatible7 }],
] as const;

/** All packages, at the versions for AI SDK 6 and 7. */
export const makers: readonly Maker[] = versions.flatMap(([version, packages]) => {
  const { anthropic, google, mistral, openai, compatible } = packages;
  const maker = (name: string, start: Maker["start"]): Maker => ({ name, version, start });
  return [
    maker(
      "anthropic",
      overWire(anthropicWire, (origin) =>
        anthropic.createAnthropic({ baseURL: `${origin}/v1`, apiKey })("claude-scripted"),
      ),
    ),
    maker(
      "google",
      overWire(googleWire, (origin) =>
        google.createGoogleGenerativeAI({ baseURL: `${origin}/v1beta`, apiKey })("gemini-scripted"),
      ),
    ),
    maker(
      "mistral",
      overWire(mistralWire, (origin) => mistral.createMistral({ baseURL: `${origin}/v1`, apiKey })("mistral-scripted")),
    ),
    maker(
      "openai chat",
      overScripted((baseURL) => openai.createOpenAI({ baseURL, apiKey }).chat("gpt-scripted")),
    ),
    maker(
      "openai responses",
      overScripted((baseURL) => openai.createOpenAI({ baseURL, apiKey }).responses("gpt-5-scripted")),
    ),
    maker(
      "openai-compatible",
      overScripted((baseURL) =>
        compatible.createOpenAICompatible({ name: "scripted", baseURL, apiKey, includeUsage: true })("scripted"),
      ),
    ),
  ];
});

/** The package of this name at this version. */
export function makerOf(name: string, version: Maker["version"]): Maker {
  return makers.find((maker) => maker.name === name && maker.version === version)!;
}
