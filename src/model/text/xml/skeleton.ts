// Parses the structure of XML calls. fast-xml-parser reads only skeletons that our scanner wrote, never a model's text.

import { XMLParser } from "fast-xml-parser";
import type { Json, JsonObject } from "../../../core/index.js";
import { isPlainObject } from "../../../core/internal.js";
import type { XmlCall } from "../reading/reading.js";

const parser = new XMLParser({
  preserveOrder: true,
  parseTagValue: false,
  trimValues: false,
  processEntities: false,
  // The scanner enforces a lower limit itself.
  maxNestedTags: 256,
});

/** A node as the parser gives it: `{ "#text": "0" }` or `{ "leaf-0": [...] }`. */
type Node = Readonly<Record<string, unknown>>;

/** Builds the fields of a located call. */
export function readSkeleton({ skeleton, names, bodies }: Omit<XmlCall, "name">): JsonObject {
  const [root] = parser.parse(`<arguments>${skeleton}</arguments>`) as readonly Node[];
  return objectOf(nodesOf(root?.["arguments"]), { names, bodies });
}

interface Tables {
  readonly names: readonly string[];
  readonly bodies: readonly string[];
}

function nodesOf(value: unknown): readonly Node[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}

/** The fields by name. A field that is given several times is a list of texts. */
function objectOf(nodes: readonly Node[], tables: Tables): JsonObject {
  const fields = new Map<string, Json>();
  const lists = new Map<string, Json[]>();
  for (const node of nodes) {
    const [name, value] = fieldOf(node, tables);
    const before = fields.get(name);
    if (before === undefined) fields.set(name, value);
    else {
      const list = lists.get(name) ?? [before];
      list.push(value);
      lists.set(name, list);
      fields.set(name, list);
    }
  }
  return Object.fromEntries(fields);
}

function fieldOf(node: Node, tables: Tables): readonly [name: string, value: Json] {
  const [element = "", content] = Object.entries(node)[0] ?? [];
  const [kind, index] = element.split("-");
  const name = tables.names[Number(index)] ?? "";
  const nodes = nodesOf(content);
  if (kind === "leaf") return [name, tables.bodies[Number(nodes[0]?.["#text"])] ?? ""];
  return [name, kind === "array" ? nodes.map((item) => fieldOf(item, tables)[1]) : objectOf(nodes, tables)];
}
