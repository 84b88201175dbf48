// read_file: the text of a file, a bounded part of it at a time.

import { isUtf8 } from "node:buffer";
import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { z } from "zod";
import { tool, type Tool } from "../core/index.js";
import { takeLines, type Excerpt } from "./lines.js";
import { missing } from "./missing.js";
import { kindOf, locate, look, openRoot, shown } from "../files/index.js";
import type { RootOptions } from "./root.js";

/** The arguments of `read_file`. */
export interface ReadFile {
  path: string;
  /** The first line to read, counted from 1; the start if left out. */
  from_line?: number | undefined;
  /** How many lines to read; as many as fit if left out. */
  lines?: number | undefined;
}

const mostLines = 2000;
const mostBytes = 256 * 1024;
/** A NUL in so many bytes at the start says that a file is no text. */
const sniffed = 8 * 1024;

/** A whole number from 1 on. The rule is ours alone: some servers refuse bounds in a schema. */
const counting = (): z.ZodInt => z.int().refine((number) => number >= 1, "must be at least 1");

/**
 * `read_file{ path, from_line?, lines? }`: the text of a file inside the root.
 * @throws LastcallError `configuration` where the root can't be used.
 */
export function readFile(options: RootOptions): Tool<"read_file", ReadFile, string, "never"> {
  const root = openRoot(options.root);
  return tool({
    name: "read_file",
    description: `Reads a text file of the workspace, at most ${String(mostLines)} lines at a time. If there is more, the last line of the result says how to read on.`,
    input: z.object({
      path: z.string().describe("The file, relative to the workspace"),
      from_line: counting().optional().describe("The first line to read, counted from 1"),
      lines: counting().optional().describe("How many lines to read"),
    }),
    effect: "read",
    async run({ path, from_line: from = 1, lines = mostLines }, { signal }) {
      const real = await locate(root, path);
      await expectFile(root, real);
      const text = refuseBinary(chunksOf(real, signal), shown(root, real));
      const excerpt = await takeLines(text, { from, count: Math.min(lines, mostLines), bytes: mostBytes });
      return report(shown(root, real), from, excerpt);
    },
  });
}

/** Looking before opening: to open a named pipe is to wait for its writer, and to open a device may do anything. */
async function expectFile(root: string, real: string): Promise<void> {
  const stats = await look(real);
  if (stats === undefined) throw await missing(root, real);
  if (stats.isFile()) return;
  const advice = stats.isDirectory() ? "Call list_files to see what is in it." : "Only files can be read.";
  throw new Error(`${shown(root, real)} is ${kindOf(stats)}. ${advice}`);
}

/** The flags hold where the file was replaced since it was looked at: no link is followed, no pipe waited for. */
async function* chunksOf(real: string, signal: AbortSignal): AsyncGenerator<Buffer, void, void> {
  const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  for await (const chunk of file.createReadStream()) {
    signal.throwIfAborted();
    yield chunk as Buffer;
  }
}

async function* refuseBinary(chunks: AsyncIterable<Buffer>, path: string): AsyncGenerator<Buffer, void, void> {
  let left = sniffed;
  for await (const chunk of chunks) {
    if (chunk.subarray(0, left).includes(0)) {
      throw new Error(
        `${path} is binary, not text. Only text can be read; a command may be able to show what is in it.`,
      );
    }
    left = Math.max(0, left - chunk.length);
    yield chunk;
  }
}

function report(path: string, from: number, { bytes, last, left }: Excerpt): string {
  if (last < from) {
    if (last === 0) return "[The file is empty.]";
    throw new Error(`${path} ends at line ${String(last)}, so there is nothing from line ${String(from)} on.`);
  }
  const text = bytes.toString();
  const notes: string[] = [];
  if (!isUtf8(bytes))
    notes.push("[Not all of it is UTF-8. Such bytes show as \uFFFD; writing them back would change them.]");
  const next = `from_line ${String(last + 1)}`;
  if (left === "lines") notes.push(`[Lines ${String(from)} to ${String(last)}. There is more: read on with ${next}.]`);
  if (left === "line") {
    notes.push(
      `[Line ${String(last)} is longer than ${String(mostBytes)} bytes and was cut. Lines after it: ${next}.]`,
    );
  }
  if (notes.length === 0) return text;
  return `${text}${text.endsWith("\n") ? "" : "\n"}${notes.join("\n")}`;
}
