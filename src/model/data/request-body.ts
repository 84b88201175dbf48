// The body of a request, as bytes.

/**
 * The bytes of a body, in parts that are sent one after the other. The bytes of a part never change, so a part can be sent while a later
 * body that begins with the same part is written.
 */
export type RequestBody = readonly Uint8Array[];

/** The number of bytes of a body. */
export function byteLength(body: RequestBody): number {
  return body.reduce((sum, { length }) => sum + length, 0);
}
