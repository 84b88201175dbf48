// Protected files: programs run them or obey them later, outside of the run that wrote them. The gate and the sandbox share these lists.

import { matcher } from "./matcher.js";

/**
 * Files that other programs run by themselves, or take permissions from. No approver is asked: a person can write them
 * by hand.
 */
export const neverWritten: readonly string[] = [
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

/**
 * Files that are read as instructions, or run when somebody enters the folder, installs or commits. An approver is
 * asked.
 */
export const askedFor: readonly string[] = [
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
  ".githooks",
  ".devcontainer",
  ".devcontainer.json",
  ".gitattributes",
];

let isNever: ((path: string) => boolean) | undefined;
let isAsked: ((path: string) => boolean) | undefined;

/**
 * The list that a file is on: `never` is written by nobody, `asked` by those who were allowed to; undefined for neither. The path is
 * relative, with slashes; case is ignored.
 */
export function protectionOf(path: string): "never" | "asked" | undefined {
  isNever ??= matcher(neverWritten.map(inAnyFolder));
  isAsked ??= matcher(askedFor.map(inAnyFolder));
  const folded = path.toLowerCase();
  if (isNever(folded)) return "never";
  return isAsked(folded) ? "asked" : undefined;
}

/** A pattern with a slash matches in any folder, as one without a slash does. */
function inAnyFolder(pattern: string): string {
  const folded = pattern.toLowerCase();
  return folded.includes("/") ? `**/${folded}` : folded;
}
