// Makes a model of lastcall from a model of the AI SDK: its package carries the bytes, and it forces and reads as `openai()` does.

import { LastcallError, type Model } from "../core/index.js";
import {
  atCaller,
  checkOptions,
  listOf,
  recordOf,
  choiceOf,
  type OptionKinds,
  isPlainObject,
  milliseconds,
  soundData,
} from "../core/internal.js";
import { steady, type Forcing, type SteadyOptions } from "../model/index.js";
import { ladder, modelOver } from "../model/carriers.js";
import { aiSdkCarrier, type SentTool } from "./ai-sdk-carrier.js";
import type { AiSdkModel, ProviderOptions, ProviderTool } from "./ai-sdk-model.js";

/** The settings of the AI SDK that go with each request. A provider that does not know one says so in a warning. */
export interface AiSdkParams {
  /** The largest number of tokens of a reply. Default: the number of the provider's package, which may be small. */
  readonly maxOutputTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
  readonly seed?: number | undefined;
  /** The amount of thinking, with AI SDK 7: `none`, `minimal`, `low`, `medium`, `high`, `xhigh`, `max`. Default: up to the provider. */
  readonly reasoning?: string | undefined;
}

/** The settings of requests, and the way in which replies are forced and read. */
export interface AiSdkOptions {
  /** Settings of the AI SDK, sent unchanged. Default: none. */
  readonly params?: AiSdkParams | undefined;
  /** Options for the provider, sent unchanged: `{ anthropic: { thinking: { type: "enabled", budgetTokens: 4000 } } }`. Default: none. */
  readonly providerOptions?: ProviderOptions | undefined;
  /**
   * Options that mark the places up to which the provider caches a prompt: `{ anthropic: { cacheControl: { type: "ephemeral" } } }`. They
   * are put on the system prompt and on the last two messages that are not the model's. Default: none.
   */
  readonly breakpoint?: ProviderOptions | undefined;
  /**
   * Tools that the provider runs itself, by name, as its package makes them: `{ web_search: anthropic.tools.webSearch_20250305() }`. They
   * are no tools of the agent: nothing asks for permission, and their calls and results are a part of the reply. Default: none.
   */
  readonly providerTools?: Readonly<Record<string, ProviderTool>> | undefined;
  /**
   * The media types of the attachments that the model takes, as `image/png`, `image/*` or `*`; `[]` for a model that reads text alone.
   * Other attachments are told in words. Default: all are sent; an attachment that the provider refuses is told in words from then on.
   */
  readonly attachments?: readonly string[] | undefined;
  /** More headers for each request. Default: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The way in which the model is made to call a tool, as in `openai()`. Default: `ladder`. */
  readonly forcing?: Forcing | "ladder" | undefined;
  /**
   * True if calls in the text of a reply are read when the reply has no other calls. Default: false with `required`; true with `auto`,
   * and when a plain text reply counts as a call (`onText`). On the rung `xml` they are always read.
   */
  readonly textCalls?: boolean | undefined;
  /**
   * Milliseconds without a part of a reply after which the request fails. Default 600,000: providers' packages hide the signs of life of
   * a model that thinks.
   */
  readonly idleTimeout?: number | undefined;
  /** Retries and the circuit breaker around the provider; false turns both off. Default: the defaults of `steady`. */
  readonly steady?: SteadyOptions | false | undefined;
}

const aiSdkOptions = {
  params: "object",
  providerOptions: "object",
  breakpoint: "object",
  providerTools: "object",
  attachments: listOf("text"),
  headers: recordOf("text"),
  forcing: choiceOf("required", "auto", "xml", "ladder"),
  textCalls: "flag",
  idleTimeout: "number",
  steady: ["object", choiceOf(false)],
} satisfies OptionKinds<AiSdkOptions>;

const aiSdkParams = {
  maxOutputTokens: "number",
  temperature: "number",
  topP: "number",
  topK: "number",
  presencePenalty: "number",
  frequencyPenalty: "number",
  stopSequences: listOf("text"),
  seed: "number",
  reasoning: "text",
} satisfies OptionKinds<AiSdkParams>;

/**
 * Makes a model from a language model of the AI SDK, version 6 or 7: `fromAiSdk(anthropic("claude-sonnet-5"))`. Its `name` is the id of
 * the model, its `provider` the id of the provider.
 *
 * The package sends the requests, and with the fetch function of Node it takes the key and the prompt to whatever server the provider
 * redirects to. Give the provider a fetch function that follows no redirect:
 * `createAnthropic({ fetch: (url, init) => fetch(url, { ...init, redirect: "manual" }) })`.
 * @throws LastcallError `configuration` for anything but such a model, and for an option that does not exist or can't be used.
 */
export function fromAiSdk(model: AiSdkModel, options: AiSdkOptions = {}): Model {
  return atCaller(fromAiSdk, () => modelFrom(model, options));
}

function modelFrom(model: AiSdkModel, options: AiSdkOptions): Model {
  expectModel(model);
  checkOptions("fromAiSdk", options, aiSdkOptions);
  const { params = {}, providerOptions, breakpoint, headers = {}, forcing = "ladder", idleTimeout = 600_000 } = options;
  milliseconds("idleTimeout", idleTimeout);
  checkOptions("params", params, aiSdkParams);
  if (params.reasoning !== undefined && model.specificationVersion === "v3")
    throw wrong("params.reasoning needs a provider's package of AI SDK 7. With AI SDK 6 use providerOptions.");
  const given = { ...params, ...(providerOptions !== undefined && { providerOptions }) };
  const carrier = aiSdkCarrier(model, {
    params: soundData(given),
    headers,
    breakpoint,
    providerTools: sentTools(options.providerTools ?? {}),
    attachments: options.attachments,
    idleTimeout,
  });
  const server = { name: model.provider, starts: "required", leaksCalls: false } as const;
  const over = modelOver(carrier, ladder(forcing, server, options.textCalls));
  return options.steady === false ? over : steady(over, options.steady);
}

/**
 * The tools of the provider as a request has them.
 * @throws LastcallError `configuration` for anything but such a tool.
 */
function sentTools(tools: Readonly<Record<string, ProviderTool>>): readonly SentTool[] {
  return Object.entries(tools).map(([name, tool]) => {
    const { type, id, args = {} } = tool as unknown as Readonly<Record<string, unknown>>;
    if (type === "provider" && typeof id === "string") return { type, id, name, args };
    throw wrong(
      `providerTools.${name} is no tool that a provider runs: give one that its package makes, as anthropic.tools.webSearch_20250305(). Tools of your own go into the agent.`,
    );
  });
}

/** @throws LastcallError `configuration` that says what to pass instead. */
function expectModel(model: unknown): asserts model is AiSdkModel {
  if (typeof model === "string")
    throw wrong(
      `${JSON.stringify(model)} is only the id of a model. Pass the model that a provider's package makes of it: fromAiSdk(anthropic("claude-sonnet-5")).`,
    );
  const {
    specificationVersion: version,
    doStream,
    provider,
    modelId,
  } = (model ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof version === "string" && version !== "v3" && version !== "v4")
    throw wrong(
      `The model has the specification ${version}, and fromAiSdk takes v3 and v4, of AI SDK 6 and 7. ${fitting(provider)}`,
    );
  if (
    version === undefined ||
    typeof doStream !== "function" ||
    typeof provider !== "string" ||
    typeof modelId !== "string"
  )
    throw wrong(
      `fromAiSdk takes a language model of the AI SDK, and got ${isPlainObject(model) ? "another object" : `a value of type ${typeof model}`}. For a provider as a whole, name a model: anthropic("claude-sonnet-5").`,
    );
}

/** The words about the package that fits. */
function fitting(provider: unknown): string {
  const [, maker] = /^(anthropic|google|mistral|openai)\.(?!vertex)/.exec(String(provider)) ?? [];
  const words = "Install the provider's package of one of them";
  return maker === undefined ? `${words}.` : `${words}: npm install @ai-sdk/${maker}@3`;
}

function wrong(message: string): LastcallError {
  return new LastcallError("configuration", message);
}
