// Mended fetch: the fetch function for servers over HTTP. The answer to a request is a message of the protocol, whatever the server sent.

import { explain, isPlainObject } from "../../core/internal.js";
import { foreignLine } from "../foreign/foreign-text.js";
import { withDigits } from "./keep-digits.js";
import { brokenAnswer, mendAnswer } from "./mend-answer.js";

/**
 * Makes a fetch function that reads whole answers to requests. An answer whose id is missing or null belongs to the request that it
 * answers. An answer that is no message becomes an error with the words of the server. Streams of events pass as they are.
 */
export function mendedFetch(inner: typeof fetch): typeof fetch {
  return async (input, init) => {
    const answer = await inner(input, init);
    const asked = requestIn(init?.body);
    const kind = answer.headers.get("content-type") ?? "";
    if (asked === undefined || !answer.ok || /^\s*text\/event-stream/i.test(kind)) return answer;
    // The answer to a later request may come over a stream of its own. A handshake has none yet.
    if (answer.status === 202 && !isHandshake(asked.method)) return answer;
    const headers = new Headers(answer.headers);
    for (const name of ["content-length", "content-encoding"]) headers.delete(name);
    headers.set("content-type", "application/json");
    const text = await answer.text().catch((thrown: unknown) => {
      if (thrown instanceof Error && thrown.message.startsWith("The answer has more than"))
        return JSON.stringify(brokenAnswer(asked.id, explain(thrown)));
      throw thrown;
    });
    return new Response(JSON.stringify(mended(text, kind, asked.id)), { headers });
  };
}

/** The id and the method of the request in a body; undefined if there is none. */
function requestIn(body: unknown): { readonly id: unknown; readonly method: string } | undefined {
  if (typeof body !== "string") return undefined;
  const { id, method } = parse(body) as Readonly<Record<string, unknown>>;
  return id === undefined || typeof method !== "string" ? undefined : { id, method };
}

function isHandshake(method: string): boolean {
  return method === "server/discover" || method === "initialize";
}

function mended(text: string, kind: string, id: unknown): unknown {
  const read = parse(text);
  if (Array.isArray(read) && read.length > 0) return read.map((one: unknown) => mendedMessage(one, id));
  if (isPlainObject(read) && ["id", "result", "error", "method"].some((key) => read[key] !== undefined))
    return mendedMessage(withDigits(read, text), id);
  const what =
    text.trim() === ""
      ? "nothing"
      : `${kind === "" ? "something" : kind} that is no message: ${foreignLine(text, 300)}`;
  return brokenAnswer(id, `The server answered with ${what}`);
}

function mendedMessage(message: unknown, id: unknown): unknown {
  if (!isPlainObject(message) || message["method"] !== undefined) return message;
  return mendAnswer(message, message["id"] ?? id);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return {};
  }
}
