// The environment of commands: no variables that may hold a key, and none that let a program wait for a person.

const plainNames: readonly string[] = ["PATH", "HOME", "LANG", "TERM", "TMPDIR", "USER", "SHELL", "TZ"];

/** Nobody is at the terminal of a command: it must not open an editor or a pager, or ask for a password. */
const unattended: Readonly<Record<string, string>> = {
  PAGER: "cat",
  GIT_PAGER: "cat",
  MANPAGER: "cat",
  GIT_EDITOR: "true",
  GIT_SEQUENCE_EDITOR: "true",
  EDITOR: "true",
  VISUAL: "true",
  GIT_TERMINAL_PROMPT: "0",
  // git does not refresh its index while it only reads, so that no hook runs then.
  GIT_OPTIONAL_LOCKS: "0",
  GIT_ASKPASS: "true",
  SSH_ASKPASS: "true",
  DEBIAN_FRONTEND: "noninteractive",
};

/**
 * Settings of git that the files of a folder can't change: a bare repository in a folder is not obeyed, since some of its files are
 * programs to run, and no program that a repository names watches its files.
 */
const gitSettings: readonly (readonly [key: string, value: string])[] = [
  ["safe.bareRepository", "explicit"],
  ["core.fsmonitor", "false"],
  // Checking a signature runs a program.
  ["log.showSignature", "false"],
];

/**
 * The variables of this process that commands need, and that hold no secrets; and the variables that keep commands from waiting for a
 * person.
 */
export function plainVariables(): Readonly<Record<string, string>> {
  const isPlain = (name: string): boolean => plainNames.includes(name) || name.startsWith("LC_");
  const plain = Object.entries(process.env).flatMap(([name, value]) =>
    value !== undefined && isPlain(name) ? [[name, value] as const] : [],
  );
  const git = gitSettings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${String(index)}`, key] as const,
    [`GIT_CONFIG_VALUE_${String(index)}`, value] as const,
  ]);
  return { ...unattended, GIT_CONFIG_COUNT: String(gitSettings.length), ...Object.fromEntries([...git, ...plain]) };
}
