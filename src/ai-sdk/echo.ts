// The echo of a reply: the parts that its provider wants back with the next request, in the order in which they came.

import type { Json, JsonObject, Reply } from "../core/index.js";
import { isPlainObject } from "../core/internal.js";
import type { ContentPart } from "./ai-sdk-model.js";

/** The key of the extras that has the echo of a reply. */
const echoKey = "ai_sdk_parts";

/** The key of the extras of a call that has the provider's options for it. */
const callKey = "ai_sdk_options";

/**
 * One part of a reply. `text` has only the length of its text, and `call` nothing of its call, because the reply itself has both. Any other
 * part is sent back as it is.
 */
export type EchoPart =
  | { readonly type: "text"; readonly length: number; readonly providerOptions?: Json }
  | { readonly type: "call" }
  | { readonly type: "verbatim"; readonly part: Json };

/** The extras of a reply with these parts. Texts and calls alone need none: the reply has them. */
export function echoExtras(parts: readonly EchoPart[]): JsonObject {
  const isPlain = parts.every((part) => part.type !== "verbatim" && !("providerOptions" in part));
  return isPlain ? {} : { [echoKey]: parts };
}

/** The extras of a call with these options of its provider. */
export function callExtras(providerOptions: Json | undefined): JsonObject {
  return providerOptions === undefined ? {} : { [callKey]: providerOptions };
}

/** The options of the provider for a call that it made. Empty if there are none. */
export function optionsOf({ extras }: { readonly extras?: JsonObject }): { readonly providerOptions?: Json } {
  const options = extras?.[callKey];
  return options === undefined ? {} : { providerOptions: options };
}

/** True if the provider put anything on a reply or its calls that it wants back. */
export function hasEcho({ extras, calls }: Reply): boolean {
  return extras?.[echoKey] !== undefined || calls.some((call) => call.extras?.[callKey] !== undefined);
}

/**
 * The content of a message that repeats a reply to its own provider. `calls` are the parts of its calls. If the calls were found in the
 * text, the order of the parts is lost. Then the parts that are no texts come first, because providers want their reasoning at the start.
 */
export function echoed({ text, extras }: Reply, calls: readonly ContentPart[]): readonly ContentPart[] {
  const parts = partsIn(extras);
  const length = parts.reduce((sum, part) => sum + (part.type === "text" ? part.length : 0), 0);
  const isInOrder = length === text.length && parts.filter(({ type }) => type === "call").length === calls.length;
  if (!isInOrder) return [...verbatim(parts), ...textParts(text), ...calls];
  let at = 0;
  let next = 0;
  return parts.flatMap((part): readonly ContentPart[] => {
    if (part.type === "verbatim") return verbatim([part]);
    if (part.type === "call") return calls.slice(next, (next += 1));
    const { length: characters, type: _type, ...options } = part;
    const words = text.slice(at, at + characters);
    at += characters;
    return words === "" ? [] : [{ type: "text", text: words, ...options }];
  });
}

/** A text as content. No part for an empty text, because servers refuse it. */
export function textParts(text: string): readonly ContentPart[] {
  return text === "" ? [] : [{ type: "text", text }];
}

function partsIn(extras: JsonObject | undefined): readonly EchoPart[] {
  const kept: unknown = extras?.[echoKey];
  return Array.isArray(kept) ? (kept as readonly unknown[]).filter(isEchoPart) : [];
}

function isEchoPart(value: unknown): value is EchoPart {
  if (!isPlainObject(value)) return false;
  const { type, length, part } = value;
  return type === "call" || (type === "text" && typeof length === "number") || (type === "verbatim" && isPart(part));
}

function isPart(value: unknown): value is ContentPart {
  return isPlainObject(value) && typeof value["type"] === "string";
}

function verbatim(parts: readonly EchoPart[]): readonly ContentPart[] {
  return parts.flatMap((part) => (part.type === "verbatim" && isPart(part.part) ? [part.part] : []));
}
