// The provider of a model, in a word of the conventions if they have one for its address.

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

/** The provider by the model's `provider`: a word of the conventions, else the host of an address, else the text itself. */
export function providerName(provider: string): string {
  if (!URL.canParse(provider)) return provider;
  const { host, hostname } = new URL(provider);
  const [, name] = known.find(([end]) => hostname === end || hostname.endsWith(`.${end}`)) ?? [];
  return name ?? (host === "" ? provider : host);
}
