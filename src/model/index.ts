// lastcall/model: models on OpenAI-compatible servers, with retries and a circuit breaker.

export type { BreakerOptions } from "../breaker/index.js";
export { defaultBaseURL, defaultModel } from "./http/defaults.js";
export type { Forcing } from "./data/rung.js";
export { knownServers, type KnownServer } from "./http/servers.js";
export { openai, type OpenAIOptions } from "./openai.js";
export type { Api } from "./route.js";
export type {
  AnswerHeaders,
  ClientRequest,
  DispatchControl,
  Dispatcher,
  DispatchHandler,
  DispatchRequest,
  Fetch,
  FetchBody,
  FetchRequest,
  FetchResponse,
  IncomingHeaders,
  OpenAIClient,
} from "./transport/ports.js";
export { fallback, type FallbackOptions } from "./steady/fallback.js";
export { limited, type LimitedOptions } from "./steady/limited.js";
export { steady, type SteadyOptions } from "./steady/steady.js";
