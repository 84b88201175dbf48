// Changes to the JSON Schema that zod 4 writes, used with every copy of zod 4.

/** A part of a schema, as zod passes it to its `override` option. */
export interface ZodOverride {
  readonly zodSchema: {
    readonly _zod: { readonly def: { readonly type: string; readonly coerce?: unknown } };
    readonly description?: unknown;
    readonly meta?: unknown;
  };
  readonly jsonSchema: Record<string, unknown>;
}

/** The error message for a date that can't be parsed from JSON. */
export const noDates = "JSON has no dates; use z.coerce.date() or z.iso.datetime() for z.date()";

/**
 * Removes the bounds that `int()` always adds, and describes dates as strings.
 * @throws Error with a message for the programmer for a date that isn't coerced.
 */
export function override({ zodSchema, jsonSchema }: ZodOverride): void {
  if (jsonSchema["minimum"] === Number.MIN_SAFE_INTEGER) delete jsonSchema["minimum"];
  if (jsonSchema["maximum"] === Number.MAX_SAFE_INTEGER) delete jsonSchema["maximum"];
  const { type, coerce } = zodSchema._zod.def;
  if (type !== "date") return;
  if (coerce !== true) throw new Error(noDates);
  Object.assign(jsonSchema, { type: "string", format: "date-time" });
}
