// Recognizes errors of a provider that are a mistake of the model: it wrote no call, or a call that the provider did not pass
// on.

import { LastcallError, noUsage } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import type { RawReply } from "../data/raw-reply.js";

/** The name of the tool in the text of a call, as JSON or in the form `<function=name>`. */
const nameIn = /"name"\s*:\s*"([\w.-]{1,64})"|<function=([\w.-]{1,64})/;

/** Groq's words for a mistake of the model. Packages of the AI SDK pass them on without the code. */
const aboutCalls =
  /model did not call a tool|tool call validation failed|failed to (?:call a function|parse tool call)/i;

function isCodeless(code: unknown): boolean {
  return code === undefined || code === null || code === "";
}

/**
 * The reply that the provider discarded, so that the model is told of its mistake. Undefined for any other error. Groq checks calls against
 * the tools itself: it answers with `tool_use_failed` and the text that the model wrote.
 */
export function mistakeIn(thrown: unknown): RawReply | undefined {
  const error: unknown =
    thrown instanceof LastcallError ? thrown.cause : (thrown as { error?: unknown } | undefined)?.error;
  if (!isPlainObject(error)) return undefined;
  const { code, message, failed_generation: written } = error;
  const words = typeof message === "string" ? message : "";
  if (code !== "tool_use_failed" && !(isCodeless(code) && aboutCalls.test(words))) return undefined;
  const source = typeof written === "string" ? written : "";
  const reply: RawReply = { text: "", refusal: "", calls: [], finish: "complete", usage: noUsage, extras: {} };
  if (/did not call a tool/i.test(words)) return { ...reply, text: source };
  const [, name = "", tag = ""] = nameIn.exec(source) ?? [];
  const problem = `The provider passed your call on to nobody: ${words}`;
  return { ...reply, calls: [{ kind: "malformed_call", name: name === "" ? tag : name, source, problem }] };
}
