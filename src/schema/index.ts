// lastcall/schema: any schema a tool may have, made ready to be sent and to validate with.

import {
  isPlainObject,
  type ArgumentIssue,
  type CompiledSchema,
  type JsonObject,
  type StandardIssue,
  type StandardSchema,
} from "../core/index.js";

/** A Standard Schema that can also write itself as JSON Schema, as zod does from 4.2 on. */
interface StandardJsonSchema extends StandardSchema {
  readonly "~standard": StandardSchema["~standard"] & {
    readonly jsonSchema: {
      readonly input: (options: { readonly target: string; readonly libraryOptions?: object }) => unknown;
    };
  };
}

/**
 * Compiles a schema of zod 4.2 or later. The schema's own copy of zod writes its JSON Schema, so no package is loaded here.
 * @throws Error with words for the programmer where the schema can't be sent.
 */
export function compile(schema: unknown): CompiledSchema {
  if (!isStandard(schema)) throw new Error("give a zod 4 object schema, for example z.object({ path: z.string() })");
  if (!writesJsonSchema(schema)) throw new Error("it can't write itself as JSON Schema; use zod 4.2 or later");
  const json = schema["~standard"].jsonSchema.input({ target: "draft-07", libraryOptions });
  if (!isPlainObject(json) || json["type"] !== "object") {
    throw new Error("a tool's arguments are an object; wrap it, for example z.object({ value: ... })");
  }
  const { $schema: _dialect, ...parameters } = json as JsonObject;
  return {
    json: parameters,
    async validate(value) {
      const result = await schema["~standard"].validate(value);
      if (result.issues === undefined) return { ok: true, value: result.value };
      return { ok: false, issues: result.issues.map(asIssue) };
    },
  };
}

/** zod's options: what JSON can't say is left open, dates are texts, and the bounds that `int()` always adds are left out. */
const libraryOptions = {
  unrepresentable: "any",
  override({ zodSchema, jsonSchema }: ZodOverride): void {
    if (jsonSchema["minimum"] === Number.MIN_SAFE_INTEGER) delete jsonSchema["minimum"];
    if (jsonSchema["maximum"] === Number.MAX_SAFE_INTEGER) delete jsonSchema["maximum"];
    const { type, coerce } = zodSchema._zod.def;
    if (type !== "date") return;
    if (coerce !== true) throw new Error("JSON has no dates; use z.coerce.date() or z.iso.datetime() for z.date()");
    Object.assign(jsonSchema, { type: "string", format: "date-time" });
  },
};

interface ZodOverride {
  readonly zodSchema: { readonly _zod: { readonly def: { readonly type: string; readonly coerce?: boolean } } };
  readonly jsonSchema: Record<string, unknown>;
}

function isStandard(schema: unknown): schema is StandardSchema {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return false;
  return "~standard" in schema;
}

function writesJsonSchema(schema: StandardSchema): schema is StandardJsonSchema {
  return "jsonSchema" in schema["~standard"];
}

function asIssue({ message, path = [] }: StandardIssue): ArgumentIssue {
  const keys = path.map((part) => (typeof part === "object" ? part.key : part));
  const where = keys.reduce<string>((before, key) => {
    if (typeof key === "number") return `${before}[${String(key)}]`;
    return before === "" ? String(key) : `${before}.${String(key)}`;
  }, "");
  return { path: where, message };
}
