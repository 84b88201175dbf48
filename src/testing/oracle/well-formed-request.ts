// The oracle over requests: checks that every server would accept the body of a chat completion or a response.

import { explain, isPlainObject } from "../../core/internal.js";
import { demand, show } from "./demand.js";
import { assertCall, assertInput } from "./well-formed-input.js";
import type { ProviderRequest } from "../scripted/scripted-provider.js";

type WireMessage = ProviderRequest["body"]["messages"][number];

/** The checked fields of a request body. */
export interface RequestBody {
  readonly messages?: ProviderRequest["body"]["messages"];
  readonly input?: ProviderRequest["body"]["input"];
  readonly tools?: ProviderRequest["body"]["tools"];
  readonly instructions?: unknown;
}

/** The state after the messages so far. */
interface Reading {
  /** Ids of the calls that still need a result. */
  owed: readonly string[];
  /** Ids of all calls so far. */
  readonly ids: Set<string>;
}

/**
 * Checks a request body against the rules of the strictest servers:
 * - There is one system message, which comes first, and a user message follows it.
 * - Every call has exactly one result before the next message of another kind. Ids are unique.
 * - Arguments are JSON objects written as text.
 * - No assistant message is without both text and calls.
 * - The last message is a message that the model can answer.
 * - The tools are sorted by name.
 *
 * For the Responses API the same rules apply to `instructions` and `input`. There, reasoning may not be the last item of a reply.
 * @throws Error that says which message is wrong, and why.
 */
export function assertWellFormedRequest({ messages = [], input, instructions, tools = [] }: RequestBody): void {
  if (input === undefined) assertMessages(messages);
  else assertInput(input, instructions);
  const names = tools.map(toolName);
  demand(
    names.every((name, index) => index === 0 || (names[index - 1] ?? "") < name),
    `The tools are not sorted by name, each named once: ${names.join(", ")}.`,
  );
}

function assertMessages(messages: ProviderRequest["body"]["messages"]): void {
  demand(messages[0]?.["role"] === "system", "The request does not begin with a system message.");
  demand(messages[1]?.["role"] === "user", "The system message is not followed by one of the user.");
  const reading: Reading = { owed: [], ids: new Set() };
  for (const [index, message] of messages.entries()) {
    if (index === 0) continue;
    try {
      follow(reading, message);
    } catch (thrown) {
      throw new Error(`Message ${String(index)} (${show(message["role"])}): ${explain(thrown)}`, { cause: thrown });
    }
  }
  demand(reading.owed.length === 0, `The request ends and has no result for ${reading.owed.join(", ")}.`);
  demand(messages.at(-1)?.["role"] !== "assistant", "The request ends with an assistant message.");
}

function follow(reading: Reading, message: WireMessage): void {
  const { role, content, tool_calls: calls, tool_call_id: id } = message;
  if (role === "tool") {
    demand(typeof content === "string", "the result is no text");
    demand(typeof id === "string" && reading.owed.includes(id), `a result for ${show(id)}, which no call waits for`);
    reading.owed = reading.owed.filter((other) => other !== id);
    return;
  }
  demand(reading.owed.length === 0, `it comes before the result of ${reading.owed.join(", ")}`);
  demand(role === "user" || role === "assistant", "there is no such role here");
  const hasWords = typeof content === "string" && content !== "";
  if (role === "user") {
    demand(hasWords || (Array.isArray(content) && content.length > 0 && content.every(isPart)), "it is empty");
    return;
  }
  demand(hasWords || content === null, "its content is neither words nor null");
  demand(hasWords || calls !== undefined, "it has neither words nor calls");
  if (calls === undefined) return;
  demand(Array.isArray(calls) && calls.length > 0, "its tool_calls are no list of calls");
  reading.owed = calls.map((call: unknown) => readCall(reading.ids, call));
}

/** True for a text that is not empty, an image or a file with its content. */
function isPart(part: unknown): boolean {
  const { type, text, image_url: image, file } = isPlainObject(part) ? part : {};
  const isData = (address: unknown): boolean => typeof address === "string" && /^data:[\w/.+-]+;base64,./.test(address);
  if (type === "text") return typeof text === "string" && text !== "";
  if (type === "image_url") return isPlainObject(image) && isData(image["url"]);
  return type === "file" && isPlainObject(file) && typeof file["filename"] === "string" && isData(file["file_data"]);
}

/** Checks a call and returns its id. */
function readCall(ids: Set<string>, call: unknown): string {
  const { id, type, function: called } = isPlainObject(call) ? call : {};
  const { name, arguments: source } = isPlainObject(called) ? called : {};
  demand(type === "function", `the call ${show(id)} is no function call`);
  return assertCall(ids, { id, name, source });
}

function toolName(tool: unknown): string {
  const known = isPlainObject(tool) ? tool : {};
  const called = isPlainObject(known["function"]) ? known["function"] : known;
  const { name } = called;
  demand(typeof name === "string", `A tool has no name: ${show(tool)}.`);
  return name;
}
