// Assembles the calls of a streamed completion from their chunks.

import type { JsonObject, ModelEvent } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import type { ChatCallPiece, ChatFunctionPiece, Unread } from "./chat-shapes.js";

/** A call assembled from its chunks. */
export interface AccumulatedCall {
  readonly id: string;
  /** The type that the provider gave; `function` if it gave none. */
  readonly type: string;
  readonly name: string;
  readonly arguments: string;
  readonly extras: JsonObject;
}

interface OpenCall {
  /** The position among the calls of the reply, from 0. */
  readonly position: number;
  id: string;
  type: string;
  /** The index that the provider gave; undefined without one. It is only compared. */
  index: unknown;
  name: string;
  arguments: string[];
  extras: Record<string, unknown>;
}

/** A piece of a call. Some servers put name and arguments on the call itself, without `function`, or have another name for arguments. */
type Piece = Unread<ChatCallPiece & ChatFunctionPiece & { readonly parameters: unknown }>;

/** Assembles the calls of one reply. */
export interface CallPieces {
  /** Takes a piece of a call; with `isWhole`, a whole call. */
  add(piece: Piece, isWhole: boolean): readonly ModelEvent[];
  /** Takes a piece of the single call of the older form of the API, `function_call`. */
  addLegacy(piece: Piece): readonly ModelEvent[];
  /** The calls in the order they began, without duplicates. */
  all(): readonly AccumulatedCall[];
}

/** Makes an assembler without calls. */
export function callPieces(): CallPieces {
  const calls: OpenCall[] = [];
  // The latest call of each id and of each index: a reply may have thousands of calls.
  const byId = new Map<string, OpenCall>();
  const byIndex = new Map<unknown, OpenCall>();
  let legacy: OpenCall | undefined;

  function open(id: string, index: unknown): OpenCall {
    const opened = { position: calls.length, id, type: "function", index, name: "", arguments: [], extras: {} };
    calls.push(opened);
    byId.set(id, opened);
    byIndex.set(index, opened);
    return opened;
  }

  /** The call that a piece belongs to: by id, else by index, else the latest. A new id at a known index opens a new call. */
  function find(id: string, index: unknown): OpenCall {
    const known = id === "" ? undefined : byId.get(id);
    if (known !== undefined && (index === undefined || known.index === index)) return known;
    const latest = index === undefined ? calls.at(-1) : byIndex.get(index);
    if (latest === undefined || (id !== "" && latest.id !== "")) return open(id, index);
    if (id !== "") {
      latest.id = id;
      byId.set(id, latest);
    }
    return latest;
  }

  /** Adds the name and the arguments of a piece to the call. */
  function fill(call: OpenCall, { name, arguments: args, parameters }: Piece): readonly ModelEvent[] {
    if (typeof name === "string" && name !== call.name) call.name += name;
    const given = args ?? parameters;
    const written = typeof given === "string" ? given : isPlainObject(given) ? JSON.stringify(given) : "";
    if (written === "") return [];
    call.arguments.push(written);
    return [{ type: "call-delta", index: call.position, name: call.name, text: written }];
  }

  return {
    add(piece, isWhole) {
      const { id, index, type, function: fn, name, arguments: args, ...rest } = piece;
      const given = typeof id === "number" ? String(id) : typeof id === "string" ? id : "";
      const givenIndex = index ?? undefined;
      const call = isWhole ? open(given, givenIndex) : find(given, givenIndex);
      if (typeof type === "string" && type !== "") call.type = type;
      for (const [key, value] of Object.entries(rest)) merge(call.extras, key, value);
      return fill(call, isPlainObject(fn) ? fn : { name, arguments: args });
    },
    addLegacy(piece) {
      legacy ??= open("", "function_call");
      return fill(legacy, piece);
    },
    all() {
      const written = calls.map((call) => ({ ...call, arguments: call.arguments.join("") }));
      /** The calls that came with each id. */
      const withId = new Map<string, (typeof written)[number][]>();
      const isNew = (call: (typeof written)[number]): boolean => {
        const { position, id, name, arguments: args } = call;
        if (position === legacy?.position) {
          // Some servers put an empty call on replies without calls.
          if (name === "" && args === "") return false;
          // Some servers send the same call in both forms.
          return !written.some(
            (other) => other.position !== position && other.name === name && other.arguments === args,
          );
        }
        if (id === "") return true;
        const earlier = withId.get(id) ?? [];
        if (earlier.some((other) => other.name === name && other.arguments === args)) return false;
        earlier.push(call);
        withId.set(id, earlier);
        return true;
      };
      return written.filter(isNew).map(({ index: _index, position: _position, ...call }) => ({
        ...call,
        extras: call.extras as JsonObject,
      }));
    },
  };
}

/** Keys whose strings are text that arrives in pieces. Any other string is a value: a channel, a signature. */
const growingText = /^(?:reasoning|thinking)/;

/** Merges a value into an object: lists and the text of reasoning are appended to, any other value is replaced. */
export function merge(into: Record<string, unknown>, key: string, value: unknown): void {
  const before = into[key];
  if (typeof before === "string" && typeof value === "string" && growingText.test(key)) into[key] = before + value;
  else if (Array.isArray(before) && Array.isArray(value)) before.push(...(value as unknown[]));
  else into[key] = Array.isArray(value) ? [...(value as unknown[])] : value;
}
