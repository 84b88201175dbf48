// What is changed in the JSON Schema that zod 4 writes, whichever copy of it writes.

/** A part of a schema, as zod hands it over while writing. */
export interface ZodOverride {
  readonly zodSchema: {
    readonly _zod: { readonly def: { readonly type: string; readonly coerce?: unknown } };
    readonly description?: unknown;
    readonly meta?: unknown;
  };
  readonly jsonSchema: Record<string, unknown>;
}

/** What is thrown where a date can't be read from JSON. */
export const noDates = "JSON has no dates; use z.coerce.date() or z.iso.datetime() for z.date()";

/**
 * Leaves out the bounds that `int()` always adds, and has dates as texts.
 * @throws Error with words for the programmer for a date that isn't coerced.
 */
export function override({ zodSchema, jsonSchema }: ZodOverride): void {
  if (jsonSchema["minimum"] === Number.MIN_SAFE_INTEGER) delete jsonSchema["minimum"];
  if (jsonSchema["maximum"] === Number.MAX_SAFE_INTEGER) delete jsonSchema["maximum"];
  const { type, coerce } = zodSchema._zod.def;
  if (type !== "date") return;
  if (coerce !== true) throw new Error(noDates);
  Object.assign(jsonSchema, { type: "string", format: "date-time" });
}
