// read_file: reads a bounded part of a text file, with line numbers, or shows an image or a PDF.

import { isUtf8 } from "node:buffer";
import { z } from "zod";
import { tool, type Tool } from "../../core/index.js";
import { recognize, type Recognized } from "../../core/internal.js";
import { takeLines, type Excerpt } from "../text/lines.js";
import { missing } from "../workspace/missing.js";
import type { RootOptions } from "../workspace/root.js";
import { openWorkplace, type WorkspacePath, type Workplace } from "../workspace/workplace.js";
import { kindInWords } from "../workspace/workspace-files.js";

/** The arguments of `read_file`. */
export interface ReadFile {
  path: string;
  /** The first line to read, counted from 1. Default 1. */
  from_line?: number | undefined;
  /** The number of lines to read. Default: as many as fit. */
  lines?: number | undefined;
}

const maxLines = 2000;
const maxBytes = 256 * 1024;
/** The most bytes of an image or a PDF that is shown. */
const maxShown = 10 * 1024 * 1024;
/** A file with a NUL byte among this many bytes at the start is binary. */
const sniffedBytes = 8 * 1024;

/** A whole number, at least 1. The rule is checked here, because some servers refuse bounds in a schema. */
const counting = (): z.ZodInt => z.int().refine((number) => number >= 1, "must be at least 1");

const parameters = z.object({
  path: z.string().describe("The file, relative to the workspace"),
  from_line: counting().optional().describe("The first line to read, counted from 1"),
  lines: counting().optional().describe("How many lines to read"),
});

/**
 * `read_file{ path, from_line?, lines? }`: the text of a file inside the root. Each line follows its number and a tab.
 * An image or a PDF is attached, so that a model that takes such files sees it; the result is its kind, its dimensions and its size.
 * @throws LastcallError `configuration` if the root can't be used, or a pattern of `hide` is invalid.
 */
export function readFile(options: RootOptions): Tool<"read_file", ReadFile, string, "never"> {
  const place = openWorkplace(options);
  return tool({
    name: "read_file",
    description: `Reads a text file of the workspace, at most ${String(maxLines)} lines at a time. Each line comes behind its number and a tab, which are not part of the file. If there is more, the last line of the result says how to read on. Shows an image or a PDF.`,
    input: parameters,
    effect: "read",
    reach: ({ path }) => ({ reads: [path] }),
    async run({ path, from_line: from = 1, lines = maxLines }, { signal, permission, attach }) {
      const workplace = place.seenWith(permission);
      const target = await workplace.find(path, { signal });
      const size = await expectFile(workplace, target, signal);
      const chunks = workplace.files.read(target.real, signal)[Symbol.asyncIterator]();
      const first = await chunks.next();
      const head: Uint8Array = first.done === true ? new Uint8Array() : first.value;
      try {
        const kind = recognize(head);
        if (kind !== undefined) {
          const isShown = size <= maxShown;
          if (isShown) attach({ bytes: await whole(head, chunks), mediaType: kind.mediaType, name: target.shown });
          return describe(kind, { path: target.shown, size }, isShown);
        }
        const text = refuseBinary(head, chunks, target.shown);
        const excerpt = await takeLines(text, { from, count: Math.min(lines, maxLines), bytes: maxBytes });
        return report({ path: target.shown, size }, from, excerpt);
      } finally {
        await chunks.return?.();
      }
    },
  });
}

/**
 * Checks the kind before opening: opening a named pipe waits for its writer, and opening a device may have any effect.
 * Returns the size in bytes.
 */
async function expectFile(workplace: Workplace, { real, shown }: WorkspacePath, signal: AbortSignal): Promise<number> {
  const look = await workplace.files.look(real);
  if (look === undefined) throw await missing(workplace, real, signal);
  if (look.kind === "file") return look.size;
  const advice = look.kind === "folder" ? "Call list_files to see what is in it." : "Only files can be read.";
  throw new Error(`${shown} is ${kindInWords(look.kind)}. ${advice}`);
}

function describe({ mediaType, width, height }: Recognized, { path, size }: Described, isShown: boolean): string {
  const dimensions = width === undefined ? "" : `, ${String(width)} x ${String(height)} pixels`;
  const rest = isShown ? "" : ` It is not shown, because it has more than ${String(maxShown)} bytes.`;
  return `[${path} is no text but ${mediaType}${dimensions}, ${String(size)} bytes.${rest}]`;
}

/** All bytes of a file that is being read. */
async function whole(head: Uint8Array, rest: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  const chunks = [head];
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) chunks.push(next.value);
  return Buffer.concat(chunks);
}

async function* refuseBinary(
  head: Uint8Array,
  rest: AsyncIterator<Uint8Array>,
  path: string,
): AsyncGenerator<Uint8Array, void, void> {
  let left = sniffedBytes;
  for (let chunk: Uint8Array | undefined = head; chunk !== undefined;) {
    if (chunk.subarray(0, left).includes(0)) {
      throw new Error(
        `${path} is binary, not text. Only text can be read; a command may be able to show what is in it.`,
      );
    }
    left = Math.max(0, left - chunk.length);
    yield chunk;
    const next: IteratorResult<Uint8Array, unknown> = await rest.next();
    chunk = next.done === true ? undefined : next.value;
  }
}

interface Described {
  readonly path: string;
  /** The size of the whole file in bytes. */
  readonly size: number;
}

function report({ path, size }: Described, from: number, { bytes, last, left }: Excerpt): string {
  if (last < from) {
    if (last === 0) return "[The file is empty.]";
    throw new Error(`${path} ends at line ${String(last)}, so there is nothing from line ${String(from)} on.`);
  }
  const text = bytes.toString();
  const notes: string[] = [];
  if (!isUtf8(bytes))
    notes.push("[Not all of it is UTF-8. Such bytes show as \uFFFD; writing them back would change them.]");
  const ends = lineEnds(text);
  if (ends !== undefined) notes.push(ends);
  const next = `from_line ${String(last + 1)}`;
  if (left === "lines") {
    const lines = `Lines ${String(from)} to ${String(last)}`;
    notes.push(`[${lines} of a file of ${String(size)} bytes. There is more: read on with ${next}.]`);
  }
  if (left === "line") {
    notes.push(
      `[Line ${String(last)} is longer than ${String(maxBytes)} bytes and was cut; the file has ${String(size)}. Lines after it: ${next}.]`,
    );
  }
  const shown = numbered(text, from, last);
  if (notes.length === 0) return shown;
  return `${shown}${shown.endsWith("\n") ? "" : "\n"}${notes.join("\n")}`;
}

/** Puts before each line its number, as wide as the last line's number, and a tab. CRLF is shown as a plain line break. */
function numbered(text: string, from: number, last: number): string {
  const width = String(last).length;
  const lines = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return lines
    .map(
      (line, at) => `${String(from + at).padStart(width)}\t${line.endsWith("\r\n") ? `${line.slice(0, -2)}\n` : line}`,
    )
    .join("");
}

function lineEnds(text: string): string | undefined {
  if (!text.includes("\r\n")) return undefined;
  return /(?:^|[^\r])\n/.test(text)
    ? "[Some of these lines end with CRLF, some with LF.]"
    : "[The lines end with CRLF. edit_file keeps that by itself.]";
}
