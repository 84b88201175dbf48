// edit_file: exact searches and replacements in one file, all or none.

import { isUtf8 } from "node:buffer";
import { z } from "zod";
import { tool, type Tool } from "../../core/index.js";
import { unifiedDiff } from "../../core/internal.js";
import { applyEdits, type Edit, type Edited } from "./apply-edits.js";
import { fileChange } from "./file-change.js";
import { missing } from "../workspace/missing.js";
import type { RootOptions } from "../workspace/root.js";
import { maxWholeBytes, readTarget, type TargetState } from "../workspace/text-file.js";
import { openWorkplace, type Workplace, type WorkspacePath } from "../workspace/workplace.js";

/** The arguments of `edit_file`. */
export interface EditFile {
  path: string;
  /** Applied in order, each to the result of the edits before it. */
  edits: Edit[];
}

interface FoundFile extends TargetState {
  readonly target: WorkspacePath;
}

interface PlannedEdit extends Edited {
  readonly before: string;
  readonly mode: number | undefined;
}

const parameters = z.object({
  path: z.string().describe("The file, relative to the workspace"),
  edits: z
    .array(
      z.object({
        search: z.string().describe("The text as it stands in the file, in there once"),
        replace: z.string().describe("What to put in its place; empty to delete it"),
      }),
    )
    .refine((edits) => edits.length > 0, "must hold at least one edit")
    .describe("The edits, in order"),
});

/**
 * `edit_file{ path, edits: [{ search, replace }] }`: replaces texts in a file inside the root. Each search must occur
 * exactly once, letter for letter, in the text that the edits before it left. If one does not, nothing is changed, and
 * the error says where and why. All other bytes stay: a byte order mark, line endings, a missing line break at the end.
 * A line break `\n` in a search also matches `\r\n`; in a replacement it becomes the line ending used at that position.
 * A file that is not UTF-8, or is larger than 16 MiB, is refused. The preview is a unified diff. If it was shown and
 * the file has changed since, nothing is written.
 * @throws LastcallError `configuration` if the root can't be used, or a pattern of `hide` is invalid.
 */
export function editFile(options: RootOptions): Tool<"edit_file", EditFile, string, "never"> {
  const workplace = openWorkplace(options);
  const change = fileChange({
    find: async ({ path }: EditFile, signal) => [await workplace.find(path, { signal, writes: true })],
    // The edits depend on the content, so it is always read.
    look: async (_input, [target], { signal }) => ({
      ...(await readTarget(workplace, target, { signal, reads: true })),
      target,
    }),
    async describe({ edits }, found, signal) {
      const { before, text } = await planEdits(workplace, found, { edits, signal });
      return unifiedDiff(found.target.shown, before, text) || `${found.target.shown} stays as it is`;
    },
    async make({ edits }, found, signal) {
      const { text, lines, mode } = await planEdits(workplace, found, { edits, signal });
      await workplace.files.replace(found.target.real, Buffer.from(text), { mode, signal });
      const count = edits.length === 1 ? "1 edit" : `${String(edits.length)} edits`;
      return `Edited ${found.target.shown} (${count}), now on ${/^\d+$/.test(lines) ? "line" : "lines"} ${lines}`;
    },
  });
  return tool({
    name: "edit_file",
    description:
      "Changes parts of a text file of the workspace. Each search must be in the file exactly once, to the letter and without line numbers; give enough lines around what changes. The edits are made in order, all or none.",
    input: parameters,
    effect: "write",
    // Failures quote lines and names of the workspace. The texts of successes are our own.
    readsOutside: "failures",
    // A failure quotes lines of the file, so that an edit reads it as well.
    reach: ({ path }) => ({ reads: [path], writes: [path] }),
    ...change,
  });
}

/** @throws Error for the model if the file can't be edited, or an edit can't be applied. */
async function planEdits(
  workplace: Workplace,
  { target, look, bytes }: FoundFile,
  { edits, signal }: { readonly edits: readonly Edit[]; readonly signal: AbortSignal },
): Promise<PlannedEdit> {
  const { real, shown } = target;
  if (look === undefined) throw await missing(workplace, real, signal);
  if (bytes === undefined)
    throw new Error(`${shown} is larger than ${String(maxWholeBytes)} bytes, so it can't be edited. Use a command.`);
  if (!isUtf8(bytes)) throw new Error(`${shown} is not UTF-8 text, so it can't be edited. Use a command.`);
  const before = bytes.toString();
  return { ...applyEdits(before, edits), before, mode: look.mode };
}
