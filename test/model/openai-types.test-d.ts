// The types of the package openai, of both majors: the clients that fit, and the shapes that our wires write and read.

import type * as six from "openai";
import type * as seven from "openai-7";
import { describe, expectTypeOf, it } from "vitest";
import type { OpenAIClient } from "../../src/model/index.js";
import type { ChatBody, ChatChunk } from "../../src/model/wire/chat-shapes.js";
import type { ResponsesBody, ResponsesEvents } from "../../src/model/responses/responses-shapes.js";

/** The package's types of lists can be written to, and ours can't. */
type Writable<Shape> = Shape extends readonly (infer Item)[]
  ? Writable<Item>[]
  : Shape extends object
    ? { -readonly [Key in keyof Shape]: Writable<Shape[Key]> }
    : Shape;

type KeyOfAny<Shape> = Shape extends unknown ? keyof Shape : never;
type ValueIn<Shape, Key> = Shape extends unknown ? (Key extends keyof Shape ? NonNullable<Shape[Key]> : never) : never;

/** The keys of ours that the package does not have, at any depth. Types fit all the same if such a key can be left out. */
type Unknown<Ours, Theirs> = Ours extends readonly (infer Item)[]
  ? Unknown<Item, Theirs extends readonly (infer Their)[] ? Their : never>
  : Ours extends object
    ? string extends keyof Ours
      ? never
      : {
          [Key in keyof Ours]-?: Key extends KeyOfAny<Theirs>
            ? Unknown<NonNullable<Ours[Key]>, ValueIn<Theirs, Key>>
            : Key;
        }[keyof Ours]
    : never;

/** The types of our events whose events in the package lack something that we read, or are not there. */
type Drifted<Event extends { readonly type: string }> = {
  [Type in keyof ResponsesEvents]: [Extract<Event, { readonly type: Type }>] extends [never]
    ? Type
    : Extract<Event, { readonly type: Type }> extends ResponsesEvents[Type]
      ? Unknown<ResponsesEvents[Type], Extract<Event, { readonly type: Type }>>
      : Type;
}[keyof ResponsesEvents];

/** The hooks that a request of a client goes through, which only a class that extends it can name. */
class HooksOfSix extends (null as unknown as typeof six.OpenAI) {
  readonly hooks = [
    this["prepareOptions"].bind(this),
    this["prepareRequest"].bind(this),
    this["makeStatusError"].bind(this),
  ] as const;
}
class HooksOfSeven extends (null as unknown as typeof seven.OpenAI) {
  readonly hooks = [
    this["prepareOptions"].bind(this),
    this["prepareRequest"].bind(this),
    this["makeStatusError"].bind(this),
  ] as const;
}

describe("openai 6", () => {
  it("has clients that fit", () => {
    expectTypeOf<six.OpenAI>().toExtend<OpenAIClient>();
    expectTypeOf<six.AzureOpenAI>().toExtend<OpenAIClient>();
    expectTypeOf<HooksOfSix>().toExtend<OpenAIClient>();
  });

  it("takes the requests that are written", () => {
    expectTypeOf<Writable<ChatBody>>().toExtend<six.OpenAI.ChatCompletionCreateParamsStreaming>();
    expectTypeOf<Writable<ResponsesBody>>().toExtend<six.OpenAI.Responses.ResponseCreateParamsStreaming>();
    expectTypeOf<Unknown<ChatBody, six.OpenAI.ChatCompletionCreateParamsStreaming>>().toBeNever();
    expectTypeOf<Unknown<ResponsesBody, six.OpenAI.Responses.ResponseCreateParamsStreaming>>().toBeNever();
  });

  it("sends the chunks and the events that are read", () => {
    expectTypeOf<six.OpenAI.ChatCompletionChunk>().toExtend<ChatChunk>();
    expectTypeOf<Unknown<ChatChunk, six.OpenAI.ChatCompletionChunk>>().toBeNever();
    expectTypeOf<Drifted<six.OpenAI.Responses.ResponseStreamEvent>>().toBeNever();
  });
});

describe("openai 7", () => {
  it("has clients that fit", () => {
    expectTypeOf<seven.OpenAI>().toExtend<OpenAIClient>();
    expectTypeOf<seven.AzureOpenAI>().toExtend<OpenAIClient>();
    expectTypeOf<HooksOfSeven>().toExtend<OpenAIClient>();
  });

  it("takes the requests that are written", () => {
    expectTypeOf<Writable<ChatBody>>().toExtend<seven.OpenAI.ChatCompletionCreateParamsStreaming>();
    expectTypeOf<Writable<ResponsesBody>>().toExtend<seven.OpenAI.Responses.ResponseCreateParamsStreaming>();
    expectTypeOf<Unknown<ChatBody, seven.OpenAI.ChatCompletionCreateParamsStreaming>>().toBeNever();
    expectTypeOf<Unknown<ResponsesBody, seven.OpenAI.Responses.ResponseCreateParamsStreaming>>().toBeNever();
  });

  it("sends the chunks and the events that are read", () => {
    expectTypeOf<seven.OpenAI.ChatCompletionChunk>().toExtend<ChatChunk>();
    expectTypeOf<Unknown<ChatChunk, seven.OpenAI.ChatCompletionChunk>>().toBeNever();
    expectTypeOf<Drifted<seven.OpenAI.Responses.ResponseStreamEvent>>().toBeNever();
  });
});
