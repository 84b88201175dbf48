// The fields of a form for a reply, by the JSON Schema of the reply.

/** A field of a form. */
export interface Field {
  /** The name of the property; empty if the field is the whole reply. */
  readonly name: string;
  readonly label: string;
  /** The values that it can have. Undefined if it is free. */
  readonly choices: readonly string[] | undefined;
  readonly isNumber: boolean;
  readonly isRequired: boolean;
  /** True if the text is JSON. */
  readonly isJson: boolean;
}

interface Schema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly description?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** The fields for a schema: one for each property of an object, or one for everything else. */
export function fieldsIn(schema: object | undefined, label: string): readonly Field[] {
  const whole = { name: "", label, choices: undefined, isNumber: false, isRequired: true };
  if (schema === undefined) return [{ ...whole, isJson: false }];
  const { properties, required = [], ...own } = schema as Schema;
  if (properties === undefined)
    return [own.type === "object" ? { ...whole, label: "Answer as JSON", isJson: true } : fieldOf("", own, true)];
  return Object.entries(properties).map(([name, part]) => fieldOf(name, part, required.includes(name)));
}

function fieldOf(name: string, { type, enum: values, description }: Schema, isRequired: boolean): Field {
  const choices =
    type === "boolean" ? ["true", "false"] : values?.filter((value): value is string => typeof value === "string");
  const isNumber = type === "number" || type === "integer";
  const label = typeof description === "string" ? `${name}: ${description}` : name || "Answer";
  const isJson = choices === undefined && !isNumber && type !== "string";
  return { name, label: isJson ? `${label} (JSON)` : label, choices, isNumber, isRequired, isJson };
}

/**
 * The reply that the values of the fields say. Fields without a value are left out.
 * @throws Error for a value that is no JSON where JSON is needed.
 */
export function readReply(
  schema: object | undefined,
  fields: readonly Field[],
  values: Readonly<Record<string, string>>,
): unknown {
  if (schema === undefined) return values[""] ?? "";
  const read = fields.flatMap((field): readonly (readonly [string, unknown])[] => {
    const text = values[field.name] ?? "";
    return text === "" && !field.isRequired ? [] : [[field.name, valueOf(field, text)]];
  });
  const [whole] = read;
  return whole?.[0] === "" ? whole[1] : Object.fromEntries(read);
}

function valueOf({ label, choices, isNumber, isJson }: Field, text: string): unknown {
  if (isNumber) return Number(text);
  if (choices?.[0] === "true") return text === "true";
  if (!isJson) return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new Error(`${label} is no JSON.`);
  }
}
