// Searches with JavaScript's regular expressions, in a worker thread, so that a slow match can be ended.

import { on } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { compare } from "../workspace/compare.js";
import { readPattern } from "./pattern.js";
import { maxSearchedBytes, type FoundLine, type Search, type SearchEngine } from "./search-engine.js";
import { slashed } from "../workspace/workplace.js";
import type { WorkspaceFiles } from "../workspace/workspace-files.js";

/** Matching lines of one file; further lines are not reported. */
const maxMatchesInFile = 1000;
/** Files that are read at the same time. */
const filesAtOnce = 16;

/**
 * The code of the worker: gets texts, and answers each with its matching lines and columns. It is a string, because the
 * published code is one file for each layer.
 */
const script = `
const { parentPort, workerData } = require("node:worker_threads");
const { source, flags, limit } = workerData;
const expression = new RegExp(source, flags);
const search = (text) => {
  const found = [];
  const lines = text.split("\\n");
  if (lines.at(-1) === "") lines.pop();
  for (let line = 0; line < lines.length && found.length < limit; line += 1) {
    const match = expression.exec(lines[line].replace(/\\r$/, ""));
    if (match !== null) found.push([line, match.index]);
  }
  parentPort.postMessage(found);
};
parentPort.on("message", (texts) => texts.forEach(search));`;

/** Searches the files through the port, whatever implements it. */
export function searchByScript(files: WorkspaceFiles): SearchEngine {
  return async function* (search) {
    const pattern = readPattern(search.pattern, search);
    // Listening with a signal that is already aborted throws at once, and the worker would never be terminated.
    search.signal.throwIfAborted();
    const worker = new Worker(script, {
      eval: true,
      env: {},
      workerData: { ...pattern, limit: maxMatchesInFile },
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    const answers = on(worker, "message", { signal: search.signal }) as AsyncIterableIterator<[readonly Match[]]>;
    try {
      for await (const paths of groups(walk(files, search, search.start))) {
        const texts = await Promise.all(paths.map((path) => textOf(files, path, search.signal)));
        worker.postMessage(texts.filter((text) => text !== undefined));
        for (const [at, path] of paths.entries()) {
          const text = texts[at];
          if (text === undefined) continue;
          const answer: IteratorResult<[readonly Match[]], unknown> = await answers.next();
          if (answer.done === true) return;
          yield* withContext(slashed(search.root, path), text, answer.value[0], search.context);
        }
      }
    } finally {
      await answers.return?.();
      await worker.terminate();
    }
  };
}

type Match = readonly [line: number, at: number];

async function* groups(paths: AsyncIterable<string>): AsyncGenerator<readonly string[], void, void> {
  let group: string[] = [];
  for await (const path of paths) {
    group.push(path);
    if (group.length < filesAtOnce) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

/** The files to search, in order of their names at each level. */
async function* walk(files: WorkspaceFiles, search: Search, path: string): AsyncGenerator<string, void, void> {
  if ((await files.look(path))?.kind !== "folder") {
    if (await search.isSought(slashed(search.root, path))) yield path;
    return;
  }
  yield* walkFolder(files, search, path);
}

async function* walkFolder(files: WorkspaceFiles, search: Search, folder: string): AsyncGenerator<string, void, void> {
  const entries = [...(await files.list(folder).catch(() => []))].sort((a, b) => compare(a.name, b.name));
  for (const { name, kind } of entries) {
    search.signal.throwIfAborted();
    const path = join(folder, name);
    const relativePath = slashed(search.root, path);
    if (kind === "file" && (await search.isSought(relativePath))) yield path;
    if (kind === "folder" && (await search.isEntered(relativePath))) yield* walkFolder(files, search, path);
  }
}

/** The text of a file; undefined if it is binary, too large or unreadable. */
export async function textOf(files: WorkspaceFiles, path: string, signal: AbortSignal): Promise<string | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of files.read(path, signal)) {
      size += chunk.length;
      if (size > maxSearchedBytes || chunk.includes(0)) return undefined;
      pieces.push(chunk);
    }
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
  return Buffer.concat(pieces).toString();
}

function* withContext(
  path: string,
  text: string,
  found: readonly Match[],
  context: number,
): Generator<FoundLine, void, void> {
  if (found.length === 0) return;
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const matches = new Map(found);
  let next = 0;
  for (const [line] of found) {
    for (let at = Math.max(next, line - context); at <= Math.min(line + context, lines.length - 1); at += 1) {
      yield { path, line: at + 1, text: (lines[at] ?? "").replace(/\r$/, ""), at: matches.get(at) };
      next = at + 1;
    }
  }
}
