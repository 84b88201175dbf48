// The providers that the command reaches over their packages of the AI SDK: the names of the packages, and where their keys are.

import type { AiSdkOptions } from "../../ai-sdk/index.js";
import type { Settings } from "../args/args.js";

/** A provider that the command reaches over its package. */
export type OtherProvider = Exclude<NonNullable<Settings["provider"]>, "openai">;

/** A provider, as far as the command knows it. */
export interface KnownProvider {
  /** The name of the package on npm. */
  readonly package: string;
  /** The function of the package that makes a provider. */
  readonly create: string;
  /** The address that its package sends requests to by default. */
  readonly baseURL: string;
  /** The environment variable with the key, as the package names it. */
  readonly key: string;
  /** The model that is asked unless another one is named. */
  readonly model: string;
  /** Settings that suit a run of the command. */
  readonly settings: AiSdkOptions;
}

/** The providers by their names. */
export const providers: Readonly<Record<OtherProvider, KnownProvider>> = {
  anthropic: {
    package: "@ai-sdk/anthropic",
    create: "createAnthropic",
    baseURL: "https://api.anthropic.com/v1",
    key: "ANTHROPIC_API_KEY",
    model: "claude-sonnet-5",
    // Anthropic caches only as far as it is told to, and each request of a run repeats the request before.
    settings: { breakpoint: { anthropic: { cacheControl: { type: "ephemeral" } } } },
  },
  google: {
    package: "@ai-sdk/google",
    create: "createGoogleGenerativeAI",
    baseURL: "https://generativelanguage.googleapis.com/v1beta",
    key: "GOOGLE_GENERATIVE_AI_API_KEY",
    model: "gemini-pro-latest",
    settings: {},
  },
  mistral: {
    package: "@ai-sdk/mistral",
    create: "createMistral",
    baseURL: "https://api.mistral.ai/v1",
    key: "MISTRAL_API_KEY",
    model: "mistral-small-latest",
    settings: {},
  },
};

/** The providers whose keys the environment has. */
export function providersWithKey(env: Readonly<Record<string, string | undefined>>): readonly OtherProvider[] {
  return (Object.keys(providers) as OtherProvider[]).filter((name) => (env[providers[name].key] ?? "") !== "");
}
