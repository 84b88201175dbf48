// Reads an assembled reply: finds calls in its text, repairs calls that can be meant in one way only, marks the other calls as
// unreadable.

import type { ToolDescription, WrittenCall, WrittenReply } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import { readCall } from "../heal/index.js";
import { isUsualId, type BrokenCall, type RawCall, type RawReply } from "../data/raw-reply.js";
import { findCalls } from "../text/index.js";
import { thinkingKey, type PartedText } from "./thinking.js";

/**
 * Reads a whole reply. The calls count, whatever the finish reason says; but each call of a reply that was cut is unreadable. A reply
 * whose finish reason says nothing counts as cut, unless its calls are whole.
 * With `readsText`, calls are searched in the text if there are no other calls.
 */
export async function readReply(
  raw: RawReply,
  tools: readonly ToolDescription[],
  readsText: boolean,
): Promise<WrittenReply> {
  const { refusal, finish, usage, served, extras, from } = raw;
  const { text, calls } = readsText && raw.calls.length === 0 ? await findCalls(raw.text, tools) : raw;
  const isRefused = finish === "refused" || (refusal !== "" && calls.length === 0);
  const isCut = finish === "cut" || (finish === "unknown" && !isRefused && !endsWithCalls(calls));
  const written = (finish === "malformed" ? [...calls, discardedCall] : calls).map((call) => read(call, tools, isCut));
  const hasExtras = Object.keys(extras).length > 0;
  // Only the giver takes back what it put on a reply, and an id of another form.
  const isMarked = written.some((call) => call.extras !== undefined || !isUsualId(call.providerId ?? "none"));
  const hasOrigin = from !== undefined && (hasExtras || isMarked);
  return {
    text: text === "" ? refusal : text,
    calls: written,
    finish: isRefused ? "refused" : isCut ? "cut" : "complete",
    usage,
    ...(served !== undefined && { served }),
    ...(hasExtras && { extras }),
    ...(hasOrigin && { from }),
  };
}

/** True if the calls show by themselves that they are whole: there is one, and the arguments of each are a complete object. */
function endsWithCalls(calls: readonly (RawCall | BrokenCall)[]): boolean {
  return calls.length > 0 && calls.every((call) => "arguments" in call && isObject(call.arguments));
}

function isObject(written: RawCall["arguments"]): boolean {
  try {
    return isPlainObject(typeof written === "string" ? JSON.parse(written) : written);
  } catch {
    // A text that is no JSON may have been cut anywhere.
    return false;
  }
}

/**
 * Reads a whole reply whose text was parted. The reply has the words alone; the thinking is kept in its extras, for people. If the thinking
 * has no end, it may hold the calls of the reply: a tag that is never closed opens nothing then.
 */
export async function readParted(
  raw: RawReply,
  { thinking, words, isOpen }: PartedText,
  tools: readonly ToolDescription[],
  readsText: boolean,
): Promise<WrittenReply> {
  if (thinking === "") return readReply(raw.text === words ? raw : { ...raw, text: words }, tools, readsText);
  const extras = { ...raw.extras, [thinkingKey]: thinking.trim() };
  const reply = await readReply({ ...raw, extras, text: isOpen ? raw.text : words }, tools, readsText);
  return isOpen ? { ...reply, text: words } : reply;
}

/** Stands for a call that the provider discarded. */
const discardedCall: BrokenCall = {
  kind: "malformed_call",
  name: "",
  source: "",
  problem: "The provider says that you wrote a malformed call, and passed nothing of it on.",
};

function read(call: RawCall | BrokenCall, tools: readonly ToolDescription[], isCut: boolean): WrittenCall {
  const { name, id = "" } = call;
  const extras = "extras" in call ? call.extras : {};
  const kept = { ...(id !== "" && { providerId: id }), ...(Object.keys(extras).length > 0 && { extras }) };
  const source = "source" in call ? call.source : textOf(call.arguments);
  const unreadable = (why: Pick<BrokenCall, "kind" | "name" | "problem">): WrittenCall => {
    const { kind, name, problem } = why;
    return { ...kept, type: "unreadable-call", kind, name, source, problem };
  };
  if (isCut)
    return unreadable({
      kind: "truncated",
      name,
      problem: "The call was cut off, so it was not run.",
    });
  if ("problem" in call) return unreadable(call);
  const reading = readCall(call, tools);
  if (!reading.ok) return unreadable(reading);
  const { input, repairs } = reading;
  return {
    ...kept,
    type: "call",
    name: reading.name,
    input,
    ...(repairs.length > 0 && { repairs }),
    ...(source !== "" && JSON.stringify(input) !== source && { source }),
  };
}

function textOf(written: RawCall["arguments"]): string {
  return typeof written === "string" ? written : JSON.stringify(written);
}
