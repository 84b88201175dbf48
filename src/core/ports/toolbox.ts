// The tools of one agent, compiled: names checked, schemas made ready to send and to validate with.

import { LastcallError, explain } from "../data/fault.js";
import { isPlainObject, type JsonObject } from "../data/json.js";
import { milliseconds } from "../data/settings.js";
import type { Tool } from "./tool.js";

/** What is wrong with one argument. */
export interface ArgumentIssue {
  /** Where, as `a.b[0]`; empty for the arguments as a whole. */
  readonly path: string;
  readonly message: string;
}

/** What validating the arguments of a call says. */
export type Validation =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly issues: readonly ArgumentIssue[] };

/** A schema made ready: what the model is sent, and how its arguments are checked. */
export interface CompiledSchema {
  /** JSON Schema of the input, an object schema. */
  readonly json: JsonObject;
  validate(value: unknown): Validation | Promise<Validation>;
}

/** Turns a tool's schema into its two uses; throws with words for the programmer where it cannot. */
export type SchemaCompiler = (schema: unknown) => CompiledSchema;

/** A tool as a model is told of it. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
}

/** A tool with its compiled schema. */
export interface CompiledTool {
  readonly tool: Tool;
  readonly schema: CompiledSchema;
  /** The schema of the replies that it awaits, where it has one. */
  readonly reply: CompiledSchema | undefined;
}

/** The tools of an agent, by name. */
export interface Toolbox {
  /** Sorted by name, so that the prompt is the same however they were listed. */
  readonly descriptions: readonly ToolDescription[];
  readonly names: readonly string[];
  find(name: string): CompiledTool | undefined;
}

/**
 * Compiles the tools.
 * @throws LastcallError `configuration` for a bad or repeated name, a schema that cannot be sent, or when no tool could end a run.
 */
export function toolbox(tools: readonly Tool[], compile: SchemaCompiler): Toolbox {
  const byName = new Map<string, CompiledTool>();
  for (const tool of [...tools].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(tool.name)) {
      throw misconfigured(
        `Tool name ${JSON.stringify(tool.name)} can't be sent`,
        "use 1 to 64 letters, digits, _ or -",
      );
    }
    if (byName.has(tool.name)) throw misconfigured(`Two tools are named "${tool.name}"`, "rename one of them");
    byName.set(tool.name, { tool, schema: compileFor(tool, compile), reply: compileReply(tool, compile) });
  }
  if (![...byName.values()].some(({ tool }) => tool.ending !== "never")) {
    throw misconfigured("No tool could end a run", "add one with isLoopBreaking: true, for example taskCompletion()");
  }
  const descriptions = [...byName.values()].map(({ tool, schema }) => ({
    name: tool.name,
    description: tool.description,
    parameters: schema.json,
  }));
  return { descriptions, names: [...byName.keys()], find: (name) => byName.get(name) };
}

/** The tools that can end a run, sorted by name. */
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
  if (tool.timeout !== undefined) milliseconds(`The timeout of tool "${tool.name}"`, tool.timeout);
  const { streams } = tool;
  const fields = (schema.json["properties"] ?? {}) as Readonly<Record<string, { readonly type?: unknown } | undefined>>;
  if (streams !== undefined && fields[streams]?.type !== "string") {
    throw misconfigured(`Tool "${tool.name}" streams "${streams}"`, "name a text field of its input schema");
  }
  return schema;
}

/** What a reply must fit; only a tool that awaits one can say so, or how long it is awaited. */
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

/** Names that every object has a meaning for: set from outside they reach what no argument should reach. */
const reserved: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** The first reserved name among the fields of a JSON Schema, at any depth. */
function reservedName(schema: unknown): string | undefined {
  if (typeof schema !== "object" || schema === null) return undefined;
  for (const [keyword, value] of Object.entries(schema) as [string, unknown][]) {
    const fields = keyword === "properties" && isPlainObject(value) ? value : undefined;
    const names = keyword === "required" && Array.isArray(value) ? (value as string[]) : Object.keys(fields ?? {});
    const found = names.find((name) => reserved.has(name));
    if (found !== undefined) return found;
    for (const part of fields === undefined ? [value] : Object.values(fields)) {
      const deeper = reservedName(part);
      if (deeper !== undefined) return deeper;
    }
  }
  return undefined;
}

function misconfigured(what: string, mend: string, cause?: unknown): LastcallError {
  return new LastcallError("configuration", `${what}: ${mend}.`, cause === undefined ? {} : { cause });
}
