// Answers and bodies in JSON.

import { LastcallError } from "../../core/index.js";
import { explain, isPlainObject } from "../../core/internal.js";

/** A JSON answer. */
export function json(status: number, value: unknown): Response {
  return jsonText(status, JSON.stringify(value));
}

/** An answer whose text is JSON already. */
export function jsonText(status: number, text: string): Response {
  return new Response(text, {
    status,
    headers: { "content-type": "application/json", "cache-control": "no-store" },
  });
}

/** An answer that says what is wrong. */
export function problem(status: number, message: string): Response {
  return json(status, { error: message });
}

/** A request that can't be carried out as it came. */
export class BadRequest extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * The answer to a request that failed. A fault that is nobody's mistake is thrown on.
 * @param shown makes of the message of a fault what a client may read.
 */
export function problemOf(thrown: unknown, shown: (message: string) => string): Response {
  if (thrown instanceof BadRequest) return problem(thrown.status, thrown.message);
  if (!(thrown instanceof LastcallError)) throw thrown;
  // The caller is known, and may not do this.
  if (thrown.code === "not_allowed") return problem(403, shown(thrown.message));
  // The session takes no such input, or the input is of another form than it waits for.
  if (thrown.code === "configuration") return problem(409, shown(thrown.message));
  return problem(thrown.code === "store" ? 503 : 500, shown(thrown.message));
}

/** @throws BadRequest with what is wrong with the request. */
export function asGiven<Value>(read: () => Value): Value {
  try {
    return read();
  } catch (thrown) {
    throw new BadRequest(400, explain(thrown));
  }
}

/** The object in the body of a request, with these fields alone. */
export async function bodyOf(
  request: Request,
  { fields, most }: { readonly fields: readonly string[]; readonly most: number },
): Promise<Readonly<Record<string, unknown>>> {
  const value = await objectIn(request, most);
  const unknown = Object.keys(value).filter((field) => !fields.includes(field));
  if (unknown.length === 0) return value;
  throw new BadRequest(400, `There is no field ${unknown.join(", ")}: the fields are ${fields.join(", ")}.`);
}

/** The object in the body of a request, whatever its fields are. */
export async function objectIn(request: Request, most: number): Promise<Readonly<Record<string, unknown>>> {
  const value = parse(await textOf(request, most));
  if (!isPlainObject(value)) throw new BadRequest(400, "The body is no JSON object.");
  return value;
}

/** The text of a body that is not too long. A longer body is not read to its end. */
async function textOf({ body, headers }: Request, most: number): Promise<string> {
  const tooLong = new BadRequest(413, `The body is longer than ${String(most)} bytes.`);
  if (Number(headers.get("content-length") ?? 0) > most) throw tooLong;
  const decoder = new TextDecoder();
  let [text, length] = ["", 0];
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
    length += piece.byteLength;
    if (length > most) throw tooLong;
    text += decoder.decode(piece, { stream: true });
  }
  return text + decoder.decode();
}

/** The most objects and lists within each other that a body may have. Whatever reads it goes through them one in the other. */
const deepest = 100;

function parse(text: string): unknown {
  if (isDeeper(text, deepest))
    throw new BadRequest(
      400,
      `The body has more than ${String(deepest)} levels of objects and lists: send a flatter one.`,
    );
  try {
    return JSON.parse(text === "" ? "{}" : text);
  } catch {
    throw new BadRequest(400, "The body is no JSON.");
  }
}

/** True if the JSON text has more levels than these. */
function isDeeper(text: string, most: number): boolean {
  let depth = 0;
  // A text that is no JSON may count wrong, and is refused all the same.
  for (const [part] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (part === "[" || part === "{") depth += 1;
    else if (part === "]" || part === "}") depth -= 1;
    if (depth > most) return true;
  }
  return false;
}

/** A field that is a text, if it is there. */
export function textField(body: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const value = body[name];
  if (value === undefined || (typeof value === "string" && value !== "")) return value;
  throw new BadRequest(400, `${name} is no text.`);
}
