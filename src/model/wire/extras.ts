// Extra keys of a reply besides text and calls, sorted by the API that takes them back.

import type { Json, JsonObject } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";

/** An item of the Responses API. */
export type Item = JsonObject;

/** The key of the extras that stores the output items of the Responses API. */
const outputKey = "responses_output";

/**
 * Stores the output items of a reply as extras. `from` names the model and the address that wrote them: no other model can
 * read their encrypted reasoning, and others refuse the whole request because of it.
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

/**
 * The extras for chat completions: all but the output items. A session that began over the Responses API may continue over
 * chat completions, with another model or because the server lacks that API. Servers refuse keys that they do not know.
 */
export function chatExtras(extras: JsonObject | undefined): JsonObject {
  const { [outputKey]: _items, ...rest } = extras ?? {};
  return rest;
}

/** True for a plain object. The code here requires nothing else of an item. */
export function isItem(value: unknown): value is Item {
  return isPlainObject(value);
}
