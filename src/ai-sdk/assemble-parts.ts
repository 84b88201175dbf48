// Assembles the parts of a stream of the AI SDK into one reply.

import { LastcallError, type Json, type JsonObject, type ModelEvent } from "../core/index.js";
import { canonical, isPlainObject } from "../core/internal.js";
import { isEmptyArguments, servedBy, type RawCall, type RawReply } from "../model/carriers.js";
import { jsonOf } from "./ai-sdk-model.js";
import { callExtras, echoExtras, type EchoPart } from "./echo.js";
import { brokenOff, endOf, endWithoutCalls, usageOf } from "./finish-part.js";
import { streamError } from "./ai-sdk-faults.js";

type Part = Readonly<Record<string, unknown>>;

/** A text, a piece of reasoning, a call, or any other part that the provider wants back. */
type Item =
  | { readonly kind: "text" | "reasoning"; readonly pieces: string[]; metadata: unknown }
  | OpenCall
  | { readonly kind: "other"; readonly part: JsonObject };

interface OpenCall {
  readonly kind: "call";
  readonly id: string;
  readonly name: string;
  /** The position among the calls of the reply, from 0. */
  readonly position: number;
  /** The arguments as far as they arrived. */
  pieces: string[];
  metadata: unknown;
}

/** The longest reply that is read, in characters. */
const maxCharacters = 64 * 1024 * 1024;

/** Assembles one reply. */
export interface Assembly {
  /** Takes a part. Returns the events for watchers. @throws StreamError if the part is an error. */
  add(part: unknown): readonly ModelEvent[];
  /**
   * The whole reply. `from` is the model and the provider that wrote it.
   * @throws LastcallError `provider_unavailable` if no finish reason shows that the reply is complete.
   */
  end(from: string): RawReply;
}

/**
 * Makes an assembly without parts, for a reply of this provider. `own` are the names of the tools that were sent. The provider itself may
 * run a call of another name. Only the whole call says so, and watchers see nothing of such a call before.
 */
export function assembly(provider: string, own: ReadonlySet<string>): Assembly {
  const items: Item[] = [];
  /** The latest text or reasoning of each id. */
  const texts = new Map<string, Extract<Item, { kind: "text" | "reasoning" }>>();
  const calls: OpenCall[] = [];
  /** The calls of each id that are not whole. Some servers give several calls one id. */
  const open = new Map<string, OpenCall[]>();
  /** The beginnings of calls of other names, until their whole calls say whose they are. */
  let held: Held[] = [];
  let finish: Part | undefined;
  let served: RawReply["served"];
  let characters = 0;

  function grow(pieces: string[], text: string): void {
    characters += text.length;
    if (characters > maxCharacters)
      throw new LastcallError(
        "provider_rejected",
        `The provider ${provider} sent more than 64 Mi characters for one reply.`,
      );
    pieces.push(text);
  }

  function openText(kind: "text" | "reasoning", { id, providerMetadata }: Part): Extract<Item, { kind: typeof kind }> {
    const item = { kind, pieces: [], metadata: providerMetadata };
    items.push(item);
    texts.set(`${kind} ${idOf(id)}`, item);
    return item;
  }

  function growText(kind: "text" | "reasoning", part: Part): readonly ModelEvent[] {
    const { delta, providerMetadata } = part;
    const item = texts.get(`${kind} ${idOf(part["id"])}`) ?? openText(kind, part);
    item.metadata = providerMetadata ?? item.metadata;
    if (typeof delta !== "string" || delta === "") return [];
    grow(item.pieces, delta);
    return [{ type: `${kind}-delta`, text: delta }];
  }

  function newCall(id: string, { toolName, providerMetadata: metadata }: Part): OpenCall {
    const call: OpenCall = {
      kind: "call",
      id,
      name: nameOf({ toolName }),
      position: calls.length,
      pieces: [],
      metadata,
    };
    items.push(call);
    calls.push(call);
    return call;
  }

  function growCall(call: OpenCall | undefined, text: unknown): readonly ModelEvent[] {
    if (call === undefined || typeof text !== "string" || text === "") return [];
    grow(call.pieces, text);
    return [{ type: "call-delta", index: call.position, name: call.name, text }];
  }

  function begin(part: Part): void {
    const id = idOf(part["id"]);
    if (!own.has(nameOf(part))) held.push({ id, part, pieces: [] });
    else open.set(id, [...(open.get(id) ?? []), newCall(id, part)]);
  }

  function growArguments(id: string, text: unknown): readonly ModelEvent[] {
    const beginning = held.findLast((one) => one.id === id);
    if (beginning === undefined) return growCall(open.get(id)?.at(-1), text);
    if (typeof text === "string") grow(beginning.pieces, text);
    return [];
  }

  /** The provider has run the call: its beginning did not begin a call that we run. */
  function executed(part: Part): readonly ModelEvent[] {
    const call = open.get(idOf(part["toolCallId"]))?.shift();
    if (call !== undefined) {
      items.splice(items.indexOf(call), 1);
      calls.splice(calls.indexOf(call), 1);
    }
    return keep(executedCall(part));
  }

  /** Takes the whole arguments of a call, and shows the part that was not shown yet. */
  function wholeCall(part: Part): readonly ModelEvent[] {
    const { input, providerMetadata } = part;
    const id = idOf(part["toolCallId"]);
    const call = open.get(id)?.shift() ?? newCall(id, part);
    call.metadata = providerMetadata ?? call.metadata;
    const before = call.pieces.join("");
    const whole = typeof input === "string" ? input : textOf(jsonOf(input), before);
    // Some servers end a call whose arguments streamed in with an empty item.
    if (isEmptyArguments(whole) && before.trim() !== "") return [];
    if (whole.startsWith(before)) return growCall(call, whole.slice(before.length));
    call.pieces = [whole];
    return [];
  }

  function keep(part: JsonObject): readonly ModelEvent[] {
    items.push({ kind: "other", part });
    return [];
  }

  function add(part: Part): readonly ModelEvent[] {
    const { type, id } = part;
    switch (type) {
      case "text-start":
      case "reasoning-start":
        openText(type === "text-start" ? "text" : "reasoning", part);
        return [];
      case "text-delta":
      case "text-end":
        return growText("text", part);
      case "reasoning-delta":
      case "reasoning-end":
        return growText("reasoning", part);
      case "tool-input-start":
        if (part["providerExecuted"] !== true) begin(part);
        return [];
      case "tool-input-delta":
        return growArguments(idOf(id), part["delta"]);
      case "tool-call": {
        const beginning = held.find((one) => one.id === idOf(part["toolCallId"]));
        held = held.filter((one) => one !== beginning);
        return part["providerExecuted"] === true ? executed(part) : wholeCall(part);
      }
      case "tool-result":
        return part["preliminary"] === true ? [] : keep(executedResult(part));
      case "tool-approval-request":
        throw new LastcallError(
          "provider_rejected",
          `${provider} asks for an approval of a tool that it runs itself, which nobody here can give. Turn its approvals off, or leave that tool out.`,
        );
      case "custom":
      case "file":
      case "reasoning-file":
        return keep(verbatimPart(part));
      case "response-metadata":
        served = { ...served, ...servedBy({ model: part["modelId"], id }).served };
        return [];
      case "finish":
        finish = part;
        return [];
      case "error":
        throw streamError(part["error"]);
      default:
        return [];
    }
  }

  return {
    add: (part) => (isPlainObject(part) ? add(part) : []),
    end(from) {
      if (finish === undefined) throw brokenOff(provider, "ended without a finish reason");
      for (const { id, part, pieces } of held) newCall(id, part).pieces = pieces;
      held = [];
      return {
        text: items.map((item) => (item.kind === "text" ? item.pieces.join("") : "")).join(""),
        refusal: "",
        ...servedBy(served ?? {}),
        calls: calls.map(rawCall),
        ...(items.some(({ kind }) => kind === "call" || kind === "other")
          ? endOf(finish["finishReason"], provider)
          : endWithoutCalls(finish["finishReason"], provider)),
        usage: usageOf(finish["usage"]),
        extras: echoExtras(items.flatMap(echoOf)),
        from,
      };
    },
  };
}

/** The beginning of a call that may be the provider's own. */
interface Held {
  readonly id: string;
  readonly part: Part;
  /** The arguments as far as they arrived. */
  readonly pieces: string[];
}

function nameOf({ toolName }: Part): string {
  return typeof toolName === "string" ? toolName : "";
}

function idOf(id: unknown): string {
  return typeof id === "string" ? id : "";
}

function rawCall({ id, name, pieces, metadata }: OpenCall): RawCall {
  return {
    id,
    name,
    arguments: pieces.join(""),
    extras: callExtras(metadata === undefined ? undefined : jsonOf(metadata)),
  };
}

/** The part of the echo that an item becomes; none for reasoning that has neither text nor options. */
function echoOf(item: Item): readonly EchoPart[] {
  if (item.kind === "call") return [{ type: "call" }];
  if (item.kind === "other") return [{ type: "verbatim", part: item.part }];
  const text = item.pieces.join("");
  const options = withOptions(item.metadata);
  if (item.kind === "text") return [{ type: "text", length: text.length, ...options }];
  if (text === "" && item.metadata === undefined) return [];
  return [{ type: "verbatim", part: { type: "reasoning", text, ...options } }];
}

/** The metadata that the provider put on a part, as the options that the provider wants to read. */
function withOptions(metadata: unknown): { readonly providerOptions?: Json } {
  return metadata === undefined ? {} : { providerOptions: jsonOf(metadata) };
}

/** A call of a tool that the provider ran itself. It is history, not a call to run. */
function executedCall({ toolCallId, toolName, input, providerMetadata }: Part): JsonObject {
  const read = typeof input === "string" ? parsed(input) : jsonOf(input);
  const named = { toolCallId: jsonOf(toolCallId), toolName: jsonOf(toolName) };
  return { type: "tool-call", ...named, input: read, providerExecuted: true, ...withOptions(providerMetadata) };
}

function executedResult({ toolCallId, toolName, result, isError, providerMetadata }: Part): JsonObject {
  const output = { type: isError === true ? "error-json" : "json", value: jsonOf(result) };
  const named = { toolCallId: jsonOf(toolCallId), toolName: jsonOf(toolName) };
  return { type: "tool-result", ...named, output, ...withOptions(providerMetadata) };
}

function verbatimPart({ providerMetadata, ...part }: Part): JsonObject {
  return { ...(jsonOf(part) as JsonObject), ...withOptions(providerMetadata) };
}

/** The JSON text of arguments that were parsed on the way. The text that arrived before is kept if it says the same: it has all digits. */
function textOf(input: Json, before: string): string {
  return before !== "" && canonical(parsed(before)) === canonical(input) ? before : JSON.stringify(input);
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
