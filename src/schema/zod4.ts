// Route 2: zod 4.0, 4.1, the zod/v4 of zod 3.25 and zod/mini. They can't write themselves, so our copy of zod writes them.

import type * as Zod from "zod/v4/core";
import { isPlainObject, type CompiledSchema, type StandardSchema } from "../core/internal.js";
import { late } from "./late.js";
import { asParameters } from "./tool-parameters.js";
import { isStandard, validator } from "./standard.js";
import { override, type ZodOverride } from "./zod-override.js";

/** True for a schema of any copy of zod 4. */
export function isZod4(schema: unknown): schema is StandardSchema {
  return isStandard(schema) && "_zod" in schema;
}

/** Compiles a schema of a zod 4 that can't write itself as JSON Schema. */
export function compileZod4(schema: StandardSchema): CompiledSchema {
  const { toJSONSchema } = late("zod", (require) => require("zod/v4/core") as typeof Zod);
  const json = toJSONSchema(schema as unknown as Zod.$ZodType, {
    io: "input",
    target: "draft-7",
    unrepresentable: "any",
    override(context: ZodOverride) {
      describe(context);
      override(context);
    },
  });
  return { json: asParameters(json), validate: validator(schema) };
}

/** Adds descriptions. Before 4.1 each copy of zod stored them in its own registry, which our copy does not see. */
function describe({ zodSchema, jsonSchema }: ZodOverride): void {
  const { description, meta } = zodSchema;
  const metadata: unknown = typeof meta === "function" ? meta.call(zodSchema) : undefined;
  const known: Readonly<Record<string, unknown>> = { description, ...(isPlainObject(metadata) && metadata) };
  for (const key of ["title", "description", "examples"]) {
    if (known[key] !== undefined) jsonSchema[key] ??= known[key];
  }
}
