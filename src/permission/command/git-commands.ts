// The commands of git that only read a repository and print, with their harmless options.

import type { SafeProgram } from "../programs/safe-program.js";

/** A command of git. */
export interface GitCommand extends SafeProgram {
  /** The files whose content it prints: the files that its words name, or any. Default: none without one of `contentOptions`. */
  readonly prints?: "named" | "any";
  /** True if it prints a file that is named by its object, whatever the options. */
  readonly printsObjects?: true;
}

const list = (names: string): readonly string[] => names.split(" ");

/** The options with which `git log` and its like print the content of files. */
export const contentOptions: readonly string[] = list(
  "p u U m patch unified word-diff L c cc W color-words patch-with-stat function-context",
);

const diffOptions = list(
  "stat numstat shortstat summary name-only name-status patch no-patch unified= raw no-color color color= word-diff word-diff= color-words patch-with-stat minimal patience histogram diff-algorithm= ignore-all-space ignore-space-change ignore-blank-lines ignore-space-at-eol function-context diff-filter= find-renames find-copies no-renames full-index abbrev abbrev= exit-code quiet no-ext-diff no-textconv relative text compact-summary dirstat no-prefix",
);

const logOptions = list(
  "oneline graph decorate decorate= no-decorate all branches tags remotes max-count= skip= since= until= after= before= author= committer= grep= invert-grep all-match regexp-ignore-case extended-regexp fixed-strings perl-regexp format= pretty pretty= date= relative-date abbrev-commit no-abbrev-commit follow reverse no-merges merges first-parent topo-order date-order author-date-order full-history simplify-by-decoration left-right cherry-pick cherry-mark left-only right-only boundary parents children walk-reflogs not no-walk no-show-signature no-notes count cc source log-size end-of-options",
);

/** A format that verifies signatures runs the program for that. */
const verifies = /%[-+ ]?G|signature/;

const log: GitCommand = {
  flags: "pusiEFPgmczwbWaMC0123456789",
  valued: "nSGUL",
  texts: "nSGU",
  long: [...logOptions, ...diffOptions],
  refuses: verifies,
};

const commands: ReadonlyMap<string, GitCommand> = new Map<string, GitCommand>([
  [
    "status",
    {
      flags: "sbuz",
      long: list(
        "short branch porcelain porcelain= long untracked-files untracked-files= ignored ignored= show-stash ahead-behind no-ahead-behind renames no-renames column no-column",
      ),
    },
  ],
  ["log", log],
  ["show", { ...log, prints: "any", printsObjects: true }],
  ["reflog", { ...log, maxWords: 0 }],
  ["reflog show", log],
  ["stash list", { ...log, maxWords: 0 }],
  ["whatchanged", log],
  ["rev-list", { flags: "0123456789", valued: "n", texts: "n", long: logOptions, refuses: verifies }],
  ["shortlog", { flags: "nsec", long: list("numbered summary email all since= until= no-merges author=") }],
  [
    "diff",
    {
      flags: "puszwbWaMCR",
      valued: "SGU",
      texts: "SGU",
      long: [...diffOptions, ...list("cached staged merge-base check base ours theirs")],
      prints: "any",
    },
  ],
  [
    "branch",
    {
      flags: "arvilq",
      long: list(
        "all remotes verbose list show-current no-color color color= merged no-merged merged= no-merged= contains= no-contains= points-at= sort= format= column no-column ignore-case abbrev= no-abbrev",
      ),
      words: "text",
      wordsNeed: ["list"],
      refuses: verifies,
    },
  ],
  [
    "tag",
    {
      flags: "lin",
      long: list(
        "list sort= format= contains= no-contains= merged= no-merged= points-at= column no-column color color= ignore-case",
      ),
      words: "text",
      wordsNeed: ["l", "list"],
      refuses: verifies,
    },
  ],
  [
    "blame",
    {
      flags: "celstwpbf",
      valued: "L",
      texts: "L",
      long: list("porcelain line-porcelain date= root show-name show-number show-email since= abbrev="),
      prints: "named",
    },
  ],
  [
    "ls-files",
    {
      flags: "cdomsuktvz",
      long: list(
        "cached deleted others modified stage unmerged killed exclude-standard full-name error-unmatch ignored directory no-empty-directory eol abbrev abbrev= deduplicate",
      ),
    },
  ],
  [
    "ls-tree",
    { flags: "dlrtz", long: list("long name-only name-status object-only full-name full-tree abbrev abbrev=") },
  ],
  [
    "rev-parse",
    {
      flags: "q",
      long: list(
        "show-toplevel abbrev-ref short short= verify git-dir is-inside-work-tree is-inside-git-dir is-bare-repository show-prefix show-cdup symbolic-full-name symbolic all branches tags remotes git-common-dir absolute-git-dir quiet end-of-options",
      ),
    },
  ],
  [
    "describe",
    { long: list("all tags always long exact-match abbrev= match= exclude= candidates= first-parent contains") },
  ],
  ["remote", { flags: "v", long: ["verbose"], maxWords: 0 }],
  ["remote get-url", { long: list("push all"), words: "text" }],
  // An object has no name that tells which file it is.
  ["cat-file", { flags: "ptse", prints: "any", printsObjects: true }],
  ["merge-base", { flags: "a", long: list("all is-ancestor octopus independent fork-point") }],
  ["name-rev", { long: list("name-only tags refs= exclude= always no-undefined") }],
  [
    "for-each-ref",
    {
      long: list("format= sort= count= contains= no-contains= merged= no-merged= points-at= ignore-case color color="),
      words: "text",
      refuses: verifies,
    },
  ],
  [
    "grep",
    {
      flags: "nivwlLcEFGPhHoqaIW0123456789",
      valued: "ABCem",
      words: "pattern",
      long: list(
        "line-number ignore-case invert-match word-regexp files-with-matches name-only files-without-match count extended-regexp basic-regexp fixed-strings perl-regexp cached heading break only-matching quiet column function-context show-function after-context= before-context= context= max-depth= max-count= color color= no-color text full-name null all-match and or not",
      ),
      prints: "any",
    },
  ],
  ["show-ref", { flags: "dqs", long: list("head heads tags verify quiet hash hash= abbrev abbrev= dereference") }],
  // With one more word, it would set it.
  ["symbolic-ref", { flags: "q", long: list("quiet short"), words: "text", like: /^HEAD$/, maxWords: 1 }],
  ["count-objects", { flags: "vH", long: list("verbose human-readable"), maxWords: 0 }],
  ["cherry", { flags: "v", long: list("verbose abbrev abbrev="), words: "text" }],
  ["check-attr", { flags: "az", long: list("all cached") }],
  ["diff-tree", { flags: "rtpsuzmc", long: [...diffOptions, ...list("no-commit-id root")], prints: "any" }],
  // Without the untracked files of the stash, which no index names.
  ["stash show", { flags: "psz", long: diffOptions, prints: "any" }],
  ["check-ignore", { flags: "vnq", long: list("verbose non-matching quiet no-index") }],
  ["worktree list", { flags: "vz", long: list("verbose porcelain"), maxWords: 0 }],
  ["config", configured()],
]);

/** Reading one setting that holds no secret of a helper. */
function configured(): GitCommand {
  const key =
    "(?:user\\.(?:name|email)|remote\\.[\\w./-]+\\.url|branch\\.[\\w./-]+\\.(?:remote|merge)|init\\.defaultBranch|core\\.(?:autocrlf|eol|ignorecase|filemode|bare|hooksPath|editor)|pull\\.rebase|push\\.default|commit\\.gpgsign)";
  // With one more word, it would set it.
  const form = new RegExp(`^(?:--local |--global )?(?:--get |get )?${key}$`, "i");
  return { reads: (words) => (form.test(words.join(" ")) ? [] : undefined) };
}

/** A command of git, and its words. */
export interface GitCall {
  readonly command: GitCommand;
  readonly words: readonly string[];
}

/** The harmless command that the words of git name; undefined if there is none. */
export function gitCommandOf(words: readonly string[]): GitCall | undefined {
  const rest = words[0] === "--no-pager" ? words.slice(1) : words;
  const [first = "", second = ""] = rest;
  const ofTwo = commands.get(`${first} ${second}`);
  const command = ofTwo ?? commands.get(first);
  return command && { command: { ...command, takesLateOptions: true }, words: rest.slice(ofTwo === undefined ? 1 : 2) };
}

/** Paths of files within revisions, such as `HEAD:src/a.ts`, or in the index, such as `:0:src/a.ts`. */
export function pathsOfRevisions(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => /^(?:[^:]*|:[0-3]):([^:].*)$/s.exec(word)?.[1] ?? []);
}
