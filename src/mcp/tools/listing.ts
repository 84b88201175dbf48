// Listing: the list of tools that a server sent, checked one by one. A tool that can't be used is left out, with the reason.

import { createHash } from "node:crypto";
import { LastcallError, tool as makeTool, type Effect, type JsonSchema } from "../../core/index.js";
import { canonical, explain, isPlainObject, toJson, toolbox } from "../../core/internal.js";
import { compile } from "../../schema/index.js";
import { foreignLine, foreignText, hidesCharacters } from "../foreign/foreign-text.js";
import { toolName, type ForeignName } from "../foreign/foreign-name.js";
import type { Settings } from "./mcp-options.js";

/** A tool of a server that can be used. */
export interface ListedTool {
  /** The name for the model. */
  readonly name: ForeignName;
  /** The name that the server gave. */
  readonly original: string;
  /** The description for the model: the server's words, made safe. */
  readonly description: string;
  readonly schema: JsonSchema;
  readonly effect: Effect;
  readonly isIdempotent: boolean;
  /** The SHA-256 of the name, the description, the schema and the hints, as the server sent them. */
  readonly digest: string;
}

/** The tools of a server, and what a person should know about them. */
export interface Listing {
  readonly tools: readonly ListedTool[];
  /** The tools that are left out, by their names, and the reasons. */
  readonly leftOut: ReadonlyMap<string, string>;
  /** The changes that were made in the words of a tool. */
  readonly remarks: readonly string[];
}

/** Characters of a description, of a schema, and levels of a schema. A tool with more is cut, or left out. */
const longest = { description: 8000, schema: 100_000, depth: 40 };

/**
 * Reads the tools that a server sent.
 * @throws LastcallError `configuration` if there are too many, or if `only` names a tool that is not there.
 */
export function readListing(sent: readonly unknown[], settings: Settings): Listing {
  const { name: server, only, maxTools } = settings;
  const named = sent.filter((one) => only === undefined || only.has(nameOf(one)));
  expectAll(server, only, sent);
  if (named.length > maxTools) {
    const advice = only === undefined ? "name those that are needed with `only`" : "name fewer with `only`";
    const message = `The MCP server "${server}" has ${String(named.length)} tools, more than ${String(maxTools)}: ${advice}, or raise \`maxTools\`.`;
    throw new LastcallError("configuration", message);
  }
  const tools: ListedTool[] = [];
  const leftOut = new Map<string, string>();
  const remarks: string[] = [];
  const taken = new Set<string>();
  for (const one of [...named].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))) {
    const shown = foreignLine(nameOf(one), 100) || "a tool without a name";
    try {
      const { tool, changes } = readTool(one, settings, taken);
      tools.push(tool);
      taken.add(tool.name);
      if (changes.length > 0) remarks.push(`the description of ${shown} had ${changes.join(", and ")}`);
    } catch (thrown) {
      leftOut.set(shown, foreignLine(explain(thrown), 500));
    }
  }
  return { tools, leftOut, remarks };
}

function nameOf(one: unknown): string {
  const name = isPlainObject(one) ? one["name"] : undefined;
  return typeof name === "string" ? name : "";
}

function expectAll(server: string, only: ReadonlySet<string> | undefined, sent: readonly unknown[]): void {
  const names = sent.map(nameOf);
  const missing = [...(only ?? [])].filter((name) => !names.includes(name));
  if (missing.length === 0) return;
  const has = names.slice(0, 50).map((name) => foreignLine(name, 100));
  const message = `\`only\` names tools that the MCP server "${server}" does not have: ${missing.join(", ")}. It has: ${has.join(", ")}${names.length > 50 ? " and more" : ""}.`;
  throw new LastcallError("configuration", message);
}

interface ReadTool {
  readonly tool: ListedTool;
  readonly changes: readonly string[];
}

/** @throws Error with the reason to leave the tool out. */
function readTool(one: unknown, { name: server, trust }: Settings, taken: ReadonlySet<string>): ReadTool {
  const original = nameOf(one);
  if (!isPlainObject(one) || original === "") throw new Error("it has no name");
  if (original.length > 200 || hidesCharacters(original)) throw new Error("its name is too long or hides characters");
  const { description, title, inputSchema, annotations, execution } = one;
  if (isPlainObject(execution) && execution["taskSupport"] === "required")
    throw new Error("it runs as a task alone, and tasks of servers are not taken here");
  const schema = readSchema(inputSchema);
  const said = [description, title].find((text): text is string => typeof text === "string" && text !== "") ?? "";
  const { text, changes } = foreignText(said, longest.description);
  const hints = isPlainObject(annotations) ? annotations : {};
  const tool: ListedTool = {
    name: toolName(server, original, taken),
    original,
    description: `The MCP server ${server} says: ${text === "" ? "(nothing)" : text}`,
    schema,
    effect: trust && hints["readOnlyHint"] === true ? "read" : "network",
    isIdempotent: trust && (hints["readOnlyHint"] === true || hints["idempotentHint"] === true),
    digest: createHash("sha256")
      .update(canonical([original, description ?? null, title ?? null, inputSchema, annotations ?? null]))
      .digest("hex"),
  };
  checkUsable(tool);
  return { tool, changes };
}

/**
 * The schema of the arguments, which are an object even if the server does not say so.
 * @throws Error if the schema is too large or too deep, or hides characters in the names of its fields.
 */
function readSchema(sent: unknown): JsonSchema {
  const given = sent === undefined || sent === null || sent === true ? {} : sent;
  if (!isPlainObject(given)) throw new Error("it has no schema for its arguments");
  if (depthOf(given) > longest.depth) throw new Error(`its schema has more than ${String(longest.depth)} levels`);
  const { length } = toJson(given) ?? "";
  if (length > longest.schema)
    throw new Error(`its schema has ${String(length)} characters, more than ${String(longest.schema)}`);
  const { type } = given;
  const isObject = type === undefined || (Array.isArray(type) && type.includes("object"));
  return safeWords(optionalDefaults(isObject ? { ...given, type: "object" } : given)) as JsonSchema;
}

/** Keywords whose values are data, and keywords whose values are schemas by name. */
const [dataKeywords, namedSchemas] = [
  ["default", "const", "enum", "examples"],
  ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"],
];

/**
 * The schema, in which no field with a default is required. Makers of schemas write those fields as required because they are always there
 * after the reading; the server takes a call without them.
 */
function optionalDefaults(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(optionalDefaults);
  if (!isPlainObject(schema)) return schema;
  const { properties } = schema;
  const hasDefault = (name: unknown): boolean => {
    const field =
      isPlainObject(properties) && typeof name === "string" && Object.hasOwn(properties, name) ? properties[name] : {};
    return isPlainObject(field) && field["default"] !== undefined;
  };
  const entries = Object.entries(schema).map(([key, value]): [string, unknown] => {
    if (dataKeywords.includes(key)) return [key, value];
    if (key === "required" && Array.isArray(value)) return [key, value.filter((name) => !hasDefault(name))];
    if (!namedSchemas.includes(key) || !isPlainObject(value)) return [key, optionalDefaults(value)];
    return [key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, optionalDefaults(one)]))];
  });
  return Object.fromEntries(entries);
}

/** The number of levels of a value, counted without recursion, up to one more than the bound. */
function depthOf(value: unknown): number {
  let level: unknown[] = [value];
  let depth = 0;
  while (level.length > 0 && depth <= longest.depth) {
    depth += 1;
    level = level.flatMap((one): unknown[] => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return depth;
}

/** Makes the words for readers safe, and leaves everything that counts for the validation as it is. */
function safeWords(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(safeWords);
  if (!isPlainObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    if (hidesCharacters(key)) throw new Error("the name of a field hides characters");
    const isWords = (key === "description" || key === "title") && typeof item === "string";
    return [key, isWords ? foreignText(item, longest.description).text : safeWords(item)];
  });
  return Object.fromEntries(entries);
}

/** @throws the error with which an agent would refuse the tool, or with which its schema fails on any arguments. */
function checkUsable({ name, description, schema }: ListedTool): void {
  const asked = makeTool({ name, description, input: schema });
  const end = makeTool({ name: "end", description: "", input: { type: "object" }, isLoopBreaking: true });
  const found = toolbox([asked, end], compile).find(name);
  void found?.schema.validate({});
}
