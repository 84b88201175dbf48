// Tools for the command: lastcall --tools line-tools.ts "task". A function gets the folder that the command works in.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { tool } from "lastcall";
import type { ToolsModule } from "lastcall/command";
import { z } from "zod";

const countLines: ToolsModule = ({ root }) =>
  tool({
    name: "count_lines",
    description: "Counts the lines of a file of the folder.",
    input: z.object({ path: z.string() }),
    effect: "read",
    // With this, rules on files and the tier hold for the tool as for those of the command.
    reach: ({ path }) => ({ reads: [path] }),
    run: async ({ path }) => (await readFile(join(root, path), "utf8")).split("\n").length - 1,
  });

export default countLines;
