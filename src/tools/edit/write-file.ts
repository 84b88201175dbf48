// write_file: writes a whole file, atomically.

import { isUtf8 } from "node:buffer";
import { z } from "zod";
import { tool, type Tool } from "../../core/index.js";
import { unifiedDiff } from "../../core/internal.js";
import { fileChange } from "./file-change.js";
import type { RootOptions } from "../workspace/root.js";
import { readTarget, type TargetState } from "../workspace/text-file.js";
import { openWorkplace, type WorkspacePath } from "../workspace/workplace.js";

/** The arguments of `write_file`. */
export interface WriteFile {
  path: string;
  /** The complete content of the file. */
  content: string;
}

const parameters = z.object({
  path: z.string().describe("The file, relative to the workspace"),
  content: z.string().describe("All that the file shall hold"),
});

/**
 * `write_file{ path, content }`: makes or replaces a file inside the root. A reader sees the old file or the new file,
 * never a part. An existing file keeps its mode; hard links to it keep the old content. The preview is a unified diff.
 * If it was shown and the file has changed since, nothing is written.
 * @throws LastcallError `configuration` if the root can't be used, or a pattern of `hide` is invalid.
 */
export function writeFile(options: RootOptions): Tool<"write_file", WriteFile, string, "never"> {
  const workplace = openWorkplace(options);
  const change = fileChange({
    find: async ({ path }: WriteFile, signal) => [await workplace.find(path, { signal, writes: true })],
    look: async (_input, [target], options) => ({ ...(await readTarget(workplace, target, options)), target }),
    describe: ({ content }, before) => describe(before, content),
    async make(input, { look, target }, signal) {
      const content = Buffer.from(input.content);
      await workplace.files.replace(target.real, content, { mode: look?.mode, signal });
      const what = look === undefined ? "new file" : "replaced";
      return `Wrote ${String(content.length)} bytes to ${target.shown} (${what})`;
    },
  });
  return tool({
    name: "write_file",
    description:
      "Writes a whole text file of the workspace: makes it, and the folders it needs, or replaces all that was in it. To change a part of a file, edit_file is surer.",
    input: parameters,
    effect: "write",
    // Failures quote lines and names of the workspace. The texts of successes are our own.
    readsOutside: "failures",
    reach: ({ path }) => ({ writes: [path] }),
    ...change,
  });
}

interface Before extends TargetState {
  readonly target: WorkspacePath;
}

function describe({ target, look, bytes }: Before, content: string): string {
  const path = target.shown;
  if (look === undefined) return `new file ${path}\n${unifiedDiff(path, undefined, content)}`;
  if (bytes !== undefined && isUtf8(bytes))
    return unifiedDiff(path, bytes.toString(), content) || `${path} stays as it is`;
  const what = bytes === undefined ? "a file too large to compare" : "what is not UTF-8 text";
  return `replaces ${what} (${String(look.size)} bytes)\n${unifiedDiff(path, undefined, content)}`;
}
