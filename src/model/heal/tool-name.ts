// Finds the tool that a written name means. Decoration, case and separators are ignored; similar names never match.

/** The longest name that is read, in characters. */
const maxLength = 300;

/**
 * The name of the tool that the written name means; undefined if no tool or more than one matches.
 * Similar names and parts of names never match: `execute_python` must not become `execute_command`.
 */
export function findToolName(written: string, names: readonly string[]): string | undefined {
  const exact = new Set(names);
  if (exact.has(written)) return written;
  if (written.length > maxLength) return undefined;
  const byForm = namesByForm(names);
  const bare = undecorated(written);
  // A name of a tool may itself look decorated, so both readings have to agree.
  const byBare = exact.has(bare) ? bare : findByForm(bare, byForm);
  const byWritten = findByForm(written, byForm);
  if (byBare !== undefined && byWritten !== undefined && byBare !== byWritten) return undefined;
  return byBare ?? byWritten;
}

/** The name without decoration from training formats: namespaces, counters, tokens, quotes. */
function undecorated(written: string): string {
  let name = written;
  for (;;) {
    const before = name;
    name = name
      .trim()
      .replace(/^(?:<\|[^|<>]*\|>)+/, "")
      .replace(/<\|.*$/s, "")
      .replace(/^(["'`])(.*)\1$/s, "$2")
      .replace(/^(?:functions?|default_api|tools?)(?:[./]|::?)(?!\d+$)/i, "")
      .replace(/\(\s*\)$/, "")
      .replace(/:\d+$/, "");
    if (name === before) return name;
  }
}

/** The names by their normalized forms. A form that two names share maps to undefined. */
function namesByForm(names: readonly string[]): ReadonlyMap<string, string | undefined> {
  const byForm = new Map<string, string | undefined>();
  for (const name of names) {
    for (const key of formsOf(name)) byForm.set(key, byForm.has(key) ? undefined : name);
  }
  return byForm;
}

function findByForm(name: string, byForm: ReadonlyMap<string, string | undefined>): string | undefined {
  const keys = formsOf(name).filter((key) => byForm.has(key));
  const matches = new Set(keys.map((key) => byForm.get(key)));
  return matches.size === 1 ? byForm.get(keys[0] ?? "") : undefined;
}

/** The normalized forms of a name: `readFile` gives `readfile` and `read_file`. */
function formsOf(name: string): readonly string[] {
  const normalize = (text: string): string => text.toLowerCase().replace(/[-. ]/g, "_");
  const separated = name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").replace(/([A-Z])([A-Z][a-z])/g, "$1_$2");
  return [...new Set([normalize(name), normalize(separated)])];
}
