// Searches with ripgrep if it is installed: the same results as without it, faster.

import { spawn, type ChildProcessByStdio } from "node:child_process";
import { constants, type Dirent } from "node:fs";
import { access, readdir, realpath, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, sep } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { contains, holdFolder, type HeldFolder } from "../../files/index.js";
import { plainVariables } from "../../shell/index.js";
import {
  maxSearchedBytes,
  UnreadablePattern,
  type FoundLine,
  type Search,
  type SearchEngine,
} from "./search-engine.js";
import { textOf } from "./search-by-script.js";
import { skipped } from "../workspace/skipped.js";
import { slashed } from "../workspace/workplace.js";
import type { WorkspaceFiles } from "../workspace/workspace-files.js";

/** Matching lines of one file that are held back until ripgrep says whether the file is text. */
const maxWaitingLines = 1000;

/**
 * The path of ripgrep. Only absolute folders of `PATH` outside the root count, so that a file in the workspace can't
 * pose as ripgrep.
 */
export async function findRipgrep(root: string, path: string = process.env["PATH"] ?? ""): Promise<string | undefined> {
  const name = process.platform === "win32" ? "rg.exe" : "rg";
  for (const folder of path.split(delimiter)) {
    if (!isAbsolute(folder) || contains(root, folder)) continue;
    const file = join(folder, name);
    const isThere = await access(file, constants.X_OK).then(
      async () => (await stat(file)).isFile(),
      () => false,
    );
    if (isThere) return file;
  }
  return undefined;
}

/**
 * Searches a folder with ripgrep. The arguments are a list that no shell reads, and the pattern is in a position where
 * it can't be an option. Its matches pass the same filters as the matches of the other engine. ripgrep starts in the
 * folder that is held open (see `holdFolder`) and follows no links. A process may replace a folder below by a link after
 * ripgrep has looked at it, so only lines count that the file really has, read through the port.
 */
export function searchByRipgrep(program: string, files: WorkspaceFiles): SearchEngine {
  return async function* (search) {
    search.signal.throwIfAborted();
    const folder = holdFolder(search.start);
    const child = spawn(program, argumentsFor(search, await leftOutIn(search, folder).catch(() => [])), {
      cwd: folder.at("."),
      env: plainVariables(),
      stdio: ["ignore", "pipe", "ignore"],
      windowsHide: true,
    });
    const stop = (): void => void child.kill("SIGKILL");
    search.signal.addEventListener("abort", stop, { once: true });
    try {
      yield* readLines(child, search, files);
      search.signal.throwIfAborted();
    } finally {
      search.signal.removeEventListener("abort", stop);
      stop();
      folder.release();
    }
  };
}

/**
 * ripgrep reads no ignore file: it would wait for a named pipe of that name, and take any time for a file of millions of lines. Its
 * matches pass the filters here, so it only has to be kept out of the large folders that they drop.
 */
function argumentsFor(search: Search, leftOut: readonly string[]): readonly string[] {
  return [
    ...["--json", "--no-config", "--no-follow", "--hidden", "--no-messages", "--no-mmap", "--sort=path"],
    ...["--encoding=none", "--crlf", "--no-ignore", `--max-filesize=${String(maxSearchedBytes)}`],
    ...(search.nameGlob === undefined ? [] : [`--glob=${search.nameGlob}`]),
    ...skipped.map((name) => `--glob=!${name}`),
    ...leftOut.map((path) => `--glob=!/${path.replace(/[*?[\]{}!\\]/g, "\\$&")}`),
    search.ignoresCase ? "--ignore-case" : "--case-sensitive",
    ...(search.isLiteral ? ["--fixed-strings"] : []),
    `--context=${String(search.context)}`,
    ...["-e", search.pattern, "--", "./"],
  ];
}

/** Folders that are looked through for folders that a search does not enter. The rest is told by the filters. */
const mostLookedThrough = 500;

/** Folders that ripgrep is told to leave out. They are words of its command line, which has bounds. */
const mostLeftOut = 1000;

/** The folders that the search does not enter, from its start, as far as they are near it. */
async function leftOutIn(search: Search, held: HeldFolder): Promise<readonly string[]> {
  const leftOut: string[] = [];
  const from = slashed(search.root, search.start);
  const folders = [""];
  // The list grows while it is visited, breadth first.
  for (const folder of folders) {
    search.signal.throwIfAborted();
    const entries = await readdir(held.at(folder), { withFileTypes: true }).catch((): Dirent[] => []);
    for (const entry of entries.filter((one) => one.isDirectory() && !skipped.includes(one.name))) {
      const path = folder + entry.name;
      const isEntered = await search.isEntered(from === "" ? path : `${from}/${path}`);
      if (!isEntered && leftOut.length < mostLeftOut) leftOut.push(path);
      else if (isEntered && folders.length < mostLookedThrough) folders.push(`${path}/`);
    }
  }
  return leftOut;
}

/** A text, or base64 if the bytes are not UTF-8. */
type TextOrBytes = { readonly text: string } | { readonly bytes: string };

interface RipgrepMessage {
  readonly type: "begin" | "match" | "context" | "end" | "summary";
  readonly data: {
    readonly path?: TextOrBytes;
    readonly lines?: TextOrBytes;
    readonly line_number?: number;
    readonly submatches?: readonly { readonly start: number }[];
    readonly binary_offset?: number | null;
  };
}

/** Nothing is shown of a file that turns out to be binary at its end. */
async function* readLines(
  child: ChildProcessByStdio<null, Readable, null>,
  search: Search,
  files: WorkspaceFiles,
): AsyncGenerator<FoundLine, void, void> {
  const ended = new Promise<Error | undefined>((resolve) => {
    child.once("error", resolve).once("close", () => {
      resolve(undefined);
    });
  });
  const start = slashed(search.root, search.start);
  const prefix = start === "" ? "" : `${start}/`;
  let hasSummary = false;
  let waiting: FoundLine[] = [];
  for await (const line of createInterface({ input: child.stdout, crlfDelay: Infinity })) {
    const { type, data } = JSON.parse(line) as RipgrepMessage;
    if (type === "summary") hasSummary = true;
    if (type === "begin") waiting = [];
    if (type === "match" || type === "context") waiting.push(foundIn(data, prefix));
    const isFull = waiting.length > maxWaitingLines;
    if (type !== "end" && !isFull) continue;
    const path = waiting[0]?.path;
    const isText = (data.binary_offset ?? null) === null;
    if (path !== undefined && isText && (await isShown(search, path))) yield* await readIn(files, search, waiting);
    waiting = [];
  }
  const failure = await ended;
  search.signal.throwIfAborted();
  // ripgrep prints a summary last; without one it could not start. Its own message about the pattern is dropped: the
  // other engine explains the pattern better.
  if (failure !== undefined || !hasSummary) throw new UnreadablePattern("ripgrep could not search for the pattern");
}

/** The lines that their file has. The lines of a file that was reached through a link, or that has changed, are left out. */
async function readIn(
  files: WorkspaceFiles,
  { root, signal }: Search,
  found: readonly FoundLine[],
): Promise<readonly FoundLine[]> {
  const text = await textOf(files, join(root, found[0]?.path ?? ""), signal);
  const lines = text?.split("\n") ?? [];
  return found.filter(({ line, text: own }) => lines[line - 1]?.replace(/\r$/, "") === own);
}

/** Applies the same filters that the other engine applies on its way down. */
async function isShown(search: Search, path: string): Promise<boolean> {
  const start = slashed(search.root, search.start);
  const parts = path.split("/");
  for (let count = 1; count < parts.length; count += 1) {
    const folder = parts.slice(0, count).join("/");
    const isBelow = start === "" || folder.startsWith(`${start}/`);
    if (isBelow && !(await search.isEntered(folder))) return false;
  }
  const real = join(search.root, path);
  return (await search.isSought(path)) && (await realpath(real).catch(() => undefined)) === real;
}

function foundIn(
  { path, lines, line_number: line = 0, submatches = [] }: RipgrepMessage["data"],
  prefix: string,
): FoundLine {
  const bytes = bytesOf(lines);
  const [first] = submatches;
  return {
    path: prefix + bytesOf(path).toString().split(sep).join("/").replace(/^\.\//, ""),
    line,
    text: bytes.toString().replace(/\r?\n$/, ""),
    at: first && bytes.subarray(0, first.start).toString().length,
  };
}

function bytesOf(value: TextOrBytes | undefined): Buffer {
  if (value === undefined) return Buffer.alloc(0);
  return "text" in value ? Buffer.from(value.text) : Buffer.from(value.bytes, "base64");
}
