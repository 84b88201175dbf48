// Looks through what may stand in front of a command without changing what it does.

/** Variables that programs take for a wish about their output or their environment, and that make none run anything. */
const harmlessNames: ReadonlySet<string> = new Set(
  "CI NODE_ENV NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE TZ LANG LANGUAGE COLUMNS LINES RUST_BACKTRACE PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE".split(
    " ",
  ),
);

/** True if the variable may be set for any command. A value may not lead to a file. */
export function isHarmlessAssignment(name: string, value: string): boolean {
  if (!harmlessNames.has(name) && !/^LC_[A-Z]+$/.test(name)) return false;
  return name === "TZ"
    ? /^(?:[A-Za-z0-9_+-]+(?:\/[A-Za-z0-9_+-]+)*)?$/.test(value)
    : /^[A-Za-z0-9_.@:+-]*$/.test(value);
}

const duration = /^\d+(?:\.\d+)?[smhd]?$/;

/** The words behind `timeout` and its own; undefined if there is no `timeout` that is understood. */
export function behindTimeout([name, ...words]: readonly string[]): readonly string[] | undefined {
  if (name !== "timeout") return undefined;
  const rest = [...words].reverse();
  for (let word = rest.pop(); word !== undefined; word = rest.pop()) {
    if (/^--(?:foreground|preserve-status)$/.test(word)) continue;
    if (/^-[ks]$/.test(word)) {
      const value = rest.pop() ?? "";
      if (!(word === "-k" ? duration : /^[A-Z0-9]+$/).test(value)) return undefined;
      continue;
    }
    if (!duration.test(word) || rest.length === 0) return undefined;
    return rest.reverse();
  }
  return undefined;
}
