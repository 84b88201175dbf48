// The shape of a language model of the AI SDK, as far as it is used here. The packages of the AI SDK are not needed for it.

import type { Json, JsonObject } from "../core/index.js";

/**
 * A language model of the AI SDK: `LanguageModelV3` of AI SDK 6 or `LanguageModelV4` of AI SDK 7. Every provider package makes them, for
 * example `anthropic("claude-sonnet-5")`.
 */
export interface AiSdkModel {
  readonly specificationVersion: "v3" | "v4";
  /** The provider's id, for example `anthropic.messages`. */
  readonly provider: string;
  readonly modelId: string;
  /** Sends a request and returns its reply as a stream of parts. The types of both versions fit. */
  readonly doStream: (options: never) => PromiseLike<{ readonly stream: AiSdkStream }>;
}

/** The stream of a reply, as much of a `ReadableStream` as is used. */
export interface AiSdkStream {
  getReader(): AiSdkStreamReader;
}

/** The reader of a stream. */
export interface AiSdkStreamReader {
  read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
  cancel(reason?: unknown): Promise<void>;
}

/** Options for one provider or more, by the names that their packages read: `{ anthropic: { thinking: { type: "enabled" } } }`. */
export type ProviderOptions = Readonly<Record<string, JsonObject>>;

/** A tool that a provider runs itself, as its package makes it. The types of both versions fit. */
export interface ProviderTool {
  readonly type?: string | undefined;
  /** The id, for example `anthropic.web_search_20250305`. */
  readonly id?: string | undefined;
  readonly args?: object | undefined;
}

/** One part of a message. */
export type ContentPart = Readonly<Record<string, unknown>> & { readonly type: string };

/** One message of a prompt. */
export interface PromptMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string | readonly ContentPart[];
  readonly providerOptions?: ProviderOptions;
}

/** One request, as `doStream` takes it. */
export interface AiSdkRequest {
  readonly prompt: readonly PromptMessage[];
  /** The tools. Absent if there are none, or if the prompt describes them. */
  readonly tools?: readonly Readonly<Record<string, unknown>>[];
  readonly toolChoice?: { readonly type: "required" | "auto" };
  readonly abortSignal: AbortSignal;
  /** Settings of the caller. */
  readonly [setting: string]: unknown;
}

/** A value as plain JSON, so that it can be kept in a journal. Bytes become base64, the encoding in which providers take them back. */
export function jsonOf(value: unknown): Json {
  const text = JSON.stringify(value, (_key, item: unknown) =>
    item instanceof Uint8Array ? Buffer.from(item).toString("base64") : item,
  ) as string | undefined;
  return text === undefined ? null : (JSON.parse(text) as Json);
}
