// The provider of a model, in a word of the conventions if they have one for its address.

import type { Attributes } from "./api.js";
import { attribute } from "./names.js";

/** The words of the conventions, by the end of a host's name. */
const known: readonly (readonly [host: string, name: string])[] = [
  ["api.openai.com", "openai"],
  ["openai.azure.com", "azure.ai.openai"],
  ["api.anthropic.com", "anthropic"],
  ["api.deepseek.com", "deepseek"],
  ["api.groq.com", "groq"],
  ["api.mistral.ai", "mistral_ai"],
  ["api.perplexity.ai", "perplexity"],
  ["api.x.ai", "x_ai"],
  ["generativelanguage.googleapis.com", "gcp.gemini"],
];

/** The words of the conventions, by the beginnings of the ids that packages of the AI SDK give their providers. The longer come first. */
const packages: readonly (readonly [beginning: string, name: string])[] = [
  ["amazon-bedrock", "aws.bedrock"],
  ["bedrock", "aws.bedrock"],
  ["anthropic", "anthropic"],
  ["azure-openai", "azure.ai.openai"],
  ["azure", "azure.ai.openai"],
  ["cohere", "cohere"],
  ["deepseek", "deepseek"],
  ["google.vertex", "gcp.vertex_ai"],
  ["vertex", "gcp.vertex_ai"],
  ["google", "gcp.gemini"],
  ["groq", "groq"],
  ["mistral", "mistral_ai"],
  ["openai", "openai"],
  ["perplexity", "perplexity"],
  ["xai", "x_ai"],
];

/**
 * The provider by the model's `provider`: a word of the conventions for an address or for the id of a package, as `anthropic.messages`;
 * else the host of an address, else the text itself.
 */
export function providerName(provider: string): string {
  if (!URL.canParse(provider)) {
    const [, name] = packages.find(([start]) => provider === start || provider.startsWith(`${start}.`)) ?? [];
    return name ?? provider;
  }
  const { host, hostname } = new URL(provider);
  const [, name] = known.find(([end]) => hostname === end || hostname.endsWith(`.${end}`)) ?? [];
  return name ?? (host === "" ? provider : host);
}

/** The host and the port of a provider that is an address; nothing for any other. */
export function serverOf(provider: string): Attributes {
  if (!URL.canParse(provider)) return {};
  const { hostname, port, protocol } = new URL(provider);
  if (hostname === "") return {};
  const usual = protocol === "https:" ? 443 : 80;
  return { [attribute.serverAddress]: hostname, [attribute.serverPort]: port === "" ? usual : Number(port) };
}
