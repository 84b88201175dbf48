// Text files that a tool is about to change: looked up, and read up to a limit.

import { collect } from "../text/collect.js";
import { stateOf } from "./shown-before.js";
import type { WorkspacePath, Workplace } from "./workplace.js";
import { kindInWords, type FileLook } from "./workspace-files.js";

/** Bytes of the largest file that is read whole, to be edited or shown. */
export const maxWholeBytes: number = 16 * 1024 * 1024;

/** The state of a file that a tool is about to write. */
export interface TargetState {
  readonly look: FileLook | undefined;
  /** The content; undefined if there is no file, `reads` was false, or the file is larger than `maxWholeBytes`. */
  readonly bytes: Buffer | undefined;
  readonly state: string;
}

/**
 * Looks up a file to write, and reads it if `reads` is true.
 * @throws Error for the model if the path can't be written.
 */
export async function readTarget(
  { files }: Workplace,
  target: WorkspacePath,
  { signal, reads }: { readonly signal: AbortSignal; readonly reads: boolean },
): Promise<TargetState> {
  const look = await files.look(target.real);
  if (look !== undefined) expectWritable(look, target.shown);
  const isRead = reads && look !== undefined && look.size <= maxWholeBytes;
  const bytes = isRead ? await collect(files.read(target.real, signal), maxWholeBytes) : undefined;
  return { look, bytes, state: stateOf(target.real, look, bytes) };
}

/** A rename over a file needs rights on the folder only, so the file's own mode is checked here. */
function expectWritable({ kind, isReadOnly }: FileLook, path: string): void {
  if (kind !== "file")
    throw new Error(`${path} is ${kindInWords(kind)}, so no text can be written to it. Choose another path.`);
  if (isReadOnly) throw new Error(`${path} is read-only. Choose another path, or leave it as it is.`);
}

/** The state of a path, including the content of a file that is not too large. */
export async function stateWithContent(
  { files }: Workplace,
  { real }: WorkspacePath,
  signal: AbortSignal,
): Promise<string> {
  const look = await files.look(real);
  const isRead = look?.kind === "file" && look.size <= maxWholeBytes;
  return stateOf(real, look, isRead ? await collect(files.read(real, signal), maxWholeBytes) : undefined);
}
