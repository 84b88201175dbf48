// Mends answers: makes of what a server answered to a request a message of the protocol, or an error that says what came.

import { isPlainObject, toJson } from "../../core/internal.js";
import { foreignLine } from "../foreign/foreign-text.js";

/** An answer to the request with the id: a result, or an error. */
export interface Answer {
  readonly jsonrpc: "2.0";
  readonly id: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** The code of an error for an answer that can't be read: a parse error, as the protocol has it. */
const unreadable = -32_700;

/** The answer with the id of its request. A text alone is an error, and an error without a code or words gets them. */
export function mendAnswer(sent: Readonly<Record<string, unknown>>, id: unknown): Answer {
  const { result, error } = sent;
  if (error !== undefined && error !== null) return { jsonrpc: "2.0", id, error: mendError(error) };
  if (isPlainObject(result)) return { jsonrpc: "2.0", id, result };
  return brokenAnswer(
    id,
    `The server's answer has neither a result nor an error: ${foreignLine(toJson(sent) ?? "", 300)}`,
  );
}

/** The error in place of an answer that can't be read. */
export function brokenAnswer(id: unknown, message: string): Answer {
  return { jsonrpc: "2.0", id, error: { code: unreadable, message } };
}

function mendError(error: unknown): NonNullable<Answer["error"]> {
  const { code, message, data } = isPlainObject(error) ? error : { code: undefined, message: error, data: undefined };
  return {
    code: Number.isSafeInteger(code) ? (code as number) : -32_603,
    message: typeof message === "string" && message !== "" ? message : `an error without words: ${toJson(error) ?? ""}`,
    ...(data !== undefined && { data }),
  };
}

/**
 * The result of `initialize` with the parts that the protocol demands. A server without a name, or with words in place of its capabilities,
 * can be used all the same.
 */
export function mendHandshake(result: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { serverInfo, capabilities, instructions, ...rest } = result;
  const { name, version } = isPlainObject(serverInfo) ? serverInfo : {};
  const able = Object.entries(isPlainObject(capabilities) ? capabilities : {}).flatMap(([key, value]) =>
    isPlainObject(value) ? [[key, value]] : value === true ? [[key, {}]] : [],
  );
  return {
    ...rest,
    serverInfo: {
      ...(isPlainObject(serverInfo) && serverInfo),
      name: typeof name === "string" ? name : "",
      version: typeof version === "string" ? version : "",
    },
    capabilities: Object.fromEntries(able) as Readonly<Record<string, unknown>>,
    ...(typeof instructions === "string" && { instructions }),
  };
}
