// Names of tools: the names of a server, with a prefix, in the characters that models may be sent.

import { createHash } from "node:crypto";
import { LastcallError } from "../../core/index.js";

/** The longest name of a tool that providers accept. */
const longest = 64;

/** Separates the server's name from the tool's. No tool of lastcall has it in its name, so no server can take such a name. */
const separator = "__";

/**
 * Checks the name of a server and returns it.
 * @throws LastcallError `configuration` unless it has 1 to 32 letters, digits, `-` or single `_`, and neither begins nor ends with `_`.
 */
export function serverName(name: unknown): string {
  if (typeof name === "string" && name.length <= 32 && /^[a-zA-Z0-9-]+(?:_[a-zA-Z0-9-]+)*$/.test(name)) return name;
  const given = typeof name === "string" ? JSON.stringify(name.slice(0, 100)) : String(name);
  throw new LastcallError(
    "configuration",
    `The name of an MCP server is ${given}: give 1 to 32 letters, digits, - or single _, such as "github".`,
  );
}

/** The name of a tool of the server: no tool of the caller's own has such a name. */
export type ForeignName<Server extends string = string> = `${Server}__${string}`;

/**
 * The name under which the model calls a tool: `<server>__<tool>`, other characters as `_`. A name that is too long, or that another
 * tool of the server has taken, ends with six characters of its digest.
 */
export function toolName(server: string, tool: string, taken: ReadonlySet<string>): ForeignName {
  const plain: ForeignName = `${server}${separator}${tool.replaceAll(/[^a-zA-Z0-9_-]/g, "_")}`;
  if (plain.length <= longest && !taken.has(plain)) return plain;
  const mark = createHash("sha256").update(tool).digest("hex").slice(0, 6);
  // The name of a server is too short for the cut to reach the separator.
  return `${plain.slice(0, longest - mark.length - 1)}_${mark}` as ForeignName;
}
