// Finds the places at which UTF-8 bytes may be cut.

/** The number of bytes that form whole characters. A character that was cut at the end does not count. */
export function wholeLength(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (isContinuation(byte)) continue;
    return sizeOf(byte) > back ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

/** The index of the first whole character. The rest of a character that was cut is skipped. */
export function firstWhole(bytes: Uint8Array): number {
  const start = bytes.subarray(0, 4).findIndex((byte) => !isContinuation(byte));
  return Math.max(0, start);
}

function isContinuation(byte: number): boolean {
  return (byte & 0b1100_0000) === 0b1000_0000;
}

/** The number of bytes of a character that starts with `byte`. */
function sizeOf(byte: number): number {
  if (byte >= 0b1111_0000) return 4;
  if (byte >= 0b1110_0000) return 3;
  return byte >= 0b1100_0000 ? 2 : 1;
}
