// Collecting: chunks made one piece, within a bound.

/** All the bytes; undefined where there are more than `most`, of which no more is read. */
export async function collect(chunks: AsyncIterable<Uint8Array>, most: number): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > most) return undefined;
    pieces.push(chunk);
  }
  return Buffer.concat(pieces);
}
