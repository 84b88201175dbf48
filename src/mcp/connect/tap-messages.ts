// Taps messages: stands between a transport and the client of the package, which refuses a whole answer for one part that breaks a rule.

import { isPlainObject } from "../../core/internal.js";
import { mendAnswer, mendHandshake } from "./mend-answer.js";
import type { McpTransport } from "./package.js";

/** The messages of a transport. */
export interface Tap {
  /** The result as the server sent it, for the result that the package made of it. */
  sent(shown: unknown): unknown;
  /** True for the error of a request that failed with it. The transport tells such an error before it throws it. */
  hasThrown(error: Error): boolean;
}

/** The code of an error for a request whose connection ended before its answer. No rule of the protocol uses it. */
export const endedEarly = -31_999;

type Plain = Readonly<Record<string, unknown>>;
type Receive = (message: unknown, ...more: readonly unknown[]) => void;

/** The name under which the package carries the number of a result. */
const mark = "lastcall/sent";

/**
 * Taps the transport. An answer reaches the client with the id of its request, as a result or an error. Of lists and results of tools the
 * client sees empty ones, and `sent` has the rest. Progress and answers that come too late do not reach it. A request whose stream ends
 * without an answer fails at once.
 */
export function tapMessages(transport: McpTransport): Tap {
  const open = new Map<string, { readonly id: unknown; readonly method: unknown }>();
  const kept = new Map<number, Plain>();
  const thrownErrors = new WeakSet<object>();
  /** The ids of requests that are texts, and the largest that is a number. */
  const texts = new Set<unknown>();
  let latest = -1;
  let count = 0;
  const hidden = (result: Plain, empty: object): Plain => {
    count += 1;
    kept.set(count, result);
    return { ...empty, _meta: { [mark]: count } };
  };
  const send = transport.send.bind(transport);
  transport.send = async (message, options) => {
    const { id, method, params } = isPlainObject(message) ? message : {};
    if (method === "notifications/cancelled" && isPlainObject(params)) open.delete(keyOf(params["requestId"]));
    if (id === undefined || method === undefined) return send(message, options);
    // Questions before the handshake, such as a question in the newest protocol, have been given up.
    if (method === "initialize") open.clear();
    open.set(keyOf(id), { id, method });
    if (typeof id === "number") latest = Math.max(latest, id);
    else texts.add(id);
    try {
      await send(message, {
        onRequestStreamEnd: () => {
          endEarly(id);
        },
        ...(options as object | undefined),
      });
    } catch (thrown) {
      open.delete(keyOf(id));
      if (thrown instanceof Error) thrownErrors.add(thrown);
      throw thrown;
    }
  };
  const endEarly = (id: unknown): void => {
    const error = { code: endedEarly, message: "the connection ended before the answer came" };
    if (open.delete(keyOf(id))) receive?.({ jsonrpc: "2.0", id, error });
  };
  /** The request of an answer. A lone request is meant by an error that names none. */
  const askedBy = ({ id, error }: Plain): { readonly id: unknown; readonly method: unknown } | undefined => {
    const [only, ...others] = open.values();
    const isNameless = (id === undefined || id === null) && error !== undefined;
    return isNameless && others.length === 0 ? only : open.get(keyOf(id));
  };
  const isLate = (id: unknown): boolean =>
    texts.has(id) || ((typeof id === "number" || typeof id === "string") && Number(id) <= latest);
  const mended = (message: unknown): unknown => {
    if (!isPlainObject(message)) return message;
    if (message["method"] === "notifications/progress") return open.has(tokenOf(message)) ? message : undefined;
    if (message["method"] !== undefined) return message;
    const asked = askedBy(message);
    if (asked === undefined) return isLate(message["id"]) ? undefined : message;
    open.delete(keyOf(asked.id));
    const answer = mendAnswer(message, asked.id);
    return answer.result === undefined ? answer : { ...answer, result: shownOf(asked.method, answer.result, hidden) };
  };
  let receive: Receive | undefined;
  const tapped: Receive = (message, ...more) => {
    const shown = mended(message);
    if (shown !== undefined) receive?.(shown, ...more);
  };
  Object.defineProperty(transport, "onmessage", {
    get: () => receive && tapped,
    set: (given: Receive | undefined) => {
      receive = given === tapped ? receive : given;
    },
    configurable: true,
    enumerable: true,
  });
  return {
    sent(shown) {
      const { _meta } = isPlainObject(shown) ? shown : {};
      const number = isPlainObject(_meta) ? (_meta[mark] as number) : 0;
      const result = kept.get(number);
      kept.delete(number);
      return result ?? shown;
    },
    hasThrown: (error) => thrownErrors.has(error),
  };
}

/** The part of a result that the package sees. */
function shownOf(method: unknown, result: Plain, hidden: (result: Plain, empty: object) => Plain): Plain {
  if (method === "initialize") return mendHandshake(result);
  // A result that asks for input is no end of the call, and the package goes on with it.
  const isEnd = result["resultType"] === undefined || result["resultType"] === "complete";
  if (!isEnd) return result;
  if (method === "tools/list")
    return hidden(result, { resultType: "complete", ttlMs: 0, cacheScope: "private", tools: [] });
  return method === "tools/call" ? hidden(result, { resultType: "complete", content: [] }) : result;
}

/** An id as the key of its request: a server may send a number as a text. */
function keyOf(id: unknown): string {
  return typeof id === "number" || typeof id === "string" ? String(id) : "";
}

function tokenOf({ params }: Plain): string {
  return isPlainObject(params) ? keyOf(params["progressToken"]) : "";
}
