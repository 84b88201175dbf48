// Names in references of JSON Schema.

/** The name in one part of a reference such as `#/$defs/List%3Cstring%3E`. */
export function decodeName(part: string): string {
  let name = part;
  try {
    name = decodeURIComponent(part);
  } catch {
    // A lone percent sign stands for itself.
  }
  return name.replaceAll("~1", "/").replaceAll("~0", "~");
}
