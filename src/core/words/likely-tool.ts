// The tool that a common word for a kind of tools most likely means. It is told to the model, and never run.

/** Words by which models call a kind of tools, and the parts of names that tools of this kind have. */
const kinds: readonly { readonly words: readonly string[]; readonly parts: readonly string[] }[] = [
  {
    words: [
      "shell",
      "bash",
      "sh",
      "zsh",
      "cmd",
      "exec",
      "execute",
      "terminal",
      "command",
      "run",
      "powershell",
      "console",
    ],
    parts: ["command", "shell", "bash", "terminal", "exec", "execute"],
  },
  { words: ["read", "cat", "view", "open", "open_file", "view_file", "cat_file", "readfile"], parts: ["read", "view"] },
  { words: ["write", "create", "save", "create_file", "save_file"], parts: ["write", "create"] },
  {
    words: [
      "edit",
      "str_replace",
      "str_replace_editor",
      "str_replace_based_edit_tool",
      "replace",
      "apply_patch",
      "patch",
      "update",
    ],
    parts: ["edit", "replace", "patch"],
  },
  { words: ["search", "grep", "rg", "ripgrep", "find_in_files", "search_code"], parts: ["search", "grep"] },
  { words: ["ls", "list", "dir", "list_dir", "list_directory", "glob", "find", "tree"], parts: ["list", "glob", "ls"] },
  {
    words: ["done", "finish", "complete", "submit", "final_answer", "attempt_completion"],
    parts: ["completion", "finish"],
  },
];

/** The only tool of the kind that the word names; undefined if the word names no kind, or no tool or several are of that kind. */
export function likelyTool(word: string, names: readonly string[]): string | undefined {
  const plain = word
    .trim()
    .toLowerCase()
    .replace(/^(?:functions?|default_api|tools?)[.:/]+/, "")
    .replace(/_tool$/, "");
  const kind = kinds.find(({ words }) => words.includes(plain));
  if (kind === undefined) return undefined;
  for (const part of kind.parts) {
    const fitting = names.filter((name) => name.toLowerCase().split(/[_-]/).includes(part));
    if (fitting.length > 0) return fitting.length === 1 ? fitting[0] : only(fitting);
  }
  return undefined;
}

/** Of several tools the one for files, which the words above mean most often; undefined if there is no such tool, or several. */
function only(names: readonly string[]): string | undefined {
  const [one, ...others] = names.filter((name) => /_files?$/.test(name));
  return others.length === 0 ? one : undefined;
}

/** The name of the first element in a text that is a common word for a tool: `bash` of `<bash>ls</bash>`. */
export function elementIn(text: string): string | undefined {
  return /<([a-z_]{2,30})>[\s\S]*?<\/\1>/.exec(text)?.[1];
}
