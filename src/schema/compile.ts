// Compiles the schema of a tool for sending and for validation: chooses the route for the kind of schema.

import { isPlainObject, type CompiledSchema, type StandardSchema } from "../core/internal.js";
import { compileJsonSchema, isJsonSchema } from "./json-schema.js";
import { compileStandard, isStandard, writesItself } from "./standard.js";
import { compileZod3, isZod3, type Zod3Schema } from "./zod3.js";
import { compileZod4, isZod4 } from "./zod4.js";

/** The schemas of libraries that were compiled in this process: web servers make an agent for each request. */
const compiled = new WeakMap<object, CompiledSchema>();

/**
 * Compiles a schema: of zod 4 or 3, arktype, valibot wrapped in `toStandardJsonSchema`, any library that implements Standard JSON
 * Schema, or JSON Schema as plain data. A package is loaded only for zod before 4.2 and for plain data. A schema of a library is compiled
 * once per process, since it never changes.
 * @throws Error with a message for the programmer if the schema can't be sent.
 */
export function compile(schema: unknown): CompiledSchema {
  // Plain data may change, so it is compiled each time.
  if (!isStandard(schema) && !isZod3(schema)) {
    if (isJsonSchema(schema)) return compileJsonSchema(schema);
    throw new Error(refusal(schema));
  }
  const known = compiled.get(schema) ?? compileOfLibrary(schema);
  compiled.set(schema, known);
  return known;
}

function compileOfLibrary(schema: StandardSchema | Zod3Schema): CompiledSchema {
  if (writesItself(schema)) return compileStandard(schema);
  if (isZod4(schema)) return compileZod4(schema);
  if (isZod3(schema)) return compileZod3(schema);
  throw new Error(refusal(schema));
}

function refusal(schema: unknown): string {
  if (isStandard(schema)) {
    const { vendor } = schema["~standard"];
    const advice =
      vendor === "valibot"
        ? "wrap it in toStandardJsonSchema() from @valibot/to-json-schema"
        : "give a zod schema, or JSON Schema as plain data";
    return `a schema of ${vendor} can't write itself as JSON Schema; ${advice}`;
  }
  if (isPlainObject(schema) && Object.values(schema).some((field) => isStandard(field) || isZod3(field))) {
    return "it is the shape of an object; wrap it, for example z.object({ path: z.string() })";
  }
  const kind = typeof schema === "object" ? "an object that is no schema" : `a ${typeof schema}`;
  const given = schema === undefined || schema === null ? "nothing" : kind;
  return `${given} was given; give a zod schema, for example z.object({ path: z.string() }), or JSON Schema, for example { type: "object", properties: {} }`;
}
