// The oracle over Responses API input: checks that the strictest server would accept it.

import { explain, isPlainObject } from "../../core/internal.js";
import { demand, show } from "./demand.js";

type Item = Readonly<Record<string, unknown>>;

/** The state after the items so far. */
interface Reading {
  /** Ids of the calls that still need a result. */
  owed: readonly string[];
  /** True after the first result, until all results of the reply are there. */
  isAnswering: boolean;
  /** True after reasoning: another item of the same reply must follow. */
  isReasoning: boolean;
  /** Ids of all calls so far. */
  readonly ids: Set<string>;
  /** Ids of all items so far. */
  readonly items: Set<unknown>;
}

/**
 * Checks the instructions and the input items of a request.
 * @throws Error that says which item is wrong, and why.
 */
export function assertInput(input: readonly Item[], instructions: unknown): void {
  demand(typeof instructions === "string" && instructions !== "", "The request has no instructions.");
  demand(input[0]?.["role"] === "user", "The input does not begin with a message of the user.");
  const reading: Reading = { owed: [], isAnswering: false, isReasoning: false, ids: new Set(), items: new Set() };
  for (const [index, item] of input.entries()) {
    const kind = item["type"] ?? item["role"];
    try {
      follow(reading, item, kind);
    } catch (thrown) {
      throw new Error(`Item ${String(index)} (${show(kind)}): ${explain(thrown)}`, { cause: thrown });
    }
  }
  demand(reading.owed.length === 0, `The request ends and has no result for ${reading.owed.join(", ")}.`);
  const last = input.at(-1);
  const isAnswerable = last?.["type"] === "function_call_output" || last?.["role"] === "user";
  demand(isAnswerable, "The request ends with an item of the model.");
}

function follow(reading: Reading, item: Item, kind: unknown): void {
  const { id, role } = item;
  demand(id === undefined || !reading.items.has(id), `two items have the id ${show(id)}`);
  if (id !== undefined) reading.items.add(id);
  const isInput = kind === "function_call_output" || role === "user";
  demand(!isInput || !reading.isReasoning, "it comes after reasoning that nothing of the reply follows");
  reading.isReasoning = kind === "reasoning";
  if (kind === "function_call_output") {
    readResult(reading, item);
    return;
  }
  const isOwing = isInput ? reading.owed.length > 0 : reading.isAnswering;
  demand(!isOwing, `it comes before the result of ${reading.owed.join(", ")}`);
  if (kind === "function_call") {
    const { call_id: callId, name, arguments: source } = item;
    reading.owed = [...reading.owed, assertCall(reading.ids, { id: callId, name, source })];
  } else if (kind === "reasoning") {
    demand(typeof id === "string" && id !== "" && Array.isArray(item["summary"]), "it has no id or no summary");
  } else if (kind === "message" || item["type"] === undefined) {
    demand(role === "user" || role === "assistant", "there is no such role here");
    const { content } = item;
    demand((typeof content === "string" || Array.isArray(content)) && content.length > 0, "it is empty");
  }
}

function readResult(reading: Reading, { call_id: id, output }: Item): void {
  demand(typeof output === "string" || (Array.isArray(output) && output.length > 0), "the result is empty");
  demand(typeof id === "string" && reading.owed.includes(id), `a result for ${show(id)}, which no call waits for`);
  reading.owed = reading.owed.filter((other) => other !== id);
  reading.isAnswering = reading.owed.length > 0;
}

/** The fields of a call that both APIs have. */
interface WireCall {
  readonly id: unknown;
  readonly name: unknown;
  readonly source: unknown;
}

/** Checks that a call is valid and that its id is new. Returns the id. */
export function assertCall(ids: Set<string>, { id, name, source }: WireCall): string {
  demand(typeof id === "string" && id !== "", "a call has no id");
  demand(!ids.has(id), `two calls have the id ${id}`);
  ids.add(id);
  demand(typeof name === "string" && /^[a-zA-Z0-9_-]{1,64}$/.test(name), `the call ${id} has the name ${show(name)}`);
  demand(isObjectText(source), `the arguments of the call ${id} are no JSON object as text: ${show(source)}`);
  return id;
}

function isObjectText(source: unknown): boolean {
  try {
    return typeof source === "string" && isPlainObject(JSON.parse(source));
  } catch {
    return false;
  }
}
