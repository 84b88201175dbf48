// Text from bytes: of a file, or of standard input.

import { isUtf8 } from "node:buffer";

/** The text without a byte order mark, its lines ended by a line feed alone. @throws Error if the bytes are no text. */
export function decoded(bytes: Buffer): string {
  if (bytes.includes(0) || !isUtf8(bytes)) throw new Error("it is binary, or no UTF-8 text");
  return bytes
    .toString()
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n");
}
