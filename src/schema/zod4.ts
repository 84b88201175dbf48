// Route 2: zod 4.0, 4.1, the zod/v4 of zod 3.25 and zod/mini, which can't write themselves. Our copy of zod writes them.

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

/** Compiles a schema of a zod 4 that can't write itself. */
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

/** Before 4.1 each copy of zod kept descriptions where ours doesn't see them. */
function describe({ zodSchema, jsonSchema }: ZodOverride): void {
  const { description, meta } = zodSchema;
  const said: unknown = typeof meta === "function" ? meta.call(zodSchema) : undefined;
  const known: Readonly<Record<string, unknown>> = { description, ...(isPlainObject(said) && said) };
  for (const key of ["title", "description", "examples"]) {
    if (known[key] !== undefined) jsonSchema[key] ??= known[key];
  }
}
