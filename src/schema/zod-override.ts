// Changes to the JSON Schema that zod 4 writes, used with every copy of zod 4.

/** A part of a schema, as zod passes it to its `override` option. */
export interface ZodOverride {
  readonly zodSchema: {
    readonly _zod: {
      readonly def: { readonly type: string; readonly coerce?: unknown };
      readonly bag?: object;
    };
    readonly description?: unknown;
    readonly meta?: unknown;
  };
  readonly jsonSchema: Record<string, unknown>;
  /** The place in the JSON Schema, such as `["properties", "when"]`. */
  readonly path?: readonly (string | number)[];
}

/** The types that no JSON value fits, with the advice for each. A type that is coerced or read by a codec never gets here. */
const substitutes: ReadonlyMap<string, string> = new Map([
  ["date", "JSON has no dates; use z.coerce.date() or z.iso.datetime() for z.date()"],
  ["bigint", "JSON has no bigints; use z.coerce.bigint(), which the model writes as a text of digits, or z.int()"],
  ["map", "JSON has no maps; use z.record(...), or z.codec(...) from a record to the map"],
  ["set", "JSON has no sets; use z.array(...), or z.codec(...) from a list to the set"],
  ["symbol", "JSON has no symbols; use z.enum([...]) or z.string()"],
  ["function", "JSON has no functions; use z.enum([...]) with a name for each"],
  ["file", "JSON has no files; use z.base64() for the content, or z.string() for the path"],
  ["nan", "JSON has no NaN; use z.null() or z.literal(...)"],
]);

/** The JSON Schema of a bigint that is coerced. */
export const bigintSchema = { type: "string", pattern: "^-?[0-9]+$" } as const;

/** Classes that a JSON value can be an instance of. */
const jsonClasses: readonly unknown[] = [Object, Array];

/** The reason why no JSON value fits a type, with what to use instead. Undefined for any other type. */
export function whyUnfit(type: string, Class?: unknown): string | undefined {
  if (Class === undefined || jsonClasses.includes(Class)) return substitutes.get(type);
  const name = typeof Class === "function" ? Class.name : "a class";
  return `JSON has no instances of ${name}; use z.object({...}) or text, and make the instance with .transform(...)`;
}

/** The class of `z.instanceof(Class)`; undefined for any other schema. */
function classOf(bag: object | undefined): unknown {
  return bag !== undefined && "Class" in bag ? bag.Class : undefined;
}

/** A place in a JSON Schema as the path of a value, such as `a.b[]`. */
function placeOf(path: readonly (string | number)[]): string {
  let place = "";
  for (let at = 0; at < path.length; at += 1) {
    const key = path[at];
    if (key === "properties") place += `${place === "" ? "" : "."}${String(path[(at += 1)])}`;
    else if (key === "items" || key === "prefixItems") place += "[]";
    else if (key === "additionalProperties") place += ".*";
  }
  return place;
}

/** The error for a part of a schema that no JSON value fits. */
export function unfit(path: readonly (string | number)[], why: string): Error {
  const place = placeOf(path);
  return new Error(place === "" ? why : `${place}: ${why}`);
}

/**
 * Removes the bounds that `int()` always adds, and describes dates as strings, and bigints as strings of digits: a number of JSON has
 * too few.
 * @throws Error with a message for the programmer for a type that no JSON value fits, with its path.
 */
export function override({ zodSchema, jsonSchema, path = [] }: ZodOverride): void {
  if (jsonSchema["minimum"] === Number.MIN_SAFE_INTEGER) delete jsonSchema["minimum"];
  if (jsonSchema["maximum"] === Number.MAX_SAFE_INTEGER) delete jsonSchema["maximum"];
  const { def, bag } = zodSchema._zod;
  const why = def.coerce === true ? undefined : whyUnfit(def.type, classOf(bag));
  if (why !== undefined) throw unfit(path, why);
  if (def.type === "date") Object.assign(jsonSchema, { type: "string", format: "date-time" });
  if (def.type === "bigint") Object.assign(jsonSchema, bigintSchema);
}
