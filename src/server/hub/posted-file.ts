// Files in the bodies of requests: their bytes in Base64, as they are or in a data URL.

import { LastcallError, type NewAttachment } from "../../core/index.js";

/** A file as a body has it. */
export interface PostedFile {
  /** The bytes in Base64. */
  readonly data: unknown;
  readonly mediaType?: unknown;
  readonly name?: unknown;
}

/**
 * Reads a file of a body. Its bytes are checked when the file is kept.
 * @throws LastcallError `configuration` if it has no bytes in Base64, or fields of another form.
 */
export function readFile({ data, mediaType, name }: PostedFile): NewAttachment {
  if (typeof data !== "string" || data === "") throw wrong("has no bytes: send them in Base64");
  const bytes = Buffer.from(data, "base64");
  // Base64 of the web writes two letters otherwise, and has no end.
  const said = data.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, "");
  if (bytes.toString("base64").replace(/=+$/, "") !== said) throw wrong("is no Base64: send its bytes so");
  for (const text of [mediaType, name])
    if (text !== undefined && typeof text !== "string") throw wrong("has a type or a name that is no text");
  return {
    bytes,
    ...(typeof mediaType === "string" && mediaType !== "" && { mediaType }),
    ...(typeof name === "string" && name !== "" && { name }),
  };
}

/**
 * Reads a file whose bytes are in a data URL. Any other URL is refused: the server asks nobody for a file that a request names.
 * @throws LastcallError `configuration` as `readFile`.
 */
export function readFileAt(url: unknown, about: Omit<PostedFile, "data"> = {}): NewAttachment {
  const match = typeof url === "string" ? /^data:([^,;]*)(?:;[^,]*)?;base64,/i.exec(url) : null;
  if (typeof url !== "string" || match === null)
    throw wrong("is at an address, and this server fetches none: send a data URL with its bytes in Base64");
  const [head, mediaType] = match;
  return readFile({ mediaType: about.mediaType ?? mediaType, name: about.name, data: url.slice(head.length) });
}

function wrong(problem: string): LastcallError {
  return new LastcallError("configuration", `A file of the request ${problem}.`);
}
