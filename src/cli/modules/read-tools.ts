// Reads the exports of a module as tools.

import { LastcallError, type Tool } from "../../core/index.js";
import { visible } from "../display/visible.js";
import type { CommandWorkspace } from "./agent-module.js";
import { callIn, type Exports } from "./load-module.js";

/** Makes the tools of a module for a workspace. @throws LastcallError `configuration` as the module is at fault. */
export type ToolMaker = (workspace: CommandWorkspace) => Promise<readonly Tool[]>;

/**
 * Reads a module for `--tools`: its default export, or else all its exports.
 * @throws LastcallError `configuration` if it exports nothing.
 */
export function readToolsModule(path: string, exports: Exports): ToolMaker {
  const given = "default" in exports ? [["default", exports["default"]] as const] : Object.entries(exports);
  if (given.length === 0)
    throw new LastcallError(
      "configuration",
      `${visible(path)} exports nothing. Export tools: export default tool({ ... });`,
    );
  return async (workspace) => {
    const made: Tool[] = [];
    for (const [name, value] of given) {
      const isFunction = typeof value === "function";
      const result: unknown = isFunction
        ? await callIn(path, () => (value as (given: CommandWorkspace) => unknown)(workspace))
        : value;
      const what = isFunction ? `the function \`${name}\` returned` : `the export \`${name}\` is`;
      made.push(...toolsIn(result, `${visible(path)}: ${what}`));
    }
    return made;
  };
}

/**
 * The tools in a value: a tool, or a list of tools.
 * @param subject The file and the value in words, up to the verb.
 * @throws LastcallError `configuration` if the value is something else.
 */
export function toolsIn(value: unknown, subject: string): readonly Tool[] {
  if (!Array.isArray(value)) {
    if (isTool(value)) return [value];
    throw wrong(`${subject} ${kindOf(value)}. A tool is what tool({ ... }) makes; a list of tools will do, too.`);
  }
  if (value.length === 0) throw wrong(`${subject} an empty list. List the tools, or leave the module out.`);
  return value.map((one: unknown, index) => {
    if (isTool(one)) return one;
    throw wrong(
      `${subject} a list with ${kindOf(one)} at index ${String(index)}. A tool is what tool({ ... }) makes${typeof one === "function" ? "; call this function" : ""}.`,
    );
  });
}

/** Tells by the form, because the module may have another copy of the package. */
function isTool(value: unknown): value is Tool {
  const { name, run, breaks } = (value ?? {}) as Partial<Record<keyof Tool, unknown>>;
  return typeof name === "string" && typeof run === "function" && typeof breaks === "function";
}

/** The kind of a value in words, with an article. */
export function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return isTool(value) ? "a tool" : "an object that is no tool";
  return `a ${typeof value}`;
}

function wrong(message: string): LastcallError {
  return new LastcallError("configuration", message);
}
