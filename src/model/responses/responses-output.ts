// Assembles the output items of a streamed response in order, even if events are missing or come twice.

import type { ModelEvent } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import { isItem, type Item } from "../wire/extras.js";
import { isEmptyArguments } from "../wire/argument-pieces.js";
import { isCall } from "./responses-items.js";
import type { UnreadEvent as Event } from "./responses-shapes.js";

interface OpenItem {
  item: Item;
  /** The place in the output. */
  index: number;
  /** True once the whole item has arrived. */
  isDone: boolean;
  /** The position among the calls; undefined until it is known. */
  position: number | undefined;
  /** The text of a message, or the arguments of a call, in pieces. */
  text: string[];
  readonly refusal: string[];
}

/** Assembles the items of one response. The methods return the events for watchers. */
export interface OutputItems {
  /** Takes `response.output_item.added`; with `isDone`, `response.output_item.done`. */
  item(event: Event, isDone: boolean): readonly ModelEvent[];
  /** Takes a piece of a text or of arguments. */
  delta(event: Event): readonly ModelEvent[];
  /** Takes a piece of a refusal, which is not shown to watchers. */
  refusal(event: Event): void;
  /** Takes the whole arguments of a call. */
  whole(event: Event): readonly ModelEvent[];
  /** Takes the output of the response that ended the stream. It is used if items are missing; some servers leave it empty. */
  end(output: readonly Item[]): readonly ModelEvent[];
  /** The items in the order of the output. */
  all(): readonly Item[];
}

/** Makes an assembler without items. */
export function outputOf(): OutputItems {
  const opened: OpenItem[] = [];
  /** The items of each index. A reply may have thousands of items. */
  const byIndex = new Map<number, OpenItem[]>();
  /** The items that may be calls whose position is not known yet. */
  let unplaced: readonly OpenItem[] = [];
  /** All items with a smaller index have arrived, so the positions of the calls among them are known. */
  let firstMissing = 0;
  let calls = 0;

  function open(item: Item, index: number): OpenItem {
    const fresh = { item, index, isDone: false, position: undefined, text: [], refusal: [] };
    opened.push(fresh);
    const atIndex = byIndex.get(index);
    if (atIndex === undefined) byIndex.set(index, [fresh]);
    else atIndex.push(fresh);
    unplaced = [...unplaced, fresh];
    return fresh;
  }

  /** The item of an event: by index, because some servers change the id between events. Without an index by id, else the latest. */
  function find({ output_index: index, item_id: id, item }: Event): OpenItem | undefined {
    if (typeof index === "number") return byIndex.get(index)?.at(-1);
    const wanted = id ?? (isPlainObject(item) ? item["id"] : undefined);
    const waiting = opened.filter(({ isDone }) => !isDone);
    return waiting.findLast((known) => known.item["id"] === wanted) ?? waiting.at(-1);
  }

  /**
   * The known item that this item repeats: an event may come twice. Some servers give all items one index or one id, so both must match.
   */
  function findRepeated({ id, call_id: callId }: Item, index: number): OpenItem | undefined {
    if (id === undefined) return undefined;
    return byIndex.get(index)?.find(({ item }) => item["id"] === id && item["call_id"] === callId);
  }

  /**
   * Assigns positions to the calls whose earlier items have all arrived; at the end to all calls. Returns events for the
   * arguments that arrived before the position was known.
   */
  function assignPositions(isEnd: boolean): readonly ModelEvent[] {
    while (byIndex.has(firstMissing)) firstMissing += 1;
    const due = unplaced.filter(({ item, index }) => isCall(item) && (isEnd || index < firstMissing));
    unplaced = isEnd
      ? []
      : unplaced.filter(({ item, index, isDone }) => (isCall(item) ? index >= firstMissing : !isDone));
    return inOrder(due).flatMap((call) => {
      call.position = calls;
      calls += 1;
      return show(call, call.text.join(""));
    });
  }

  function grow(known: OpenItem, piece: string): readonly ModelEvent[] {
    known.text.push(piece);
    return show(known, piece);
  }

  /** Takes a whole text and shows the part that was not shown yet. */
  function settle(known: OpenItem, text: string): readonly ModelEvent[] {
    const before = known.text.join("");
    known.text = [text];
    return text.startsWith(before) ? show(known, text.slice(before.length)) : [];
  }

  /** Takes the whole item. If it is empty, what streamed in stays: some servers end items with an empty item. */
  function finish(known: OpenItem, given: Item): readonly ModelEvent[] {
    const isEmpty = isCall(given) ? isEmptyArguments(argumentsOf(given)) : isEmptyMessage(given);
    const item = isEmpty && hasText(known) ? assembled({ ...known, item: given, isDone: false }) : given;
    known.item = item;
    known.isDone = true;
    return [...assignPositions(false), ...settle(known, isCall(item) ? argumentsOf(item) : textOf(item))];
  }

  return {
    item(event, isDone) {
      const { item, output_index: index } = event;
      if (!isItem(item)) return [];
      const known = isDone ? find(event) : findRepeated(item, typeof index === "number" ? index : opened.length - 1);
      const at = known ?? open(item, typeof index === "number" ? index : opened.length);
      // Text in an added item is ignored, because it comes again in the deltas.
      return isDone ? finish(at, item) : assignPositions(false);
    },
    delta(event) {
      const known = find(event);
      return known !== undefined && typeof event.delta === "string" ? grow(known, event.delta) : [];
    },
    refusal(event) {
      if (typeof event.delta === "string") find(event)?.refusal.push(event.delta);
    },
    whole(event) {
      const known = find(event);
      const { arguments: text } = event;
      if (known === undefined || typeof text !== "string" || (isEmptyArguments(text) && hasText(known))) return [];
      return text === "" ? [] : settle(known, text);
    },
    end(output) {
      const isMissing = output.length > opened.length || opened.some(({ isDone }) => !isDone);
      const known = isMissing ? pairing(opened) : undefined;
      const events = output.flatMap((item, place) => {
        const streamed = known?.(item, byIndex.get(place)?.[0]);
        if (known === undefined || (streamed === undefined && isEmptyMessage(item))) return [];
        const paired = streamed ?? open(item, place);
        paired.index = place;
        return paired.isDone ? [] : finish(paired, item);
      });
      return [...events, ...assignPositions(true)];
    },
    all: () => inOrder(opened).map(assembled),
  };
}

/**
 * Pairs the items of the output with the items that streamed in, each once: by id, by call id, by the place, else by the beginning of its
 * text. An item without a pair is new. An item that streamed in and has no pair stays: some servers leave calls out of the output.
 */
function pairing(streamed: readonly OpenItem[]): (item: Item, atPlace: OpenItem | undefined) => OpenItem | undefined {
  const left = new Set(streamed);
  const byKey = new Map<string, OpenItem[]>();
  for (const known of streamed)
    for (const key of keysOf(known.item)) {
      const same = byKey.get(key);
      if (same === undefined) byKey.set(key, [known]);
      else same.push(known);
    }
  return (item, atPlace) => {
    const kind = kindOf(item);
    const isFree = (known: OpenItem): boolean => left.has(known) && kindOf(known.item) === kind;
    const text = isCall(item) ? argumentsOf(item) : textOf(item);
    const isBegun = (known: OpenItem): boolean => isEmptyArguments(text) || text.startsWith(known.text.join(""));
    const named = keysOf(item).flatMap((key) => (key === kind ? [] : (byKey.get(key)?.find(isFree) ?? [])));
    const placed = atPlace !== undefined && isFree(atPlace) ? atPlace : undefined;
    const found = named[0] ?? placed ?? byKey.get(kind)?.find((known) => isFree(known) && isBegun(known));
    if (found !== undefined) left.delete(found);
    return found;
  };
}

/** The keys by which an item may be found: its id and its call id, which may be missing, and its kind. */
function keysOf(item: Item): readonly string[] {
  const { id, call_id: callId } = item;
  return [
    ...(typeof id === "string" ? [`id ${id}`] : []),
    ...(typeof callId === "string" ? [`call ${callId}`] : []),
    kindOf(item),
  ];
}

function kindOf({ type, name }: Item): string {
  return `kind ${JSON.stringify([type, name])}`;
}

function isEmptyMessage(item: Item): boolean {
  return item["type"] === "message" && textOf(item) === "" && textOf(item, "refusal") === "";
}

function hasText({ text }: OpenItem): boolean {
  return text.some((piece) => piece.trim() !== "");
}

function inOrder(items: readonly OpenItem[]): readonly OpenItem[] {
  return [...items].sort((one, other) => one.index - other.index);
}

function show({ item, position }: OpenItem, text: string): readonly ModelEvent[] {
  if (text === "") return [];
  if (item["type"] === "message") return [{ type: "text-delta", text }];
  const name = typeof item["name"] === "string" ? item["name"] : "";
  return isCall(item) && position !== undefined ? [{ type: "call-delta", index: position, name, text }] : [];
}

/** The item if it arrived whole, else an item made of its pieces. */
function assembled({ item, isDone, text, refusal }: OpenItem): Item {
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

/** The text of a message; with `refusal`, the text by which it refuses. */
export function textOf({ type, content }: Item, kind: "text" | "refusal" = "text"): string {
  if (type !== "message" || !Array.isArray(content)) return "";
  const parts = (content as readonly unknown[]).filter(isPlainObject);
  return parts.map((part) => (typeof part[kind] === "string" ? part[kind] : "")).join("");
}
