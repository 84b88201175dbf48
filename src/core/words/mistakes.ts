// Failures for the model's mistakes of form: a reply or a call that cannot be used.

import type { UnreadableCall } from "../data/call.js";
import { failure, type Failure } from "../data/failure.js";
import { isPlainObject, type Json, type JsonObject } from "../data/json.js";
import { breakingTools, type ArgumentIssue, type CompiledTool, type Toolbox } from "../ports/toolbox.js";
import { joinNames } from "./join-names.js";
import { headOf } from "../text/cut.js";
import { elementIn, likelyTool } from "./likely-tool.js";

/** The failure of a reply without a call. `text` is the reply's text. */
export function noToolCall(text: string, tools: Toolbox): Failure {
  const names = breakingTools(tools).map(({ name }) => name);
  const element = elementIn(text);
  const likely = element === undefined ? undefined : likelyTool(element, tools.names);
  const meant = likely === undefined ? "" : `<${String(element)}> is no tool: you most likely mean ${likely}. `;
  return failure("no_tool_call", {
    message: text === "" ? "Your reply was empty." : "Your reply had words and no tool call; nobody acts on words.",
    advice: `${meant}Call a tool in every reply. To end, call ${joinNames(names, "or")}.`,
  });
}

/** The failure of a reply that was cut off, by the length limit or by its server. */
export function cutReply(tool?: string): Failure {
  return failure("truncated", {
    ...(tool !== undefined && { tool }),
    message: "Your reply was cut off before its end, most likely at the length limit, so nothing in it was run.",
    advice: "Say it again in smaller pieces: fewer calls in a reply, shorter arguments.",
  });
}

/** The failure of a call whose text could not be read. */
export function unreadable({ kind, name, problem }: UnreadableCall): Failure {
  return failure(kind, {
    ...(name !== "" && { tool: name }),
    message: problem,
    advice: "Write the whole call again, mended.",
  });
}

/** The failure of a call of an unknown tool. The message lists no tools, so that the signature does not depend on them. */
export function unknownTool(name: string, tools: Toolbox): Failure {
  const likely = likelyTool(name, tools.names);
  const meant = likely === undefined ? "" : `You most likely mean ${likely}. `;
  return failure("unknown_tool", {
    tool: name,
    message: `There is no tool named ${JSON.stringify(name)}.`,
    advice: `${meant}Call one of: ${tools.names.join(", ")}.`,
  });
}

/** The failure of arguments that do not fit the tool's schema. `form` is an example that fits, or undefined without one. */
export function invalidArguments(
  { tool, schema }: CompiledTool,
  input: unknown,
  { issues, form }: { readonly issues: readonly ArgumentIssue[]; readonly form: Json | undefined },
): Failure {
  const lines = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  const unknown = unknownFields(schema.json, input).filter((name) => !issues.some(({ path }) => path === name));
  if (unknown.length > 0) lines.push(`there is no field ${joinNames(unknown, "or")}`);
  return failure("invalid_arguments", {
    tool: tool.name,
    message: `The arguments do not fit. ${lines.join("; ")}.`,
    advice:
      form === undefined
        ? `Call ${tool.name} again with arguments that fit this schema: ${JSON.stringify(schema.json)}`
        : `Call ${tool.name} again with arguments of this form: ${JSON.stringify(form)}`,
    input,
  });
}

/** At most five fields that the schema does not have. One may be a required field under a wrong name. */
function unknownFields({ properties }: JsonObject, input: unknown): readonly string[] {
  if (!isPlainObject(properties) || !isPlainObject(input)) return [];
  return Object.keys(input)
    .filter((name) => !Object.hasOwn(properties, name))
    .slice(0, 5)
    .map((name) => headOf(name, 60));
}

/** The failure of each loop-breaking call when one reply has several. */
export function conflictingCalls(tool: string, others: readonly string[]): Failure {
  return failure("conflicting_calls", {
    tool,
    message: `A reply may end the loop once; this one tried with ${joinNames(others, "and")}.`,
    advice: "None of them was accepted. Call exactly one.",
  });
}

/** The failure of a call after the last call that a reply may have. */
export function tooManyCalls(tool: string, most: number): Failure {
  return failure("conflicting_calls", {
    tool,
    message: `The reply has more than ${String(most)} calls; this is one of those that were not run.`,
    advice: `Read the results of the first ${String(most)}, then make the other calls in a new reply, if they are still needed.`,
  });
}
