// Route 1: schemas that can write themselves as JSON Schema (zod from 4.2 on, arktype, wrapped valibot). No package is loaded.

import type { CompiledSchema, StandardSchema } from "../core/internal.js";
import { fromLibrary } from "./issue.js";
import { asParameters } from "./tool-parameters.js";
import { override } from "./zod-override.js";

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

/** Options for each library. A rule that JSON Schema can't express is left out; a type that no JSON value fits is refused. */
const optionsFor: ReadonlyMap<string, object> = new Map<string, object>([
  ["zod", { unrepresentable: "any", override }],
  [
    "arktype",
    {
      fallback: {
        proto({ proto }: { readonly proto: unknown }) {
          throw new Error(
            proto === Date ? noDates : `JSON has no instances of ${nameOf(proto)}; use objects, lists or text`,
          );
        },
        date: refuseDate,
      },
    },
  ],
]);

const noDates = 'JSON has no dates; use "string.date.parse" for "Date"';

function refuseDate(): never {
  throw new Error(noDates);
}

function nameOf(proto: unknown): string {
  return typeof proto === "function" ? proto.name : "a class";
}
