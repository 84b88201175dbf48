// write_file: writes a whole file, atomically.

import { isUtf8 } from "node:buffer";
import { z } from "zod";
import { tool, type Tool } from "../../core/index.js";
import { inPathQueue } from "../workspace/path-queue.js";
import type { RootOptions } from "../workspace/root.js";
import { shownBefore } from "../workspace/shown-before.js";
import { standingAt } from "../workspace/text-file.js";
import { unifiedDiff } from "../text/unified-diff.js";
import { openWorkplace } from "../workspace/workplace.js";

/** The arguments of `write_file`. */
export interface WriteFile {
  path: string;
  /** The complete content of the file. */
  content: string;
}

/**
 * `write_file{ path, content }`: makes or replaces a file inside the root. A reader sees the old file or the new one,
 * never a part. An existing file keeps its mode; hard links to it keep the old content. The preview is a unified diff.
 * If it was shown and the file has changed since, nothing is written.
 * @throws LastcallError `configuration` if the root can't be used, or a pattern of `hide` is invalid.
 */
export function writeFile(options: RootOptions): Tool<"write_file", WriteFile, string, "never"> {
  const workplace = openWorkplace(options);
  const shown = shownBefore();
  return tool({
    name: "write_file",
    description:
      "Writes a whole text file of the workspace: makes it, and the folders it needs, or replaces all that was in it. To change a part of a file, edit_file is surer.",
    input: z.object({
      path: z.string().describe("The file, relative to the workspace"),
      content: z.string().describe("All that the file shall hold"),
    }),
    effect: "write",
    reach: ({ path }) => ({ writes: [path] }),
    async preview(input, signal) {
      const place = await workplace.find(input.path, { signal, writes: true });
      const standing = await standingAt(workplace, place, { signal, reads: true });
      shown.keep(input, standing.state);
      return describe(place.shown, standing, input.content);
    },
    async run(input, { signal }) {
      const place = await workplace.find(input.path, { signal, writes: true });
      return inPathQueue([place.real], async () => {
        const { look, state } = await standingAt(workplace, place, { signal, reads: shown.has(input) });
        shown.expect(input, state, place.shown);
        const content = Buffer.from(input.content);
        await workplace.files.replace(place.real, content, { mode: look?.mode, signal });
        const what = look === undefined ? "new file" : "replaced";
        return `Wrote ${String(content.length)} bytes to ${place.shown} (${what})`;
      });
    },
  });
}

type Standing = Awaited<ReturnType<typeof standingAt>>;

function describe(path: string, { look, bytes }: Standing, content: string): string {
  if (look === undefined) return `new file ${path}\n${unifiedDiff(path, undefined, content)}`;
  if (bytes !== undefined && isUtf8(bytes))
    return unifiedDiff(path, bytes.toString(), content) || `${path} stays as it is`;
  const what = bytes === undefined ? "a file too large to compare" : "what is not UTF-8 text";
  return `replaces ${what} (${String(look.size)} bytes)\n${unifiedDiff(path, undefined, content)}`;
}
