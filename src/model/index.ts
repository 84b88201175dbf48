// lastcall/model: models over OpenAI-compatible servers, and what keeps them steady.

export type { BreakerOptions } from "./breaker.js";
export { defaultBaseURL, defaultModel } from "./defaults.js";
export type { Forcing } from "./forcing.js";
export { knownServers, type KnownServer } from "./servers.js";
export { openai, type OpenAIOptions } from "./openai.js";
export type { Api } from "./route.js";
export { steady, type SteadyOptions } from "./steady.js";
