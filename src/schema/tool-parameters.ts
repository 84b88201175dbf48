// JSON Schema as it is sent to a model: plain data, rooted in an object, without the name of its dialect.

import type { JsonObject } from "../core/index.js";
import { explain, isPlainObject } from "../core/internal.js";

/**
 * Makes a JSON Schema ready to be sent. A root that is only a reference is replaced by what it names.
 * @throws Error with words for the programmer where the root is no object.
 */
export function asParameters(json: unknown): JsonObject {
  const { $schema: _dialect, ...written } = isPlainObject(json) ? json : {};
  const parameters = rooted(asData(written));
  if (parameters["type"] === "object") return parameters;
  throw new Error("a tool's arguments are an object; wrap it, for example z.object({ value: ... })");
}

/** Libraries leave undefined values and hidden fields behind, so it goes through JSON. */
function asData(written: object): JsonObject {
  try {
    return JSON.parse(JSON.stringify(written)) as JsonObject;
  } catch (thrown) {
    throw new Error(`it can't be written as JSON; leave out or write otherwise what can't: ${explain(thrown)}`);
  }
}

/** Schemas with an id, and recursive ones of arktype, are written as a reference to one of their definitions. */
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
