// Names as a list in a sentence.

/** Joins names for a sentence: `a`, `a or b`, `a, b or c`. */
export function joinNames(names: readonly string[], last: "and" | "or"): string {
  return names.length < 2 ? (names[0] ?? "") : `${names.slice(0, -1).join(", ")} ${last} ${names.at(-1) ?? ""}`;
}
