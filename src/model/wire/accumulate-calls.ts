// The calls of a streamed completion, put together from their pieces.

import type { JsonObject, ModelEvent } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";

/** A call as it was put together from its pieces. */
export interface AccumulatedCall {
  readonly id: string;
  /** What the provider says it is: `function` where it says nothing. */
  readonly type: string;
  readonly name: string;
  readonly arguments: string;
  readonly extras: JsonObject;
}

interface OpenCall {
  /** Its place in the reply, from 0. */
  readonly place: number;
  id: string;
  type: string;
  /** What the provider numbered it with, if anything. Only ever compared. */
  index: unknown;
  name: string;
  arguments: string[];
  extras: Record<string, unknown>;
}

type Piece = Readonly<Record<string, unknown>>;

/** Puts calls together. */
export interface CallPieces {
  /** Takes a piece of a call, or a whole one. */
  add(piece: Piece, isWhole: boolean): readonly ModelEvent[];
  /** Takes a piece of the one call of the API's first form, `function_call`. */
  addLegacy(piece: Piece): readonly ModelEvent[];
  /** The calls in the order they began, each once. */
  all(): readonly AccumulatedCall[];
}

/** Starts with no calls. */
export function callPieces(): CallPieces {
  const calls: OpenCall[] = [];
  let legacy: OpenCall | undefined;

  function open(id: string, index: unknown): OpenCall {
    const opened = { place: calls.length, id, type: "function", index, name: "", arguments: [], extras: {} };
    calls.push(opened);
    return opened;
  }

  /** The call a piece belongs to: by id, then by index, then the latest; a new id at an old index is a new call. */
  function find(id: string, index: unknown): OpenCall {
    const known = id === "" ? undefined : calls.findLast((call) => call.id === id);
    if (known !== undefined && (index === undefined || known.index === index)) return known;
    const latest = index === undefined ? calls.at(-1) : calls.findLast((call) => call.index === index);
    if (latest === undefined || (id !== "" && latest.id !== "")) return open(id, index);
    if (id !== "") latest.id = id;
    return latest;
  }

  /** Adds the name and the arguments that a piece has. */
  function fill(call: OpenCall, { name, arguments: args, parameters }: Piece): readonly ModelEvent[] {
    if (typeof name === "string" && name !== call.name) call.name += name;
    const given = args ?? parameters;
    const written = typeof given === "string" ? given : isPlainObject(given) ? JSON.stringify(given) : "";
    if (written === "") return [];
    call.arguments.push(written);
    return [{ type: "call-delta", index: call.place, name: call.name, text: written }];
  }

  return {
    add(piece, isWhole) {
      const { id, index, type, function: fn, name, arguments: args, ...rest } = piece;
      const given = typeof id === "number" ? String(id) : typeof id === "string" ? id : "";
      const place = index ?? undefined;
      const call = isWhole ? open(given, place) : find(given, place);
      if (typeof type === "string" && type !== "") call.type = type;
      for (const [key, value] of Object.entries(rest)) merge(call.extras, key, value);
      // Some servers have name and arguments where the function should be.
      return fill(call, isPlainObject(fn) ? fn : { name, arguments: args });
    },
    addLegacy(piece) {
      legacy ??= open("", "function_call");
      return fill(legacy, piece);
    },
    all() {
      const written = calls.map((call) => ({ ...call, arguments: call.arguments.join("") }));
      const seen = new Set<string>();
      const isNew = ({ place, id, name, arguments: args }: (typeof written)[number]): boolean => {
        if (place === legacy?.place) {
          // Some servers send the one call in both forms.
          return !written.some((other) => other.place !== place && other.name === name && other.arguments === args);
        }
        const key = JSON.stringify([id, name, args]);
        const isRepeated = id !== "" && seen.has(key);
        seen.add(key);
        return !isRepeated;
      };
      return written.filter(isNew).map(({ index: _index, place: _place, ...call }) => ({
        ...call,
        extras: call.extras as JsonObject,
      }));
    },
  };
}

/** Texts and lists grow; anything else is replaced. */
export function merge(into: Record<string, unknown>, key: string, value: unknown): void {
  const before = into[key];
  if (typeof before === "string" && typeof value === "string") into[key] = before + value;
  else if (Array.isArray(before) && Array.isArray(value)) before.push(...(value as unknown[]));
  else into[key] = Array.isArray(value) ? [...(value as unknown[])] : value;
}
