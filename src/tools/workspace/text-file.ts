// Text files as the tools that change them meet them: looked at, read within a bound, replaced.

import { collect } from "../text/collect.js";
import { stateOf } from "./shown-before.js";
import type { Place, Workplace } from "./workplace.js";
import { kindInWords, type FileLook } from "./workspace-files.js";

/** Bytes of a file that is read whole, to be edited or shown. */
export const mostWhole: number = 16 * 1024 * 1024;

/** What is at a place that a file is written to. */
export interface Standing {
  readonly look: FileLook | undefined;
  /** What is in it; undefined where there is no file, it was not asked for, or it is larger than `mostWhole`. */
  readonly bytes: Buffer | undefined;
  readonly state: string;
}

/** Looks, and reads too where `reads` is true. @throws Error for the model where no file can be written there. */
export async function standingAt(
  { files }: Workplace,
  place: Place,
  { signal, reads }: { readonly signal: AbortSignal; readonly reads: boolean },
): Promise<Standing> {
  const look = await files.look(place.real);
  if (look !== undefined) expectWritable(look, place.shown);
  const isRead = reads && look !== undefined && look.size <= mostWhole;
  const bytes = isRead ? await collect(files.read(place.real, signal), mostWhole) : undefined;
  return { look, bytes, state: stateOf(place.real, look, bytes) };
}

/** Renaming over a file asks only its folder, so its own mode is asked here. */
function expectWritable({ kind, isReadOnly }: FileLook, path: string): void {
  if (kind !== "file")
    throw new Error(`${path} is ${kindInWords(kind)}, so no text can be written to it. Choose another path.`);
  if (isReadOnly) throw new Error(`${path} is read-only. Choose another path, or leave it as it is.`);
}

/** The state of a place, with what is in a file that is not too large. */
export async function stateWithContent({ files }: Workplace, { real }: Place, signal: AbortSignal): Promise<string> {
  const look = await files.look(real);
  const isRead = look?.kind === "file" && look.size <= mostWhole;
  return stateOf(real, look, isRead ? await collect(files.read(real, signal), mostWhole) : undefined);
}
