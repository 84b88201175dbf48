// Route 1: schemas that can write themselves as JSON Schema (zod from 4.2 on, arktype, wrapped valibot). No package is loaded.

import type { CompiledSchema, StandardSchema } from "../core/internal.js";
import { fromLibrary } from "./issue.js";
import { asParameters } from "./tool-parameters.js";
import { noDates, override } from "./zod-override.js";

/** A Standard Schema that can also write itself as JSON Schema. */
export interface StandardJsonSchema extends StandardSchema {
  readonly "~standard": StandardSchema["~standard"] & {
    readonly jsonSchema: {
      readonly input: (options: { readonly target: string; readonly libraryOptions?: object }) => unknown;
    };
  };
}

/** True for a Standard Schema. It may be a function, because arktype's schemas are. */
export function isStandard(schema: unknown): schema is StandardSchema {
  if ((typeof schema !== "object" && typeof schema !== "function") || schema === null) return false;
  return "~standard" in schema;
}

/** True for a Standard Schema that can write itself as JSON Schema. */
export function writesItself(schema: unknown): schema is StandardJsonSchema {
  return isStandard(schema) && "jsonSchema" in schema["~standard"];
}

/** Compiles a schema that writes itself as JSON Schema. */
export function compileStandard(schema: StandardJsonSchema): CompiledSchema {
  const { vendor, jsonSchema } = schema["~standard"];
  const libraryOptions = optionsFor.get(vendor);
  const options = { target: "draft-07", ...(libraryOptions !== undefined && { libraryOptions }) };
  return { json: asParameters(jsonSchema.input(options)), validate: validator(schema) };
}

/** Validates with the schema itself. */
export function validator(schema: StandardSchema): CompiledSchema["validate"] {
  return async (value) => {
    const result = await schema["~standard"].validate(value);
    if (result.issues === undefined) return { ok: true, value: result.value };
    return { ok: false, issues: fromLibrary(result.issues, value) };
  };
}

/** Options for each library. Types that JSON can't express accept any value; dates that can't be parsed from JSON are refused. */
const optionsFor: ReadonlyMap<string, object> = new Map<string, object>([
  ["zod", { unrepresentable: "any", override }],
  [
    "arktype",
    {
      fallback: {
        proto({ proto, base }: { readonly proto: unknown; readonly base: unknown }) {
          return proto === Date ? refuseDate() : base;
        },
        date: refuseDate,
      },
    },
  ],
]);

function refuseDate(): never {
  throw new Error(noDates.replace(/use.*/, 'use "string.date.parse" for "Date"'));
}
