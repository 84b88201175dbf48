import { describe, expect, test } from "vitest";
import { providerName, serverOf } from "../../../src/otel/data/provider.js";

describe("the name of a provider", () => {
  test.each([
    ["anthropic.messages", "anthropic"],
    ["openai.responses", "openai"],
    ["openai.chat", "openai"],
    ["azure.responses", "azure.ai.openai"],
    ["azure-openai.chat", "azure.ai.openai"],
    ["google.generative-ai", "gcp.gemini"],
    ["google.vertex.chat", "gcp.vertex_ai"],
    ["vertex.anthropic.messages", "gcp.vertex_ai"],
    ["amazon-bedrock", "aws.bedrock"],
    ["mistral.chat", "mistral_ai"],
    ["xai.responses", "x_ai"],
    ["groq.chat", "groq"],
    ["deepseek.chat", "deepseek"],
    ["perplexity", "perplexity"],
    ["cohere.chat", "cohere"],
    ["openrouter.chat", "openrouter.chat"],
    ["openaiish.chat", "openaiish.chat"],
    ["https://api.openai.com/v1", "openai"],
    ["https://me.openai.azure.com/openai", "azure.ai.openai"],
    ["http://127.0.0.1:8080/v1", "127.0.0.1:8080"],
  ])("of %s is %s, a word of the conventions if they have one", (provider, name) => {
    expect(providerName(provider)).toBe(name);
  });
});

describe("the server of a provider", () => {
  test.each([
    ["https://api.openai.com/v1", { "server.address": "api.openai.com", "server.port": 443 }],
    ["http://localhost:8080/v1", { "server.address": "localhost", "server.port": 8080 }],
    ["http://user:secret@models.example/v1", { "server.address": "models.example", "server.port": 80 }],
    ["anthropic.messages", {}],
    ["scripted:", {}],
  ])("at %s is its host and its port", (provider, attributes) => {
    expect(serverOf(provider)).toEqual(attributes);
  });
});
