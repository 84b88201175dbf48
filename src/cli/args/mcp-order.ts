// The orders about MCP: servers listed, a server tried, and the agent served as a server.

import type { JsonObject } from "../../core/index.js";
import { explain, isPlainObject } from "../../core/internal.js";
import { wrong } from "./options.js";

/** A call of a server's tool on the command line. */
export interface GivenCall {
  /** The name of the tool, as the server or as the model calls it. */
  readonly tool: string;
  readonly input: JsonObject;
}

/** A task of `lastcall mcp`. */
export type McpOrder =
  | { readonly do: "mcp-list" }
  | { readonly do: "mcp-test"; readonly name: string; readonly call: GivenCall | undefined }
  | { readonly do: "mcp-serve" };

/**
 * Reads the words after `mcp`.
 * @throws LastcallError `configuration` for words that are no such order.
 */
export function readMcpOrder([what = "", ...words]: readonly string[]): McpOrder {
  if (what === "list" || what === "serve") {
    if (words.length > 0) throw wrong(`lastcall mcp ${what} takes no other words`, "mcp");
    return { do: `mcp-${what}` };
  }
  if (what !== "test") throw wrong("lastcall mcp needs list, test NAME or serve", "mcp");
  const [name = "", tool, json, ...others] = words;
  if (name === "") throw wrong("lastcall mcp test needs the name of a server; lastcall mcp list has them", "mcp");
  if (others.length > 0)
    throw wrong("lastcall mcp test takes NAME TOOL JSON and no more; put the JSON in quotes", "mcp");
  return { do: "mcp-test", name, call: tool === undefined ? undefined : { tool, input: readInput(json ?? "{}") } };
}

function readInput(json: string): JsonObject {
  let read: unknown;
  try {
    read = JSON.parse(json);
  } catch (thrown) {
    throw wrong(`The arguments of the tool are no JSON: ${explain(thrown)}`, "mcp");
  }
  if (isPlainObject(read)) return read as JsonObject;
  throw wrong('The arguments of the tool must be an object in JSON, such as \'{"path": "."}\'', "mcp");
}
