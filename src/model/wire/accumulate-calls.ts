// Assembles the calls of a streamed completion from their chunks.

import type { JsonObject, ModelEvent } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import { ArgumentPieces } from "./argument-pieces.js";
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
  readonly index: unknown;
  name: string;
  readonly arguments: ArgumentPieces;
  /** The call before, if this call began with no more than its name: without arguments of its own it only repeats that call. */
  readonly before: OpenCall | undefined;
  extras: Record<string, unknown>;
}

/** A piece of a call. Some servers put name and arguments on the call itself, without `function`, or have another name for arguments. */
type Piece = Unread<ChatCallPiece & ChatFunctionPiece & { readonly parameters: unknown }>;

/** Assembles the calls of one reply. */
export interface CallPieces {
  /** Takes the pieces of calls in one chunk. */
  add(pieces: readonly Piece[]): readonly ModelEvent[];
  /** Takes the whole calls of a message. If pieces of the calls came before, only the rest is taken. */
  addWhole(calls: readonly Piece[]): readonly ModelEvent[];
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

  function open(id: string, index: unknown, before?: OpenCall): OpenCall {
    const position = calls.length;
    const begun = { position, id, type: "function", index, name: "", before, extras: {} };
    const opened: OpenCall = { ...begun, arguments: new ArgumentPieces() };
    calls.push(opened);
    byId.set(id, opened);
    byIndex.set(index, opened);
    return opened;
  }

  /**
   * The call that a piece may belong to: by id and index, else by one of them, else the latest. A piece without a name belongs to a call
   * that has begun, whatever its id and its index: some servers count both up with each piece.
   */
  function candidateFor(piece: Read): OpenCall | undefined {
    const { id, index, name } = piece;
    const known = id === "" ? undefined : byId.get(id);
    if (index === undefined) return known ?? calls.at(-1);
    const atIndex = byIndex.get(index);
    if (known !== undefined && known !== atIndex && atIndex?.id !== id) {
      if (known.index === index || name === "" || isUnfinished(known, name)) return known;
    }
    if (atIndex !== undefined || name !== "") return atIndex;
    const latest = calls.at(-1);
    return latest !== undefined && isUnfinished(latest, name) ? latest : undefined;
  }

  function find(piece: Read): OpenCall {
    const { id, index } = piece;
    const known = candidateFor(piece);
    if (known === undefined) return open(id, index);
    if (isAnother(known, piece)) return open(id, index, isOnlyName(known, piece) ? known : undefined);
    if (id !== "" && !byId.has(id)) byId.set(id, known);
    if (known.id === "") known.id = id;
    return known;
  }

  function take(piece: Read): readonly ModelEvent[] {
    return fill(find(piece), piece);
  }

  function fill(call: OpenCall, { type, name, written, extras }: Read): readonly ModelEvent[] {
    if (type !== "") call.type = type;
    for (const key in extras) merge(call.extras, key, extras[key]);
    if (name !== call.name) call.name += name;
    if (written === "" || call.arguments.isRepeatedBy(written)) return [];
    call.arguments.add(written);
    return [{ type: "call-delta", index: call.position, name: call.name, text: written }];
  }

  return {
    add(pieces) {
      const [only] = pieces;
      if (only !== undefined && pieces.length === 1) return take(readPiece(only));
      // Calls without an index that stand side by side are told apart by their places.
      return pieces.flatMap((given, place) => {
        const piece = readPiece(given);
        const isPlaced = piece.index === undefined && (piece.name !== "" || byIndex.has(place));
        return take(isPlaced ? { ...piece, index: place } : piece);
      });
    },
    addWhole(whole) {
      const streamed = [...calls];
      return whole.flatMap((given, place) => {
        const read = readPiece(given);
        const known = streamed[place];
        if (known === undefined) return fill(open(read.id, read.index), read);
        const before = known.arguments.text();
        const isLonger = known.name === read.name && !known.arguments.isWhole() && read.written.startsWith(before);
        return isLonger ? fill(known, { ...read, name: "", written: read.written.slice(before.length) }) : [];
      });
    },
    addLegacy(piece) {
      legacy ??= open("", "function_call");
      return fill(legacy, { ...readPiece(piece), extras: {} });
    },
    all() {
      const written = calls
        .map((call) => ({ ...call, arguments: call.arguments.text() }))
        .filter(({ before, arguments: args }) => before === undefined || !isRepeat(before, args));
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
      return written.filter(isNew).map(({ id, type, name, arguments: args, extras }) => ({
        ...{ id, type, name, arguments: args },
        extras: extras as JsonObject,
      }));
    },
  };
}

/** A piece of a call, with the keys that servers put elsewhere. A text is empty if the piece does not have it. */
interface Read {
  readonly id: string;
  readonly index: unknown;
  readonly type: string;
  readonly name: string;
  /** The piece of the arguments, as text. */
  readonly written: string;
  readonly extras: Readonly<Record<string, unknown>>;
}

function readPiece({ id, index, type, function: fn, name: ownName, arguments: ownArguments, ...extras }: Piece): Read {
  const {
    name,
    arguments: args,
    parameters,
  }: Piece = isPlainObject(fn) ? fn : { name: ownName, arguments: ownArguments };
  const given = args ?? parameters;
  return {
    id: typeof id === "number" ? String(id) : typeof id === "string" ? id : "",
    index: index ?? undefined,
    type: typeof type === "string" ? type : "",
    name: typeof name === "string" ? name : "",
    written: typeof given === "string" ? given : isPlainObject(given) ? JSON.stringify(given) : "",
    extras,
  };
}

/** True for a call whose arguments are not whole, if a piece with this name can go on with it. */
function isUnfinished(call: OpenCall, name: string): boolean {
  return (name === "" || name === call.name) && !call.arguments.isWhole();
}

/**
 * True if a piece begins another call than the call that its id or its index leads to. Ids decide if both have one, unless the id changes
 * within a call. Without ids a call ends when its arguments are whole; a piece that repeats them begins no other call.
 */
function isAnother(known: OpenCall, { id, index, name, written }: Read): boolean {
  if (name === "") return false;
  const isSameName = name === known.name;
  if (id !== "" && known.id !== "" && id !== known.id)
    return index === undefined || !isSameName || known.arguments.isWhole();
  if (!isSameName) return known.arguments.hasText;
  if ((id !== "" && id === known.id) || !known.arguments.isWhole()) return false;
  // An empty object may hold the place of the arguments that follow.
  return written.trim() === "" || !(known.arguments.isEmpty() || known.arguments.isRepeatedBy(written));
}

/** True if a piece has only the name that a call has already. Either a call of the same tool begins, or the server repeats the name. */
function isOnlyName(known: OpenCall, { id, name, written }: Read): boolean {
  return id === "" && name === known.name && written.trim() === "";
}

/** True for arguments that add nothing to the call before. */
function isRepeat(before: OpenCall, written: string): boolean {
  return written.trim() === "" || before.arguments.isRepeatedBy(written);
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
