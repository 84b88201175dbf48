// The environment of commands: no variables that may hold a key.

const plainNames: readonly string[] = ["PATH", "HOME", "LANG", "TERM", "TMPDIR", "USER", "SHELL", "TZ"];

/** The variables of this process that commands need, and that hold no secrets. */
export function plainVariables(): Readonly<Record<string, string>> {
  const isPlain = (name: string): boolean => plainNames.includes(name) || name.startsWith("LC_");
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value !== undefined && isPlain(name) ? [[name, value]] : [],
    ),
  );
}
