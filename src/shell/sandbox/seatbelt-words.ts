// The words of macOS sandbox profiles (SBPL): strings, filters of paths, and patterns of names.

/** A string of the profile language. Nothing in a path can end it. */
export function quote(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&")}"`;
}

/** A filter: the path and all that is below it. */
export function below(path: string): string {
  return `(subpath ${quote(path)})`;
}

/** A filter: the path alone. */
export function only(path: string): string {
  return `(literal ${quote(path)})`;
}

/**
 * Filters: files and folders of these names below a folder, at any depth, in any case, existing or not, and all that is in them. In the
 * patterns, `*` is any part of a name, and the only special character. Each pattern has its own filter, so that no filter is long.
 */
export function named(folder: string, patterns: readonly string[], end = "(/|$)"): readonly string[] {
  const start = `^${literally(folder)}/(.*/)?`;
  return patterns.map((pattern) => `(regex ${quote(start + pattern.replace(/[^]/gu, formOf) + end)})`);
}

/** One rule, with a filter a line. Empty without filters, since a rule without a filter is about everything. */
export function rule(verb: "allow" | "deny", operations: string, filters: readonly string[]): readonly string[] {
  const each = [...new Set(filters)];
  return each.length === 0 ? [] : [`(${verb} ${operations}\n  ${each.join("\n  ")})`];
}

/** A rule for each operation that this macOS knows: one unknown word would make the whole profile invalid. */
export function ruleIfKnown(
  verb: "allow" | "deny",
  operations: readonly string[],
  filters: readonly string[] = [],
): readonly string[] {
  const rest = filters.length === 0 ? "" : ` ${[...new Set(filters)].join(" ")}`;
  return operations.map((operation) => `(if (defined? '${operation}) (${verb} ${operation}${rest}))`);
}

/** A character of a pattern of names. */
function formOf(character: string): string {
  if (character === "*") return "[^/]*";
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()];
  return lower === upper ? literally(character) : `[${lower}${upper}]`;
}

function literally(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
