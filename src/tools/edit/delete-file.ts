// delete_file: deletes one file, one symbolic link or one empty folder.

import { z } from "zod";
import { tool, type Tool } from "../../core/index.js";
import { missing } from "../workspace/missing.js";
import { inPathQueue } from "../workspace/path-queue.js";
import type { RootOptions } from "../workspace/root.js";
import { shownBefore } from "../workspace/shown-before.js";
import { stateWithContent } from "../workspace/text-file.js";
import { openWorkplace, type Place, type Workplace } from "../workspace/workplace.js";
import { kindInWords, type FileLook } from "../workspace/workspace-files.js";

/** The arguments of `delete_file`. */
export interface DeleteFile {
  path: string;
}

/**
 * `delete_file{ path }`: deletes a file inside the root, a symbolic link (not its target), or an empty folder. If the
 * preview was shown and the file has changed since, nothing is deleted.
 * @throws LastcallError `configuration` if the root can't be used, or a pattern of `hide` is invalid.
 */
export function deleteFile(options: RootOptions): Tool<"delete_file", DeleteFile, string, "never"> {
  const workplace = openWorkplace(options);
  const shown = shownBefore();
  return tool({
    name: "delete_file",
    description: "Deletes one file of the workspace, a symbolic link itself, or an empty folder. It can't be undone.",
    input: z.object({ path: z.string().describe("The file, relative to the workspace") }),
    effect: "write",
    reach: ({ path }) => ({ writes: [path] }),
    async preview(input, signal) {
      const place = await workplace.find(input.path, { signal, writes: true, itself: true });
      const look = await expectDeletable(workplace, place, signal);
      shown.keep(input, await stateWithContent(workplace, place, signal));
      return `deletes ${describe(place, look)}`;
    },
    async run(input, { signal }) {
      const place = await workplace.find(input.path, { signal, writes: true, itself: true });
      return inPathQueue([place.real], async () => {
        signal.throwIfAborted();
        const look = await expectDeletable(workplace, place, signal);
        if (shown.has(input)) shown.expect(input, await stateWithContent(workplace, place, signal), place.shown);
        await workplace.files.remove(place.real);
        return `Deleted ${describe(place, look)}`;
      });
    },
  });
}

async function expectDeletable(workplace: Workplace, place: Place, signal: AbortSignal): Promise<FileLook> {
  const look = await workplace.files.look(place.real);
  if (look === undefined) throw await missing(workplace, place.real, signal);
  if (look.kind !== "file" && look.kind !== "link" && look.kind !== "folder")
    throw new Error(`${place.shown} is ${kindInWords(look.kind)}. Only files and empty folders can be deleted.`);
  if (look.kind === "folder" && (await workplace.files.list(place.real)).length > 0)
    throw new Error(`${place.shown} is a folder that is not empty. Delete the files in it first, one by one.`);
  return look;
}

function describe({ shown }: Place, { kind, size }: FileLook): string {
  if (kind === "file") return `${shown} (${String(size)} bytes)`;
  return `${shown} (${kind === "link" ? "a symbolic link, not where it leads" : "an empty folder"})`;
}
