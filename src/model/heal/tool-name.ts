// Which tool a written name means: decoration and case are forgiven, likeness is not.

/** Names longer than this are no names. */
const longest = 300;

/**
 * The tool's name that is meant by the written one; undefined where none is, or more than one could be.
 * Never by likeness or by a part: `execute_python` must not become `execute_command`.
 */
export function findToolName(written: string, names: readonly string[]): string | undefined {
  const exact = new Set(names);
  if (exact.has(written)) return written;
  if (written.length > longest) return undefined;
  const folded = foldAll(names);
  const bare = undecorated(written);
  const byBare = exact.has(bare) ? bare : findFolded(bare, folded);
  const byWritten = findFolded(written, folded);
  if (byBare !== undefined && byWritten !== undefined && byBare !== byWritten) return undefined;
  return byBare ?? byWritten;
}

/** The name without what training formats put around it: namespaces, counters, tokens, quotes. */
function undecorated(written: string): string {
  let name = written;
  for (;;) {
    const before = name;
    name = name
      .trim()
      .replace(/^(?:<\|[^|<>]*\|>)+/, "")
      .replace(/<\|.*$/s, "")
      .replace(/^(["'`])(.*)\1$/s, "$2")
      .replace(/^(?:functions|default_api|tools)\./, "")
      .replace(/:\d+$/, "");
    if (name === before) return name;
  }
}

/** The names by their foldings; undefined where two share one. */
function foldAll(names: readonly string[]): ReadonlyMap<string, string | undefined> {
  const folded = new Map<string, string | undefined>();
  for (const name of names) {
    for (const key of foldings(name)) folded.set(key, folded.has(key) ? undefined : name);
  }
  return folded;
}

function findFolded(name: string, folded: ReadonlyMap<string, string | undefined>): string | undefined {
  const keys = foldings(name).filter((key) => folded.has(key));
  const found = new Set(keys.map((key) => folded.get(key)));
  return found.size === 1 ? folded.get(keys[0] ?? "") : undefined;
}

/** Small letters with one kind of separator; and the same with the humps of camelCase separated. */
function foldings(name: string): readonly string[] {
  const fold = (text: string): string => text.toLowerCase().replace(/[-. ]/g, "_");
  const separated = name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").replace(/([A-Z])([A-Z][a-z])/g, "$1_$2");
  return [...new Set([fold(name), fold(separated)])];
}
