// The words of the harness: the system prompt, and the failures whose text more than one stage needs.

import type { ArgumentIssue, CompiledTool, Toolbox } from "../ports/toolbox.js";
import type { UnreadableCall } from "../data/call.js";
import { readerName } from "../journal/clip.js";
import { failure, type Failure } from "../data/failure.js";
import { isPlainObject, type Json, type JsonObject } from "../data/json.js";
import type { ClosingConclusion } from "../ports/conclusion.js";
import { isOutside, outsideRule } from "../journal/outside.js";
import type { CheckRecord } from "../journal/record.js";
import type { Tool } from "../ports/tool.js";

/**
 * The system prompt: the caller's instructions, then the rules of the loop. The same for the same agent, always. `onText`
 * is the tool that a reply of words alone is a call of, if any.
 */
export function systemPrompt(instructions: string, tools: Toolbox, onText?: string): string {
  const breaking = breakingTools(tools);
  const ends = breaking.map(({ name, ending }) => `- ${name}: ${endings[ending]}`);
  const rules = [
    onText === undefined
      ? "You work in a loop. Every reply must call at least one tool; words outside a tool call change nothing."
      : `You work in a loop. A reply of words alone, without a tool call, is taken as a call of ${onText}.`,
    "The loop ends only when one of these calls is accepted:",
    ...ends,
    "Call exactly one of them, when its time has come. It is refused if another call in the same reply fails.",
    "When a result begins with ERROR, read what to do and do it.",
    ...(readsOutside(tools) ? [outsideRule] : []),
  ].join("\n");
  return instructions === "" ? rules : `${instructions}\n\n${rules}`;
}

/** True where a tool of theirs brings in what comes from outside, or reads it again. */
export function readsOutside(tools: Toolbox): boolean {
  return tools.names.some((name) => name === readerName || isOutside(tools.find(name)?.tool ?? { effect: "none" }));
}

const endings = {
  completed: "the task is done.",
  waiting: "you need the user's reply.",
  stopped: "the task can't be done.",
  never: "",
} as const;

/** The tools that can end a run, sorted by name. */
export function breakingTools(tools: Toolbox): readonly Tool[] {
  return tools.names.flatMap((name) => tools.find(name)?.tool ?? []).filter(({ ending }) => ending !== "never");
}

/** The reply had no call. */
export function noToolCall(text: string, tools: Toolbox): Failure {
  const names = breakingTools(tools).map(({ name }) => name);
  return failure("no_tool_call", {
    message: text === "" ? "Your reply was empty." : "Your reply had words and no tool call; nobody acts on words.",
    advice: `Call a tool in every reply. To end, call ${list(names, "or")}.`,
  });
}

/** The reply was cut off by the length limit. */
export function cutReply(tool?: string): Failure {
  return failure("truncated", {
    ...(tool !== undefined && { tool }),
    message: "Your reply was cut off at the length limit, so nothing in it was run.",
    advice: "Say it again in smaller pieces: fewer calls in a reply, shorter arguments.",
  });
}

/** The provider refused the reply that the call is part of. */
export function refusedReply(tool: string): Failure {
  return failure("interrupted", {
    tool,
    message: "The provider refused this reply, so nothing in it was run.",
    advice: "Go another way.",
  });
}

/** The call's text could not be read. */
export function unreadable({ kind, name, problem }: UnreadableCall): Failure {
  return failure(kind, {
    ...(name !== "" && { tool: name }),
    message: problem,
    advice: "Write the whole call again, mended.",
  });
}

/** There is no such tool. The message leaves out which there are, so that it is the same whatever tools there are. */
export function unknownTool(name: string, tools: Toolbox): Failure {
  return failure("unknown_tool", {
    tool: name,
    message: `There is no tool named ${JSON.stringify(name)}.`,
    advice: `Call one of: ${tools.names.join(", ")}.`,
  });
}

/** The arguments do not fit the tool's schema. `form` is an example that does, where one could be made. */
export function invalidArguments(
  { tool, schema }: CompiledTool,
  input: unknown,
  { issues, form }: { readonly issues: readonly ArgumentIssue[]; readonly form: Json | undefined },
): Failure {
  const lines = issues.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`));
  const strangers = unknownFields(schema.json, input).filter((name) => !issues.some(({ path }) => path === name));
  if (strangers.length > 0) lines.push(`there is no field ${list(strangers, "or")}`);
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

/** Fields of the arguments that the schema doesn't have, a few of them: one may be a needed one with another name. */
function unknownFields({ properties }: JsonObject, input: unknown): readonly string[] {
  if (!isPlainObject(properties) || !isPlainObject(input)) return [];
  return Object.keys(input)
    .filter((name) => !Object.hasOwn(properties, name))
    .slice(0, 5)
    .map((name) => name.slice(0, 60));
}

/** Two loop-breaking calls in one reply. */
export function conflictingCalls(tool: string, others: readonly string[]): Failure {
  return failure("conflicting_calls", {
    tool,
    message: `A reply may end the loop once; this one tried with ${list(others, "and")}.`,
    advice: "None of them was accepted. Call exactly one.",
  });
}

/** A claim beside a sibling that failed. */
export function failedSibling(tool: string, siblings: readonly Failure[]): Failure {
  const names = siblings.map((sibling) => `${sibling.tool ?? "a call"} (${sibling.kind})`);
  return failure("claim_refused", {
    tool,
    message: `Not accepted, because another call in the same reply failed: ${list(names, "and")}.`,
    advice: `Mend that first, see that it succeeds, and then call ${tool} again.`,
  });
}

/** A declared check failed. */
export function failedCheck(tool: string, check: string, output: string): Failure {
  return failure("check_failed", {
    tool,
    message: `Not accepted, because the check "${check}" did not pass. It said:\n${output}`,
    advice: `Make the check pass, then call ${tool} again.`,
  });
}

/** A call that ends nothing, in the iteration that closes the run. */
export function closingCall(tool: string): Failure {
  return failure("closing", {
    tool,
    message: "Not run: the run is being closed, and only a call that ends it is accepted now.",
    advice: "Nothing: the run ends here.",
  });
}

/** What is said before the first request of what the checks said; empty where they said nothing. */
export function baselineNotice(seen: readonly CheckRecord[]): string {
  const failing = seen.filter(({ passed }) => !passed);
  if (failing.length > 0) {
    const lines = failing.map(({ check, output }) => `The check "${check}" does not pass yet. It says:\n${output}`);
    return ["The task is done when its checks pass. They were run before you began.", ...lines].join("\n\n");
  }
  if (seen.length === 0) return "";
  const names = seen.map(({ check }) => `"${check}"`);
  return `Before you began, the checks of this task were run, and pass already: ${list(names, "and")}. So they do not show that the task is done: see to that yourself.`;
}

/** What is said of a check that does not pass after an iteration. */
export function failingNotice({ check, output }: CheckRecord): string {
  return `The check "${check}" was run after that and does not pass. It says:\n${output}`;
}

/** What is said before the last iteration. */
export function closingNotice({ reason, message }: ClosingConclusion, tools: Toolbox): string {
  const breaking = breakingTools(tools);
  const names = breaking.map(({ name }) => name);
  if (reason === "check_passed") {
    const completing = breaking.filter(({ ending }) => ending === "completed").map(({ name }) => name);
    const call = list(completing.length > 0 ? completing : names, "or");
    return `The goal is reached: ${message}. Your next reply is the last of this run. Call ${call} now and say what was done; no other call is run.`;
  }
  return `The run has to end: ${message}. Your next reply is its last. Call ${list(names, "or")}, and say what is done and what is not; no other call is run.`;
}

/** Permission said no. */
export function denied(tool: string, reason: string, input: unknown): Failure {
  return failure("denied", {
    tool,
    message: `This call was not allowed: ${reason}.`,
    advice: "Do not try it again in other words. Go on without it, or end the run and say what is missing.",
    input,
  });
}

const interruptions = {
  before: ["before this call ran.", "Call it again if it is still needed."],
  harmless: ["while this ran. It changes nothing.", "Call it again if it is still needed."],
  unknown: [
    "while this ran. Its outcome is unknown: it may have happened, wholly, in part or not at all.",
    "Look at what is there before you repeat it.",
  ],
} as const;

/** A call without a result, because the run was aborted, its time was up, or its process died; and what that leaves. */
export function interrupted(tool: string, when: keyof typeof interruptions): Failure {
  const [words, advice] = interruptions[when];
  return failure("interrupted", { tool, message: `The run was interrupted ${words}`, advice });
}

/** What arguments for a JSON schema look like: required fields, by type. It need not meet every rule of the schema. */
export function example(schema: JsonObject): Json {
  const { default: preset, enum: choices, const: only, type, properties, required, items, anyOf } = schema;
  if (preset !== undefined) return preset;
  if (only !== undefined) return only;
  if (Array.isArray(choices)) return (choices as readonly Json[])[0] ?? null;
  if (Array.isArray(anyOf)) return example(((anyOf as readonly Json[])[0] ?? {}) as JsonObject);
  const kind: unknown = Array.isArray(type) ? type[0] : type;
  switch (kind) {
    case "object": {
      const fields = (properties ?? {}) as Readonly<Record<string, JsonObject>>;
      const names = (required ?? []) as readonly string[];
      return Object.fromEntries(names.map((name) => [name, example(fields[name] ?? {})]));
    }
    case "array":
      return items === undefined ? [] : [example(items as JsonObject)];
    case "number":
    case "integer":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 1;
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return "...";
  }
}

/** Names as a list in words. */
export function list(names: readonly string[], last: "and" | "or"): string {
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} ${last} ${names.at(-1) ?? ""}`;
}
