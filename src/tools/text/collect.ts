// Joins chunks into one buffer, up to a limit.

/** All the bytes; undefined if there are more than `maxBytes`. Reading stops there. */
export async function collect(chunks: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > maxBytes) return undefined;
    pieces.push(chunk);
  }
  return Buffer.concat(pieces);
}
