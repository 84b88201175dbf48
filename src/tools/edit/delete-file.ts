// delete_file: deletes one file, one symbolic link or one empty folder.

import { z } from "zod";
import { tool, type Tool } from "../../core/index.js";
import { fileChange } from "./file-change.js";
import { missing } from "../workspace/missing.js";
import type { RootOptions } from "../workspace/root.js";
import { stateWithContent } from "../workspace/text-file.js";
import { openWorkplace, type Workplace, type WorkspacePath } from "../workspace/workplace.js";
import { kindInWords, type FileLook } from "../workspace/workspace-files.js";

/** The arguments of `delete_file`. */
export interface DeleteFile {
  path: string;
}

const parameters = z.object({ path: z.string().describe("The file, relative to the workspace") });

/**
 * `delete_file{ path }`: deletes a file inside the root, a symbolic link (not its target), or an empty folder. If the
 * preview was shown and the file has changed since, nothing is deleted.
 * @throws LastcallError `configuration` if the root can't be used, or a pattern of `hide` is invalid.
 */
export function deleteFile(options: RootOptions): Tool<"delete_file", DeleteFile, string, "never"> {
  const workplace = openWorkplace(options);
  const change = fileChange({
    find: async ({ path }: DeleteFile, signal) => [await workplace.find(path, { signal, writes: true, itself: true })],
    async look(_input, [target], { signal, reads }) {
      const look = await expectDeletable(workplace, target, signal);
      const state = reads ? await stateWithContent(workplace, target, signal) : "";
      return { target, look, state };
    },
    describe: (_input, { target, look }) => `deletes ${describe(target, look)}`,
    async make(_input, { target, look }) {
      await workplace.files.remove(target.real);
      return `Deleted ${describe(target, look)}`;
    },
  });
  return tool({
    name: "delete_file",
    description: "Deletes one file of the workspace, a symbolic link itself, or an empty folder. It can't be undone.",
    input: parameters,
    effect: "write",
    // Failures quote lines and names of the workspace. The texts of successes are our own.
    readsOutside: "failures",
    reach: ({ path }) => ({ writes: [path] }),
    ...change,
  });
}

async function expectDeletable(workplace: Workplace, target: WorkspacePath, signal: AbortSignal): Promise<FileLook> {
  const look = await workplace.files.look(target.real);
  if (look === undefined) throw await missing(workplace, target.real, signal);
  if (look.kind !== "file" && look.kind !== "link" && look.kind !== "folder")
    throw new Error(`${target.shown} is ${kindInWords(look.kind)}. Only files and empty folders can be deleted.`);
  if (look.kind === "folder" && (await workplace.files.list(target.real)).length > 0)
    throw new Error(`${target.shown} is a folder that is not empty. Delete the files in it first, one by one.`);
  return look;
}

function describe({ shown }: WorkspacePath, { kind, size }: FileLook): string {
  if (kind === "file") return `${shown} (${String(size)} bytes)`;
  return `${shown} (${kind === "link" ? "a symbolic link, not where it leads" : "an empty folder"})`;
}
