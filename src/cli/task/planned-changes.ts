// A dry run: tools that change nothing, and a list of the changes that they would have made.

import { realpathSync } from "node:fs";
import { relative } from "node:path";
import type { Tool } from "../../core/index.js";
import { toJson } from "../../core/internal.js";
import { dryRun, workspaceTools, type WorkspaceOptions, type WorkspaceTools } from "../../tools/index.js";
import { visible } from "../display/visible.js";

/** The tools of a workspace, in a dry run. */
export interface DryTools {
  readonly tools: WorkspaceTools;
  /** The tool, or one in its place that does nothing if the tool may have an effect besides reading. */
  instead(tool: Tool): Tool;
  /** The changes and commands so far, in their order, as lines for people. */
  plan(): readonly string[];
}

const notRun =
  "[This is a dry run: the command was not run, so nothing is known of what it prints or changes. Files that you write are kept in memory, and you can read them. Go on as if it had worked, and say at the end what could not be tried.]";

const notCalled =
  "[This is a dry run: the tool was not run, so nothing is known of its result. Go on as if it had worked, and say at the end what could not be tried.]";

/** Makes the tools. Files are read from the disk. Changes stay in memory, where later reads see them. */
export function dryTools(options: Omit<WorkspaceOptions, "files">): DryTools {
  const files = dryRun();
  /** Each command and each call that was not made, with the number of file changes before it. */
  const commands: { readonly text: string; readonly after: number }[] = [];
  const plan = (text: string): void => {
    commands.push({ text, after: files.changes().length });
  };
  const [read, write, edit, list, search, move, remove, command] = workspaceTools({ ...options, files });
  const planned: typeof command = {
    ...command,
    run({ command: line, working_dir: folder }) {
      const text = folder === undefined ? line : `${line} (in ${folder})`;
      plan(`run ${text}`);
      return notRun;
    },
  };
  const tools = [read, write, edit, list, search, move, remove, planned] as const;
  const instead = (tool: Tool): Tool => {
    const isHarmless = tool.effect === "none" || tool.effect === "read";
    if (isHarmless || tools.some((one: Tool) => one === tool)) return tool;
    return {
      ...tool,
      run(input) {
        plan(`call ${tool.name} ${toJson(input) ?? ""}`.trimEnd());
        // The value of a claim that was not run is its input.
        return tool.breaks(input) ? input : notCalled;
      },
    };
  };
  return { tools, instead, plan: () => planOf(files.changes(), commands, realpathSync(options.root)) };
}

function planOf(
  changes: ReturnType<ReturnType<typeof dryRun>["changes"]>,
  commands: readonly { readonly text: string; readonly after: number }[],
  root: string,
): readonly string[] {
  const named = (path: string): string => visible(relative(root, path));
  const commandsAfter = (count: number): readonly string[] =>
    commands.filter(({ after }) => after === count).map(({ text }) => visible(text, { multiline: true }));
  const lines = [
    ...commandsAfter(0),
    ...changes.flatMap(({ kind, path, to, diff }, index) => [
      `${kind} ${named(path)}${to === undefined ? "" : ` to ${named(to)}`}`,
      // The line above has the names of the head.
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
