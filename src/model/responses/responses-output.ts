// The output of a streamed response: items put together from their events, in their order, whatever is missing or twice.

import type { ModelEvent } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import { isItem, type Item } from "../wire/extras.js";
import { isCall } from "./responses-items.js";

/** An event of the stream, or the item in it. */
type Event = Readonly<Record<string, unknown>>;

interface OpenItem {
  item: Item;
  readonly index: number;
  /** True once the item came whole. */
  isDone: boolean;
  /** Its place among the calls, once that is known. */
  place: number | undefined;
  /** The words of a message, or the arguments of a call. */
  text: string[];
  readonly refusal: string[];
}

/** Puts the items together. Each method returns what watchers may see of what it took. */
export interface OutputItems {
  /** `response.output_item.added`, and with `isDone` `response.output_item.done`. */
  item(event: Event, isDone: boolean): readonly ModelEvent[];
  /** A piece of the words or of the arguments. */
  delta(event: Event): readonly ModelEvent[];
  /** A piece of a refusal; watchers see nothing of it. */
  refusal(event: Event): void;
  /** The arguments of a call, whole. */
  whole(event: Event): readonly ModelEvent[];
  /** The output in the response that ended the stream: the truth where items are missing; some servers leave it empty. */
  end(output: readonly Item[]): readonly ModelEvent[];
  /** The items in order. */
  all(): readonly Item[];
}

/** Starts with no items. */
export function outputOf(): OutputItems {
  const opened: OpenItem[] = [];
  let last: readonly Item[] = [];
  /** Every item with a smaller index is open, so the places of calls among them are settled. */
  let settled = 0;
  let calls = 0;

  function open(item: Item, index: number): OpenItem {
    const fresh = { item, index, isDone: false, place: undefined, text: [], refusal: [] };
    opened.push(fresh);
    return fresh;
  }

  /** By the index: some servers change the id from event to event. Where there is none by the id, else the latest. */
  function find({ output_index: index, item_id: id, item }: Event): OpenItem | undefined {
    if (typeof index === "number") return opened.findLast((known) => known.index === index);
    const wanted = id ?? (isPlainObject(item) ? item["id"] : undefined);
    const waiting = opened.filter(({ isDone }) => !isDone);
    return waiting.findLast((known) => known.item["id"] === wanted) ?? waiting.at(-1);
  }

  /** The item that this one is once more: an event may come twice. An index or an id alone says nothing, some servers have but one. */
  function again({ id, call_id: callId }: Item, index: number): OpenItem | undefined {
    if (id === undefined) return undefined;
    return opened.find(({ item, index: at }) => at === index && item["id"] === id && item["call_id"] === callId);
  }

  /** Gives places to the calls that every item before is open of; `isEnd`: to all. Shows what came before they had one. */
  function place(isEnd: boolean): readonly ModelEvent[] {
    while (opened.some(({ index }) => index === settled)) settled += 1;
    const waiting = inOrder(opened).filter(({ item, place, index }) => {
      return isCall(item) && place === undefined && (isEnd || index < settled);
    });
    return waiting.flatMap((call) => {
      call.place = calls;
      calls += 1;
      return show(call, call.text.join(""));
    });
  }

  function grow(known: OpenItem, piece: string): readonly ModelEvent[] {
    known.text.push(piece);
    return show(known, piece);
  }

  /** Takes a whole text and shows what of it was not shown yet. */
  function settle(known: OpenItem, text: string): readonly ModelEvent[] {
    const before = known.text.join("");
    known.text = [text];
    return text.startsWith(before) ? show(known, text.slice(before.length)) : [];
  }

  function finish(known: OpenItem, item: Item): readonly ModelEvent[] {
    known.item = item;
    known.isDone = true;
    return [...place(false), ...settle(known, isCall(item) ? argumentsOf(item) : textOf(item))];
  }

  return {
    item(event, isDone) {
      const { item, output_index: index } = event;
      if (!isItem(item)) return [];
      const known = isDone ? find(event) : again(item, typeof index === "number" ? index : opened.length - 1);
      const at = known ?? open(item, typeof index === "number" ? index : opened.length);
      // What an item has of a text when it is added comes once more in its pieces.
      return isDone ? finish(at, item) : place(false);
    },
    delta(event) {
      const known = find(event);
      return known !== undefined && typeof event["delta"] === "string" ? grow(known, event["delta"]) : [];
    },
    refusal(event) {
      if (typeof event["delta"] === "string") find(event)?.refusal.push(event["delta"]);
    },
    whole(event) {
      const known = find(event);
      const { arguments: text } = event;
      return known !== undefined && typeof text === "string" && text !== "" ? settle(known, text) : [];
    },
    end(output) {
      const isMissing = output.length > opened.length || opened.some(({ isDone }) => !isDone);
      const isWhole = isMissing && output.length >= opened.length;
      if (isWhole) last = output;
      const rest = isWhole
        ? output.map(
            (item, index) => [opened.find((known) => known.index === index) ?? open(item, index), item] as const,
          )
        : [];
      return [...rest.flatMap(([known, item]) => finish(known, item)), ...place(true)];
    },
    all: () => (last.length > 0 ? last : inOrder(opened).map(put)),
  };
}

function inOrder(items: readonly OpenItem[]): readonly OpenItem[] {
  return [...items].sort((one, other) => one.index - other.index);
}

function show({ item, place }: OpenItem, text: string): readonly ModelEvent[] {
  if (text === "") return [];
  if (item["type"] === "message") return [{ type: "text-delta", text }];
  const name = typeof item["name"] === "string" ? item["name"] : "";
  return isCall(item) && place !== undefined ? [{ type: "call-delta", index: place, name, text }] : [];
}

/** An item as it is; one that never came whole as far as its pieces go. */
function put({ item, isDone, text, refusal }: OpenItem): Item {
  if (isDone) return item;
  if (isCall(item)) return { ...item, arguments: text.join("") || argumentsOf(item) };
  if (item["type"] !== "message") return item;
  const parts = [
    ...(text.length > 0 ? [{ type: "output_text", text: text.join(""), annotations: [] }] : []),
    ...(refusal.length > 0 ? [{ type: "refusal", refusal: refusal.join("") }] : []),
  ];
  return { ...item, content: parts };
}

/** The arguments of a call as text. */
export function argumentsOf({ arguments: given }: Item): string {
  return typeof given === "string" ? given : isPlainObject(given) ? JSON.stringify(given) : "";
}

/** The words of a message; with `refusal` those by which it refuses. */
export function textOf({ type, content }: Item, kind: "text" | "refusal" = "text"): string {
  if (type !== "message" || !Array.isArray(content)) return "";
  const parts = (content as readonly unknown[]).filter(isPlainObject);
  return parts.map((part) => (typeof part[kind] === "string" ? part[kind] : "")).join("");
}
