// The shapes of chat completions: requests as they are written, and answers as far as they are read.

import type { ToolDescription } from "../../core/index.js";

/** A part of a message. */
export type ChatPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string } }
  | { readonly type: "file"; readonly file: { readonly filename: string; readonly file_data: string } };

/** A call in an earlier reply. */
export interface ChatCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A message of a request. A message of the model may have more keys, which the model put there itself. */
export type ChatMessage =
  | { readonly role: "system"; readonly content: string }
  | { readonly role: "user"; readonly content: string | readonly ChatPart[] }
  | { readonly role: "tool"; readonly tool_call_id: string; readonly content: string }
  | { readonly role: "assistant"; readonly content: string | null; readonly tool_calls?: readonly ChatCall[] };

/** A tool as a request offers it. */
export interface ChatTool {
  readonly type: "function";
  readonly function: ToolDescription;
}

/** The body of a request, without the caller's own keys. */
export interface ChatBody {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly ChatTool[];
  readonly tool_choice?: "required" | "auto";
  readonly model: string;
  readonly stream: true;
  readonly stream_options: { readonly include_usage: true };
}

/** The tokens of a reply. */
export interface ChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly prompt_tokens_details?: { readonly cached_tokens?: number };
  readonly completion_tokens_details?: { readonly reasoning_tokens?: number };
}

/** A chunk of a streamed reply. */
export interface ChatChunk {
  readonly choices: readonly ChatChoice[];
  readonly usage?: ChatUsage | null;
}

/** A piece of a streamed reply. */
export interface ChatChoice {
  readonly index: number;
  readonly finish_reason: string | null;
  readonly delta: {
    readonly content?: string | null;
    readonly refusal?: string | null;
    readonly tool_calls?: readonly ChatCallPiece[];
    readonly function_call?: ChatFunctionPiece;
  };
}

/** A piece of a call. */
export interface ChatCallPiece {
  readonly index: number;
  readonly id?: string;
  readonly type?: string;
  readonly function?: ChatFunctionPiece;
}

/** A piece of a function's name and arguments. */
export interface ChatFunctionPiece {
  readonly name?: string;
  readonly arguments?: string;
}

/** Something that has these keys if its server keeps to the API. Servers do not, so each value is looked at first. */
export type Unread<Shape> = { readonly [Key in keyof Shape]?: unknown };
