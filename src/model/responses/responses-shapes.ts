// The shapes of the Responses API: requests as they are written, and events as far as they are read.

import type { Unread } from "../wire/chat-shapes.js";

/** A part of a message or of a result. */
export type InputPart =
  | { readonly type: "input_text"; readonly text: string }
  | { readonly type: "input_image"; readonly image_url: string; readonly detail: "auto" }
  | { readonly type: "input_file"; readonly filename: string; readonly file_data: string };

/** An item of a request. The items of earlier replies are sent as they came. */
export type InputItem =
  | { readonly role: "user"; readonly content: string | readonly InputPart[] }
  | { readonly role: "assistant"; readonly content: string }
  | {
      readonly type: "function_call_output";
      readonly call_id: string;
      readonly output: string | readonly InputPart[];
    }
  | { readonly type: "function_call"; readonly call_id: string; readonly name: string; readonly arguments: string };

/** A tool as a request offers it. */
export interface ResponsesTool {
  readonly type: "function";
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly strict: false;
}

/** The body of a request, without the caller's own keys. */
export interface ResponsesBody {
  readonly input: readonly InputItem[];
  readonly model: string;
  readonly instructions: string;
  readonly tools?: readonly ResponsesTool[];
  readonly tool_choice?: "required" | "auto";
  readonly store: false;
  readonly include: readonly ["reasoning.encrypted_content"];
  readonly stream: true;
}

/** The response in the event that ends a stream. */
export interface EndedResponse {
  readonly status?: string;
  readonly id?: string;
  readonly model?: string;
  readonly output: readonly { readonly type: string }[];
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly incomplete_details: { readonly reason?: string } | null;
  readonly usage?: ResponsesUsage;
}

/** The tokens of a response. */
export interface ResponsesUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly input_tokens_details: { readonly cached_tokens: number };
  readonly output_tokens_details: { readonly reasoning_tokens: number };
}

interface OfItem {
  readonly output_index: number;
  readonly item_id: string;
}

interface Delta {
  readonly delta: string;
}

/** The events that are read, by their types. */
export interface ResponsesEvents {
  readonly "response.output_item.added": { readonly output_index: number; readonly item: { readonly type: string } };
  readonly "response.output_item.done": { readonly output_index: number; readonly item: { readonly type: string } };
  readonly "response.output_text.delta": OfItem & Delta;
  readonly "response.function_call_arguments.delta": OfItem & Delta;
  readonly "response.function_call_arguments.done": OfItem & { readonly arguments: string };
  readonly "response.refusal.delta": OfItem & Delta;
  readonly "response.reasoning_summary_text.delta": Delta;
  readonly "response.reasoning_text.delta": Delta;
  readonly "response.completed": { readonly response: EndedResponse };
  readonly "response.incomplete": { readonly response: EndedResponse };
  readonly "response.failed": { readonly response: EndedResponse };
  readonly error: { readonly code: string | null; readonly message: string };
}

type KeyOfAny<Shape> = Shape extends unknown ? keyof Shape : never;

/** An event of the stream, of any type. */
export type UnreadEvent = Readonly<Partial<Record<"type" | KeyOfAny<ResponsesEvents[keyof ResponsesEvents]>, unknown>>>;

/** A response, of which nothing is believed before it was looked at. */
export type UnreadResponse = Unread<EndedResponse>;
