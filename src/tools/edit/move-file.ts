// move_file: moves a file or a symbolic link to another path.

import { z } from "zod";
import { tool, type Tool } from "../../core/index.js";
import { fileChange } from "./file-change.js";
import { missing } from "../workspace/missing.js";
import type { RootOptions } from "../workspace/root.js";
import { stateWithContent } from "../workspace/text-file.js";
import { openWorkplace, type Workplace, type WorkspacePath } from "../workspace/workplace.js";
import { kindInWords } from "../workspace/workspace-files.js";

/** The arguments of `move_file`. */
export interface MoveFile {
  from: string;
  to: string;
  /** True to replace an existing file. Default false: the move is then refused. */
  overwrite?: boolean | undefined;
}

type Ends = readonly [from: WorkspacePath, to: WorkspacePath];

interface MoveOptions {
  readonly signal: AbortSignal;
  readonly reads: boolean;
  readonly overwrite: boolean;
}

interface Move {
  readonly from: WorkspacePath;
  readonly to: WorkspacePath;
  /** The size of the replaced file in bytes; undefined if no file is replaced. */
  readonly replaced: number | undefined;
  readonly state: string;
}

const parameters = z.object({
  from: z.string().describe("The file, relative to the workspace"),
  to: z.string().describe("Its new path, with its name"),
  overwrite: z.boolean().optional().describe("True to replace a file that is there"),
});

/**
 * `move_file{ from, to, overwrite? }`: renames a file inside the root and makes the missing folders. A symbolic link is
 * moved itself, unchanged. If the preview was shown and a file has changed since, nothing is moved. Another process may
 * put a file at the new path between the check and the move; that file is then replaced.
 * @throws LastcallError `configuration` if the root can't be used, or a pattern of `hide` is invalid.
 */
export function moveFile(options: RootOptions): Tool<"move_file", MoveFile, string, "never"> {
  const workplace = openWorkplace(options);
  const change = fileChange({
    async find({ from, to }: MoveFile, signal): Promise<Ends> {
      // A rename replaces a link at the new path, not the link's target. So both paths are the links themselves.
      const options = { signal, writes: true, itself: true };
      return [await workplace.find(from, options), await workplace.find(to, options)];
    },
    look: ({ overwrite = false }, ends, options) => planMove(workplace, ends, { ...options, overwrite }),
    describe: (_input, { from, to, replaced }) =>
      `moves ${from.shown} to ${to.shown}${replaced === undefined ? "" : `, and replaces the file there (${String(replaced)} bytes)`}`,
    async make(_input, { from, to, replaced }) {
      await workplace.files.move(from.real, to.real);
      return `Moved ${from.shown} to ${to.shown}${replaced === undefined ? "" : " (replaced)"}`;
    },
  });
  return tool({
    name: "move_file",
    description:
      "Moves or renames one file of the workspace, and makes the folders it needs. It does not replace a file unless overwrite is true, and moves no folders.",
    input: parameters,
    effect: "write",
    // Failures quote lines and names of the workspace. The texts of successes are our own.
    readsOutside: "failures",
    reach: ({ from, to }) => ({ reads: [from], writes: [from, to] }),
    ...change,
  });
}

async function planMove(
  workplace: Workplace,
  [from, to]: Ends,
  { signal, reads, overwrite }: MoveOptions,
): Promise<Move> {
  const source = await workplace.files.look(from.real);
  if (source === undefined) throw await missing(workplace, from.real, signal);
  if (source.kind !== "file" && source.kind !== "link")
    throw new Error(`${from.shown} is ${kindInWords(source.kind)}. Only files can be moved, one at a time.`);
  if (from.real === to.real) throw new Error(`${from.shown} is where it shall be already. Give another path.`);
  const target = await workplace.files.look(to.real);
  if (target !== undefined && target.kind !== "file" && target.kind !== "link")
    throw new Error(`${to.shown} is ${kindInWords(target.kind)}. Give the whole new path, with the file's name.`);
  if (target !== undefined && !overwrite)
    throw new Error(`There is a file at ${to.shown}. Choose another path, or set overwrite to true to replace it.`);
  const states = reads
    ? [await stateWithContent(workplace, from, signal), await stateWithContent(workplace, to, signal)]
    : [];
  return { from, to, replaced: target?.size, state: states.join("\n") };
}
