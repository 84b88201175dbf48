// Reads the reader's code: its mistakes with their lines, and the modules that it imports.

import { parse, type AnyNode, type Program } from "acorn";
import type { Problem, Start } from "./messages.js";

/** The modules that code in the playground may import. */
export const knownModules: readonly string[] = [
  ...["lastcall", "lastcall/schema", "lastcall/model", "lastcall/ai-sdk", "lastcall/tools", "lastcall/checks"],
  ...["lastcall/memory", "lastcall/testing", "lastcall/evals", "lastcall/host", "lastcall/server"],
  "zod",
  "./bank.js",
];

/** The entries that need an operating system. */
const onNode = /^lastcall\/(?:permission|otel|mcp|postgres|dbos|restate|log|command)$/;

/** The code as a worker takes it, or the first mistake in it. */
export type ReadCode = Pick<Start, "code" | "imports" | "places"> | { readonly problem: Problem };

/** Reads the code. */
export function readCode(code: string): ReadCode {
  let program: Program;
  try {
    program = parse(code, { ecmaVersion: "latest", sourceType: "module", locations: true });
  } catch (thrown) {
    const { message, loc } = thrown as { readonly message: string; readonly loc?: { line: number; column: number } };
    const words = message.replace(/ \(\d+:\d+\)$/, "");
    return {
      problem: { message: `${words}.`, line: loc?.line, column: loc === undefined ? undefined : loc.column + 1 },
    };
  }
  const imports: { from: string; names: readonly string[]; line: number }[] = [];
  const places: { start: number; end: number; from: string }[] = [];
  for (const node of nodesIn(program)) {
    const source = "source" in node ? node.source : undefined;
    if (source?.type !== "Literal" || typeof source.value !== "string") continue;
    const line = source.loc?.start.line ?? 1;
    if (!knownModules.includes(source.value)) return { problem: { message: unknownModule(source.value), line } };
    imports.push({ from: source.value, names: namesIn(node), line });
    places.push({ start: source.start, end: source.end, from: source.value });
  }
  return { code, imports, places };
}

function unknownModule(from: string): string {
  if (onNode.test(from)) return `"${from}" needs an operating system: it runs on Node, not in a page.`;
  const entries = knownModules.filter((name) => name.startsWith("lastcall/")).map((name) => name.slice(8));
  return `"${from}" can't be imported here. The page has lastcall with ${entries.join(", ")}, zod and ./bank.js.`;
}

/** The names that an import takes from its module. */
function namesIn(node: AnyNode): readonly string[] {
  if (node.type !== "ImportDeclaration" && node.type !== "ExportNamedDeclaration") return [];
  return node.specifiers.flatMap((one) => {
    if (one.type === "ImportDefaultSpecifier") return ["default"];
    const name = one.type === "ImportSpecifier" ? one.imported : one.type === "ExportSpecifier" ? one.local : undefined;
    return name === undefined ? [] : [name.type === "Literal" ? String(name.value) : name.name];
  });
}

/** Every node of the tree, in the order of the code. */
function* nodesIn(tree: unknown): Generator<AnyNode, void, void> {
  if (Array.isArray(tree)) {
    for (const one of tree) yield* nodesIn(one);
    return;
  }
  if (typeof tree !== "object" || tree === null || !("type" in tree)) return;
  yield tree as AnyNode;
  for (const part of Object.values(tree)) if (typeof part === "object") yield* nodesIn(part);
}

/** The code with the addresses of the modules in place of their names. Lines stay where they are. */
export function withAddresses(
  { code, places }: Pick<Start, "code" | "places">,
  addressOf: (from: string) => string,
): string {
  let text = code;
  for (const { start, end, from } of [...places].reverse())
    text = text.slice(0, start) + JSON.stringify(addressOf(from)) + text.slice(end);
  return text;
}
