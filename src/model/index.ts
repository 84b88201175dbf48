// lastcall/model: models over OpenAI-compatible servers, and what keeps them steady.

export type { BreakerOptions } from "./breaker.js";
export { defaultBaseURL, defaultModel } from "./defaults.js";
export { openai, type OpenAIOptions } from "./openai.js";
export { steady, type SteadyOptions } from "./steady.js";
