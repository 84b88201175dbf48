// JSON Schema in the form that is sent to a model: plain data with an object at the root, and without `$schema`.

import type { JsonObject } from "../core/index.js";
import { explain, isPlainObject } from "../core/internal.js";

/**
 * Prepares a JSON Schema for sending. A root that is only a reference is replaced by its target.
 * @throws Error with a message for the programmer if the root is not an object.
 */
export function asParameters(json: unknown): JsonObject {
  const { $schema: _dialect, ...written } = isPlainObject(json) ? json : {};
  const parameters = rooted(asData(written));
  if (parameters["type"] === "object") return parameters;
  throw new Error("a tool's arguments are an object; wrap it, for example z.object({ value: ... })");
}

/** Copies through JSON, because libraries leave undefined values and hidden fields in their output. */
function asData(written: object): JsonObject {
  try {
    return JSON.parse(JSON.stringify(written)) as JsonObject;
  } catch (thrown) {
    throw new Error(`it can't be written as JSON; leave out or write otherwise what can't: ${explain(thrown)}`);
  }
}

/** Resolves a root that is a reference to a definition. Libraries write schemas with an id this way, and arktype recursive schemas. */
function rooted(json: JsonObject): JsonObject {
  const { $ref, ...rest } = json;
  const [, group, name] = typeof $ref === "string" ? (/^#\/(\$defs|definitions)\/([^/]+)$/.exec($ref) ?? []) : [];
  if (group === undefined || name === undefined) return json;
  const definitions = (rest[group] ?? {}) as JsonObject;
  const root = definitions[name];
  if (!isPlainObject(root)) return json;
  const { [name]: _root, ...others } = definitions;
  const isNamedAgain = JSON.stringify(definitions).includes(JSON.stringify($ref));
  const { [group]: _definitions, ...annotations } = rest;
  const kept = isNamedAgain ? definitions : others;
  return { ...(root as JsonObject), ...annotations, ...(Object.keys(kept).length > 0 && { [group]: kept }) };
}
