// Extra keys of a reply besides text and calls, sorted by the API that takes them back.

import type { Json, JsonObject, Message, Reply } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import { thinkingKey } from "../read/thinking.js";

/** An item of the Responses API. */
export type Item = JsonObject;

/** The key of the extras that stores the output items of the Responses API. */
const outputKey = "responses_output";

/**
 * Stores the output items of a reply as extras. `from` names the model and the address that wrote them: no other model can
 * read their encrypted reasoning, and other models refuse the whole request because of that reasoning.
 */
export function outputExtras(from: string, items: readonly Item[]): JsonObject {
  return items.length === 0 ? {} : { [outputKey]: { from, items } };
}

/** The output items of a reply that `from` wrote over the Responses API; undefined for any other reply. */
export function outputItems(extras: JsonObject | undefined, from: string): readonly Item[] | undefined {
  const kept: unknown = extras?.[outputKey];
  if (!isPlainObject(kept) || kept["from"] !== from || !Array.isArray(kept["items"])) return undefined;
  const items = kept["items"] as readonly Json[];
  return items.every(isItem) ? items : undefined;
}

/** The extras of a message or of its calls that are sent back; undefined if none are. */
export type ExtrasOf = (reply: Reply, of: { readonly extras?: JsonObject }) => JsonObject | undefined;

/**
 * The extras for chat completions of the model that signs with `from`: the keys that it put on the reply itself. Servers refuse keys that
 * they do not know, and no model needs the reasoning of another. The output items of the Responses API are left out, because a session may
 * continue over chat completions if the server lacks that API, and so is the thinking that was found in the content. A reply of an older
 * version has no `from`; its extras are sent.
 */
export function extrasOf(from: string): ExtrasOf {
  return (reply, { extras }) => {
    if (extras === undefined || (reply.from !== undefined && reply.from !== from)) return undefined;
    const { [outputKey]: _items, [thinkingKey]: _thinking, ...rest } = extras;
    return rest;
  };
}

/** True if the provider refuses a request because of an extra key on an earlier reply or call: the error names that key. */
export function refusesExtras(thrown: unknown, messages: readonly Message[], from: string): boolean {
  const { status, message } = (thrown ?? {}) as { readonly status?: unknown; readonly message?: unknown };
  if ((status !== 400 && status !== 422) || typeof message !== "string") return false;
  const sent = extrasOf(from);
  return messages.some((each) => {
    if (each.role !== "assistant") return false;
    const { reply } = each;
    return [reply, ...reply.calls].some((of) =>
      Object.keys(sent(reply, of) ?? {}).some((key) => message.includes(key)),
    );
  });
}

/** True for a plain object. The code here requires nothing else of an item. */
export function isItem(value: unknown): value is Item {
  return isPlainObject(value);
}
