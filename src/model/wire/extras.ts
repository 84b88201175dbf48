// What a provider put on a reply besides words and calls, by the API that takes it back.

import type { Json, JsonObject } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";

/** An item of the Responses API. */
export type Item = JsonObject;

/** The key that output items of the Responses API are kept under. */
const outputKey = "responses_output";

/**
 * The output items of a reply, as extras. `from` says which model at which address wrote them: encrypted reasoning can be
 * read by nobody else, and others refuse the whole request for it.
 */
export function outputExtras(from: string, items: readonly Item[]): JsonObject {
  return items.length === 0 ? {} : { [outputKey]: { from, items } };
}

/** The output items of a reply that `from` wrote over the Responses API; undefined for any other. */
export function outputItems(extras: JsonObject | undefined, from: string): readonly Item[] | undefined {
  const kept: unknown = extras?.[outputKey];
  if (!isPlainObject(kept) || kept["from"] !== from || !Array.isArray(kept["items"])) return undefined;
  const items = kept["items"] as readonly Json[];
  return items.every(isItem) ? items : undefined;
}

/**
 * What chat completions take back: everything but the output items. A session that began over the Responses API may go on
 * over chat completions, with another model or after the API turned out to be missing, and servers refuse keys that they
 * do not know.
 */
export function chatExtras(extras: JsonObject | undefined): JsonObject {
  const { [outputKey]: _items, ...rest } = extras ?? {};
  return rest;
}

/** True for what is an item as far as anything here looks. */
export function isItem(value: unknown): value is Item {
  return isPlainObject(value);
}
