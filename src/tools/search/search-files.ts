// search_files: finds the lines of the workspace that match a regular expression.

import { z } from "zod";
import { LastcallError, tool, type Tool } from "../../core/index.js";
import { explain, follow, maxTimerDelay } from "../../core/internal.js";
import { isSecretFolder, matcher } from "../../files/index.js";
import { missing } from "../workspace/missing.js";
import { readPattern } from "./pattern.js";
import { findRipgrep, searchByRipgrep } from "./ripgrep.js";
import type { RootOptions } from "../workspace/root.js";
import { searchByScript } from "./search-by-script.js";
import { maxSearchedBytes, UnreadablePattern, type Search, type SearchEngine } from "./search-engine.js";
import { maxMatches, searchReport } from "./search-report.js";
import { secretsIn } from "../workspace/secrets-in.js";
import { isQuicklyMatched } from "../workspace/visibility.js";
import { skipped } from "../workspace/skipped.js";
import { openWorkplace, slashed, type Workplace } from "../workspace/workplace.js";
import { kindInWords } from "../workspace/workspace-files.js";

/** The arguments of `search_files`. */
export interface SearchFiles {
  pattern: string;
  /** The file or folder to search. Default: the whole workspace. */
  path?: string | undefined;
  /** A pattern for the files to search, by their paths from the workspace. Default: all. */
  glob?: string | undefined;
  /** Default false. */
  ignore_case?: boolean | undefined;
  /** True to search for the pattern as plain text, not as a regular expression. Default false. */
  literal?: boolean | undefined;
  /** Lines to show around each matching line, at most 10. Default 0. */
  context_lines?: number | undefined;
}

/** Options of `search_files`. */
export interface SearchOptions extends RootOptions {
  /** The search engine. Default: ripgrep if it is on `PATH` and the files are on the disk, else JavaScript. */
  readonly searchWith?: "ripgrep" | "javascript" | undefined;
  /** Milliseconds that one search may take, more than 0. Lines found by then are shown. Default 20,000. */
  readonly searchTimeout?: number | undefined;
}

const maxContextLines = 10;

const parameters = z.object({
  pattern: z
    .string()
    .refine(isPattern, "must not be empty or hold a line break or a NUL")
    .describe("The regular expression"),
  path: z.string().optional().describe("The file or folder to search; the whole workspace if left out"),
  glob: z.string().optional().describe('Which files, such as "*.ts" or "src/**/*.{js,ts}"; all if left out'),
  ignore_case: z.boolean().optional().describe("True to take capital and small letters as the same"),
  literal: z.boolean().optional().describe("True to search for the pattern as it is, not as a regular expression"),
  context_lines: z
    .int()
    .refine((count) => count >= 0 && count <= maxContextLines, `must be from 0 to ${String(maxContextLines)}`)
    .optional()
    .describe(`Lines to show around each that matches, at most ${String(maxContextLines)}; none if left out`),
});

/**
 * `search_files{ pattern, path?, glob?, ignore_case?, literal?, context_lines? }`: the lines inside the root that match
 * a regular expression, found by ripgrep if it is installed. Symbolic links are not followed. Binary files, files over
 * 10 MiB, and files that `list_files` leaves out are not searched. Files that are likely to hold secrets (`.env`, keys,
 * and other files by their content) are searched only if the call names them. At most 200 matching lines are shown. If
 * ripgrep can't read a pattern and JavaScript can, JavaScript searches for it.
 * @throws LastcallError `configuration` if the root can't be used, or a pattern of `hide` or `searchTimeout` is
 * invalid.
 */
export function searchFiles(options: SearchOptions): Tool<"search_files", SearchFiles, string, "never"> {
  const whole = openWorkplace(options);
  const timeout = options.searchTimeout ?? 20_000;
  if (!(timeout > 0))
    throw new LastcallError("configuration", `searchTimeout is ${String(timeout)}: give milliseconds, more than 0.`);
  return tool({
    name: "search_files",
    description: `Searches the text files of the workspace for a regular expression, line by line, and shows at most ${String(maxMatches)} lines that match, with their numbers. What list_files leaves out, files of secrets such as .env, and files over ${String(maxSearchedBytes / 1024 / 1024)} MB are not searched.`,
    input: parameters,
    effect: "read",
    reach: ({ path = "." }) => ({ reads: [path] }),
    async run(input, { signal, permission }) {
      const workplace = whole.seenWith(permission);
      const stop = new AbortController();
      const unfollow = follow(stop, signal);
      const onTimeout = (): void => {
        stop.abort();
      };
      const timer = setTimeout(onTimeout, Math.min(Math.ceil(timeout), maxTimerDelay));
      try {
        const search = await searchFor(workplace, input, { signal, stop: stop.signal });
        const report = searchReport({ marksGaps: search.context > 0 });
        const notes: string[] = [];
        const engine = await engineFor(workplace, search, options);
        try {
          for await (const found of engine(search)) if (!report.add(found)) break;
        } catch (thrown) {
          signal.throwIfAborted();
          if (!stop.signal.aborted) throw thrown;
          const advice = "Narrow it with path or glob, or make the pattern simpler.";
          notes.push(
            `[The search took more than ${String(timeout / 1000)} s and was stopped, so there may be more. ${advice}]`,
          );
        }
        return report.text(notes);
      } finally {
        clearTimeout(timer);
        unfollow();
      }
    },
  });
}

function isPattern(text: string): boolean {
  return text !== "" && !/[\n\r\0]/.test(text);
}

async function searchFor(
  workplace: Workplace,
  input: SearchFiles,
  { signal, stop }: { readonly signal: AbortSignal; readonly stop: AbortSignal },
): Promise<Search> {
  const { root, files } = workplace;
  const { real, shown } = await workplace.find(input.path ?? ".", { signal });
  const look = await files.look(real);
  if (look === undefined) throw await missing(workplace, real, signal);
  if (look.kind !== "folder" && look.kind !== "file")
    throw new Error(`${shown} is ${kindInWords(look.kind)}. Only files and folders can be searched.`);
  if (look.kind === "file" && look.size > maxSearchedBytes)
    throw new Error(
      `${shown} is larger than ${String(maxSearchedBytes)} bytes, so it can't be searched. Use a command.`,
    );
  const visibility = workplace.visibility(signal);
  const start = slashed(root, real);
  const obeysGit = !(await visibility.isLeftOut(start, look.kind === "folder"));
  const matchesGlob = readGlob(input.glob);
  const isVisible = async (path: string, isFolder: boolean): Promise<boolean> =>
    !(await visibility.isHidden(path, isFolder)) && !(obeysGit && (await visibility.isLeftOut(path, isFolder)));
  const isSecret = look.kind === "file" ? undefined : await secretsIn(workplace, signal);
  return {
    root,
    start: real,
    isFile: look.kind === "file",
    pattern: input.pattern,
    isLiteral: input.literal ?? false,
    ignoresCase: input.ignore_case ?? false,
    context: input.context_lines ?? 0,
    isSought: async (path) => matchesGlob(path) && (await isVisible(path, false)) && (await isSecret?.(path)) !== true,
    isEntered: async (path) =>
      !skipped.includes(path.split("/").at(-1) ?? "") &&
      !(isSecret !== undefined && isSecretFolder(path)) &&
      (await isVisible(path, true)),
    nameGlob: input.glob !== undefined && /^(?!-)[\w.-]*\*?[\w.-]+$/.test(input.glob) ? input.glob : undefined,
    signal: stop,
  };
}

/** A glob is matched in this thread and blocks it, so a glob that could take too long is refused. */
function readGlob(glob: string | undefined): (path: string) => boolean {
  if (glob !== undefined && (!isQuicklyMatched(glob) || /[!?*+@]\(/.test(glob)))
    throw new Error(
      'The glob has more stars in it than can be matched in time, or brackets. Use fewer, as in "src/**/*.ts".',
    );
  try {
    return glob === undefined ? () => true : matcher([glob]);
  } catch (thrown) {
    throw new Error(explain(thrown), { cause: thrown });
  }
}

/**
 * Tries ripgrep first, if it is installed. If it can't read the pattern, JavaScript searches, or explains the error in
 * the pattern.
 */
async function engineFor(
  { root, files }: Workplace,
  { isFile }: Search,
  { searchWith }: SearchOptions,
): Promise<SearchEngine> {
  const byScript = searchByScript(files);
  const program = searchWith === "javascript" || !files.isDisk ? undefined : await findRipgrep(root);
  if (program === undefined && searchWith === "ripgrep")
    throw new Error("The search is set to use ripgrep, which is not on the PATH. Ask the user to install it.");
  // ripgrep follows a link that is named as its start, and the file may have become a link by now.
  if (program === undefined || isFile) return byScript;
  return async function* (search) {
    let isBegun = false;
    try {
      for await (const found of searchByRipgrep(program, files)(search)) {
        isBegun = true;
        yield found;
      }
    } catch (thrown) {
      if (isBegun || !(thrown instanceof UnreadablePattern)) throw thrown;
      readPattern(search.pattern, search);
      yield* byScript(search);
    }
  };
}
