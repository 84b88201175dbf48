// A dry run: tools that change nothing, and what they would have done, in order.

import { realpathSync } from "node:fs";
import { relative } from "node:path";
import { dryRun, workspaceTools, type WorkspaceOptions, type WorkspaceTools } from "../../tools/index.js";
import { visible } from "../words/visible.js";

/** The tools of a workspace in which nothing is changed. */
export interface DryTools {
  readonly tools: WorkspaceTools;
  /** What would have been done, in lines for people. */
  plan(): readonly string[];
}

const notRun =
  "[This is a dry run: the command was not run, so nothing is known of what it prints or changes. Files that you write are kept in memory, and you can read them. Go on as if it had worked, and say at the end what could not be tried.]";

/** Makes them. Files are read from the disk; what is written is seen by later reads, and lost at the end. */
export function dryTools(options: Omit<WorkspaceOptions, "files">): DryTools {
  const files = dryRun();
  /** Each command, and how many changes of files came before it. */
  const commands: { readonly text: string; readonly after: number }[] = [];
  const [read, write, edit, list, search, move, remove, command] = workspaceTools({ ...options, files });
  const planned: typeof command = {
    ...command,
    run({ command: line, working_dir: folder }) {
      const text = folder === undefined ? line : `${line} (in ${folder})`;
      commands.push({ text, after: files.changes().length });
      return notRun;
    },
  };
  const tools = [read, write, edit, list, search, move, remove, planned] as const;
  return { tools, plan: () => planOf(files.changes(), commands, realpathSync(options.root)) };
}

function planOf(
  changes: ReturnType<ReturnType<typeof dryRun>["changes"]>,
  commands: readonly { readonly text: string; readonly after: number }[],
  root: string,
): readonly string[] {
  const named = (path: string): string => visible(relative(root, path));
  const commandsAfter = (count: number): readonly string[] =>
    commands.filter(({ after }) => after === count).map(({ text }) => `run ${visible(text, { multiline: true })}`);
  const lines = [
    ...commandsAfter(0),
    ...changes.flatMap(({ kind, path, to, diff }, index) => [
      `${kind} ${named(path)}${to === undefined ? "" : ` to ${named(to)}`}`,
      // The names in its head are said already.
      ...(diff === ""
        ? []
        : [visible(diff.replace(/^---.*\n\+\+\+.*\n/, "").trimEnd(), { multiline: true }).replace(/^/gm, "  ")]),
      ...commandsAfter(index + 1),
    ]),
  ];
  return lines.length === 0
    ? ["Dry run: nothing would have been changed or run."]
    : ["Dry run: nothing was changed or run. This would have been, in order:", ...lines];
}
