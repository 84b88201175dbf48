// The toolbox: the tools of one agent with checked names and compiled schemas.

import { LastcallError, explain } from "../data/fault.js";
import { isPlainObject, soundData, type JsonObject } from "../data/json.js";
import { milliseconds } from "../data/settings.js";
import type { StandardSchema } from "../data/tool-schema.js";
import { raiseLimit } from "../journal/spent.js";
import { checkChoices, type AsksUser, type Tool } from "./tool.js";

/** One problem of the arguments. */
export interface ArgumentIssue {
  /** The path of the value, such as `a.b[0]`; empty for the arguments as a whole. */
  readonly path: string;
  readonly message: string;
}

/** The result of a validation. */
export type Validation =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly issues: readonly ArgumentIssue[] };

/** A schema in its two forms: JSON Schema for the model, and a validator of the arguments. */
export interface CompiledSchema {
  /** The object schema of the input, as JSON Schema. */
  readonly json: JsonObject;
  validate(value: unknown): Validation | Promise<Validation>;
}

/**
 * Compiles a tool's schema.
 * @throws an error with a message for the programmer if the schema can't be compiled.
 */
export type SchemaCompiler = (schema: unknown) => CompiledSchema;

/** The description of a tool for the model. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** A tool with its compiled schema. */
export interface CompiledTool {
  readonly tool: Tool;
  readonly schema: CompiledSchema;
  /** The schema of the awaited reply; undefined if the tool has none. */
  readonly reply: CompiledSchema | undefined;
}

/**
 * Tools that come and go, such as an MCP server's tools.
 *
 * Contract: `tools` is the list at this moment, the same objects for tools that did not change. No tool in it is loop-breaking or needs
 * a context. It is read at the start of a run and before each iteration, and it never throws.
 *
 * The outcome's type has a case for each question that the type of the list declares (`AsksUser`). A list of `Tool` without more may ask
 * anything. The list of a source that asks nothing is typed by its tools, or as `readonly Tool<string, unknown, unknown, "never">[]`.
 */
export interface ToolSource {
  readonly tools: readonly Tool[];
}

/** The tools of an agent, and the tools of its sources. */
export type WithSourced<Tools extends readonly Tool[], Sources extends readonly ToolSource[]> = [
  Sources[number],
] extends [never]
  ? Tools
  : readonly (Tools[number] | Sourced<Sources[number]["tools"][number]>)[];

/** A tool of a source: it never ends a run, and it may ask anything if its type does not say that it never waits. */
export type Sourced<T> =
  T extends Tool<infer Name, infer Input, infer Value, infer Ends>
    ? [Ends] extends ["never"]
      ? T
      : Tool<Name, Input, Value, "never"> & AsksUser<unknown>
    : never;

/** The tools of an agent, by name. */
export interface Toolbox {
  /** Sorted by name, so that the prompt does not depend on the caller's order. */
  readonly descriptions: readonly ToolDescription[];
  readonly names: readonly string[];
  readonly all: readonly Tool[];
  find(name: string): CompiledTool | undefined;
}

/**
 * Compiles the tools.
 * @throws LastcallError `configuration` for a bad or repeated name, a schema that cannot be sent, or when no tool could end a run.
 */
export function toolbox(tools: readonly Tool[], compile: SchemaCompiler): Toolbox {
  const byName = new Map<string, CompiledTool>();
  // The same tool twice is one tool: two lists of inBackground share theirs.
  for (const tool of [...new Set(tools)].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(tool.name)) {
      throw misconfigured(
        `Tool name ${JSON.stringify(tool.name)} can't be sent`,
        "use 1 to 64 letters, digits, _ or -",
      );
    }
    // People are shown the question and no arguments: a tool of that name would be approved unseen.
    if (tool.name === raiseLimit)
      throw misconfigured(`${raiseLimit} is the name of the question at a limit`, "give the tool of that name another");
    checkChoices(tool);
    if (byName.has(tool.name)) throw misconfigured(`Two tools are named "${tool.name}"`, "rename one of them");
    byName.set(tool.name, { tool, schema: compileFor(tool, compile), reply: compileReply(tool, compile) });
  }
  if (![...byName.values()].some(({ tool }) => tool.ending !== "never")) {
    throw misconfigured("No tool could end a run", "add one with isLoopBreaking: true, for example taskCompletion()");
  }
  const descriptions = [...byName.values()].map(({ tool, schema }) =>
    soundData({ name: tool.name, description: tool.description, parameters: schema.json }),
  );
  const all = [...byName.values()].map(({ tool }) => tool);
  return { descriptions, names: [...byName.keys()], all, find: (name) => byName.get(name) };
}

/** The tools whose calls end the run itself, and do not pass it to another agent. */
export function endingTools(tools: Toolbox): readonly Tool[] {
  return breakingTools(tools).filter(({ ending }) => ending !== "handed-over");
}

/** The tools that can end the loop, sorted by name. */
export function breakingTools(tools: Toolbox): readonly Tool[] {
  return tools.names.flatMap((name) => tools.find(name)?.tool ?? []).filter(({ ending }) => ending !== "never");
}

function compileFor(tool: Tool, compile: SchemaCompiler): CompiledSchema {
  let schema: CompiledSchema;
  try {
    schema = compile(tool.input);
  } catch (thrown) {
    throw misconfigured(`The input schema of tool "${tool.name}" can't be used`, explain(thrown), thrown);
  }
  const name = reservedName(schema.json);
  if (name !== undefined) {
    throw misconfigured(
      `A field of tool "${tool.name}" can't be named ${JSON.stringify(name)}`,
      "give it another name",
    );
  }
  if (
    tool.context !== undefined &&
    typeof (tool.context as Partial<StandardSchema>)["~standard"]?.validate !== "function"
  ) {
    const advice = "give a schema of zod 3.24 or later, arktype, valibot or another library of Standard Schema";
    throw misconfigured(`The context of tool "${tool.name}" is no schema`, advice);
  }
  if (tool.timeout !== undefined) milliseconds(`The timeout of tool "${tool.name}"`, tool.timeout);
  const { streams } = tool;
  const fields = (schema.json["properties"] ?? {}) as Readonly<Record<string, { readonly type?: unknown } | undefined>>;
  if (streams !== undefined && fields[streams]?.type !== "string") {
    throw misconfigured(`Tool "${tool.name}" streams "${streams}"`, "name a text field of its input schema");
  }
  return schema;
}

/** Compiles the schema of the awaited reply. Only a tool with `awaitsReply` may have `replySchema` or `expiresAfter`. */
function compileReply(
  { name, ending, replySchema, expiresAfter }: Tool,
  compile: SchemaCompiler,
): CompiledSchema | undefined {
  if (ending !== "waiting" && (replySchema !== undefined || expiresAfter !== undefined)) {
    throw misconfigured(
      `Tool "${name}" has ${replySchema === undefined ? "expiresAfter" : "a replySchema"}`,
      "set awaitsReply, or leave it out",
    );
  }
  if (expiresAfter !== undefined) milliseconds(`expiresAfter of tool "${name}"`, expiresAfter);
  if (replySchema === undefined) return undefined;
  try {
    return compile(replySchema);
  } catch (thrown) {
    throw misconfigured(`The reply schema of tool "${name}" can't be used`, explain(thrown), thrown);
  }
}

/** Names with a meaning on every object. A field with such a name could change an object's prototype. */
const reserved: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** The first reserved name among the fields of a JSON Schema, at any depth. */
function reservedName(schema: unknown): string | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  for (const [keyword, value] of Object.entries(schema) as [string, unknown][]) {
    const fields = keyword === "properties" && isPlainObject(value) ? value : undefined;
    const names = keyword === "required" && Array.isArray(value) ? (value as string[]) : Object.keys(fields ?? {});
    const match = names.find((name) => reserved.has(name));
    if (match !== undefined) return match;
    for (const part of fields === undefined ? [value] : Object.values(fields)) {
      const deeper = reservedName(part);
      if (deeper !== undefined) return deeper;
    }
  }
  return undefined;
}

function misconfigured(problem: string, advice: string, cause?: unknown): LastcallError {
  return new LastcallError("configuration", `${problem}: ${advice}.`, cause === undefined ? {} : { cause });
}
