// Protected paths: what is run, or believed, outside of this run once it is written; whether it is there already or not.

import { isSecretFile, matcher } from "../../files/index.js";
import { spellingOf, pathSpellingOf } from "./same-spelling.js";
import { home, within, type Place } from "./place.js";

/** What other programs run by themselves, or take their permissions from. Nobody is asked: a person can write it by hand. */
const neverWritten: readonly string[] = [
  ".git",
  ".gitmodules",
  ".gitconfig",
  ".hg",
  ".svn",
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".bash_aliases",
  ".profile",
  ".zshrc",
  ".zshenv",
  ".zprofile",
  ".zlogin",
  ".zlogout",
  ".kshrc",
  ".cshrc",
  ".tcshrc",
  ".login",
  ".inputrc",
  ".vimrc",
  ".exrc",
  ".ssh",
  ".gnupg",
  ".aws",
  ".netrc",
  ".pgpass",
  ".git-credentials",
  ".vscode",
  ".idea",
  ".zed",
  "*.code-workspace",
  ".mcp.json",
  ".ripgreprc",
  ".lastcall",
  ".lastcallignore",
  "lastcall.config.*",
  ".claude",
  ".claude.json",
  ".codex",
  ".cursor",
  ".gemini",
  ".forge",
  ".roo",
  ".roomodes",
  ".kiro",
  ".amazonq",
  ".cline",
  ".continue",
  ".windsurf",
  ".aider.conf.yml",
  ".opencode",
  "opencode.json",
  ".config/fish",
  ".config/git",
  ".config/lastcall",
];

/** What is read as instructions, or run when somebody enters the folder, installs or commits: only where somebody says yes. */
const askedFor: readonly string[] = [
  "AGENTS.md",
  "AGENTS.override.md",
  "CLAUDE.md",
  "CLAUDE.local.md",
  "GEMINI.md",
  "MEMORY.md",
  ".cursorrules",
  ".windsurfrules",
  ".clinerules",
  ".roorules",
  ".github/copilot-instructions.md",
  ".envrc",
  ".mise.toml",
  "mise.toml",
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  ".pnpmfile.cjs",
  ".pypirc",
  ".pre-commit-config.yaml",
  ".husky",
  ".devcontainer",
  ".devcontainer.json",
  ".gitattributes",
];

/** How a path is protected. */
export interface Protection {
  /** What is protected, as it is written in the list. */
  readonly name: string;
  readonly how: "never" | "asked";
}

/** Says what protects a place against being written, or else whether reading it is asked about. */
export interface Protector {
  written(root: string, place: Pick<Place, "absolute">): Protection | undefined;
  isSecret(root: string, place: Pick<Place, "absolute">): boolean;
}

/**
 * Makes one, with the caller's own patterns added to what is never written.
 * @throws LastcallError `configuration` for a pattern that makes no sense.
 */
export function protector(added: readonly string[]): Protector {
  matcher(added);
  const never = each([...neverWritten, ...added]);
  const asked = each(askedFor);
  return {
    written(root, place) {
      for (const path of namesOf(root, place)) {
        const name = never(path);
        if (name !== undefined) return { name, how: "never" };
      }
      for (const path of namesOf(root, place)) {
        const name = asked(path);
        if (name !== undefined) return { name, how: "asked" };
      }
      return undefined;
    },
    isSecret: (root, place) => namesOf(root, place).some(isSecretFile),
  };
}

/** Which of the patterns means a path, if one does. */
function each(patterns: readonly string[]): (path: string) => string | undefined {
  const any = matcher(patterns.map((pattern) => anywhere(spellingOf(pattern))));
  const singly = patterns.map((pattern) => [pattern, matcher([anywhere(spellingOf(pattern))])] as const);
  return (path) => (any(path) ? singly.find(([, matches]) => matches(path))?.[0] : undefined);
}

/** In whatever folder it is. */
function anywhere(pattern: string): string {
  return pattern.includes("/") ? `**/${pattern}` : pattern;
}

/** The names of a place as patterns see them: relative to the root, or to the home folder, or to the top of the file system. */
function namesOf(root: string, { absolute }: Pick<Place, "absolute">): readonly string[] {
  return absolute.flatMap((path) => {
    const name = within(root, path) ?? within(home(), path) ?? within("/", path) ?? path;
    return [pathSpellingOf(name), spellingOf(name)];
  });
}
