// Writes the part of the system prompt that explains the XML dialect and the tools.

import type { Json, ToolDescription } from "../../../core/index.js";
import { isPlainObject } from "../../../core/internal.js";
import { resolve } from "../reading/shape.js";
import { writeCall } from "./write-xml.js";

/** The depth to which fields are listed and shown in the example. */
const levels = 4;

const rules = `You call tools by writing XML in your reply. A call looks like this:

<tool>
<tool_name>the tool's name</tool_name>
<arguments>
  <name_of_an_argument>its value</name_of_an_argument>
</arguments>
</tool>

- Each argument is one element, named as the tool says. A list holds one <item> for each of its elements; an object holds one element for each of its fields.
- Wrap a text that holds < or & in <![CDATA[ and ]]>; nothing in it is escaped then. Write ]]> within it as ]]]]><![CDATA[>. A short text may be escaped instead: &lt; and &amp;.
- Several calls may follow one another in a reply; each begins on a line of its own.
- Never write a call that you don't mean to run, not even as an example or in a code block.
- Results come back as <tool_result>. You never write that yourself.`;

/** Explains the XML dialect, and each tool with its arguments and one example. Deterministic; keeps the order of the tools. */
export function describeTools(tools: readonly ToolDescription[]): string {
  return [rules, "The tools:", ...tools.map(describe)].join("\n\n");
}

function describe({ name, description, parameters }: ToolDescription): string {
  const listed = fieldLines(parameters, parameters, "", 0);
  return [
    `## ${name}`,
    ...(description === "" ? [] : [description]),
    ...(listed.length === 0 ? ["No arguments."] : ["Arguments:", ...listed]),
    "Example:",
    writeCall({ name, input: exampleOf(parameters, parameters, 0) }),
  ].join("\n");
}

type Schema = Readonly<Record<string, unknown>>;

function fieldLines(schema: unknown, root: Schema, indent: string, level: number): readonly string[] {
  if (level >= levels) return [];
  const forms = resolve(schema, root);
  const isList = ({ items }: Schema): boolean => items !== undefined;
  const ofItems = forms.filter(isList).flatMap(({ items }) => fieldLines(items, root, indent, level));
  const ofFields = fieldsOf(forms.filter((form) => !isList(form))).flatMap(({ name, field, need }) => [
    fieldLine(name, field, { root, indent, need }),
    ...fieldLines(field, root, `${indent}  `, level + 1),
  ]);
  return [...ofItems, ...ofFields];
}

/** A field of a value that has one form or several. */
interface Field {
  readonly name: string;
  readonly field: unknown;
  need: "required" | "required in one form" | "optional";
}

/** The fields of all forms. A field that is the same in several forms is listed once. */
function fieldsOf(forms: readonly Schema[]): readonly Field[] {
  const fields = new Map<string, Field>();
  for (const { properties, required } of forms) {
    const needed: readonly unknown[] = Array.isArray(required) ? required : [];
    for (const [name, field] of Object.entries(isPlainObject(properties) ? properties : {})) {
      const need = needed.includes(name) ? "required" : "optional";
      const key = JSON.stringify([name, field]);
      const known = fields.get(key);
      if (known === undefined) fields.set(key, { name, field, need });
      else if (known.need !== need) known.need = "required in one form";
    }
  }
  return [...fields.values()];
}

interface FieldContext extends Pick<Field, "need"> {
  readonly root: Schema;
  readonly indent: string;
}

function fieldLine(name: string, field: unknown, { root, indent, need }: FieldContext): string {
  const description = isPlainObject(field) ? field["description"] : undefined;
  const words = typeof description === "string" && description !== "" ? `: ${description}` : "";
  return `${indent}- ${name} (${typeOf(field, root)}, ${need})${words}`;
}

function typeOf(schema: unknown, root: Schema): string {
  const types = resolve(schema, root).map((choice) => {
    const { type, enum: choices, const: only, items } = choice;
    if (only !== undefined) return JSON.stringify(only);
    if (Array.isArray(choices)) return `one of ${choices.map((one) => JSON.stringify(one)).join(", ")}`;
    const kind = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string").join(" or ");
    return kind === "array" && items !== undefined
      ? `list of ${typeOf(items, root)}`
      : kind === "array"
        ? "list"
        : kind || "any";
  });
  return [...new Set(types)].join(" or ") || "any";
}

/** An example of a value, with the required fields. It need not satisfy every rule of the schema. */
function exampleOf(schema: unknown, root: Schema, level: number): Json {
  const { default: preset, enum: choices, const: only, examples, ...rest } = resolve(schema, root)[0] ?? {};
  const given = [
    preset,
    only,
    ...[choices, examples].map((list) => (Array.isArray(list) ? (list as readonly unknown[])[0] : undefined)),
  ];
  const first = given.find((one) => one !== undefined);
  if (first !== undefined) return first as Json;
  const kind: unknown = Array.isArray(rest["type"]) ? (rest["type"] as readonly unknown[])[0] : rest["type"];
  if (kind === "array")
    return rest["items"] === undefined || level >= levels ? [] : [exampleOf(rest["items"], root, level + 1)];
  if (kind === "integer" || kind === "number") return typeof rest["minimum"] === "number" ? rest["minimum"] : 1;
  if (kind === "boolean") return true;
  if (kind === "null") return null;
  const { properties, required } = rest;
  if (kind !== "object" && properties === undefined) return "...";
  const fields = isPlainObject(properties) ? properties : {};
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  return Object.fromEntries(
    level >= levels ? [] : names.map((name) => [name, exampleOf(fields[name], root, level + 1)]),
  );
}
