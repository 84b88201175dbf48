// An agent as a Markdown file states it: front matter with its fields, and its instructions below.

import { basename } from "node:path";
import { LastcallError } from "../../core/index.js";
import { parseSettings, type SettingsFile } from "../display/settings-text.js";
import { visible } from "../display/visible.js";

/** An agent in a Markdown file. */
export interface StatedAgent {
  /** The name of the agent, and of the tool that runs the agent. */
  readonly name: string;
  /** Tells the calling model what the agent does, and when to call the agent. */
  readonly description: string;
  /** The names of its tools. */
  readonly tools: readonly string[];
  /** The name of its model; undefined for the run's model. */
  readonly model: string | undefined;
  /** The body of the file. */
  readonly instructions: string;
  /** The absolute path of the file. */
  readonly source: string;
}

/** The command's tools that only read files. An agent whose file names no tools has these tools. */
export const readingTools: readonly string[] = ["read_file", "list_files", "search_files"];

/** The tools that an agent may have. */
export const allowedTools: readonly string[] = [
  ...readingTools,
  "write_file",
  "edit_file",
  "move_file",
  "delete_file",
  "run_command",
  "ask_question",
];

/** The fields of the front matter. */
export const agentFields: readonly string[] = ["name", "description", "tools", "model"];

/** Characters that one file may have. */
const longest = 64 * 1024;

/**
 * The agent in a file.
 * @throws LastcallError `configuration` that names the file and the field, and says what to write.
 */
export function agentIn(file: SettingsFile): StatedAgent {
  const { path, text } = file;
  if (text.length > longest)
    throw wrong(file, `it is longer than ${String(longest / 1024)} KiB, which no model should read. Shorten it`);
  const { head, body } = partsOf(file);
  const given = parseSettings({ path, text: head }, "description: what the agent does");
  const unknown = Object.keys(given).find((name) => !agentFields.includes(name));
  if (unknown !== undefined)
    throw wrong(file, `${JSON.stringify(unknown)} is no field of an agent; there are ${agentFields.join(", ")}`);
  if (body === "") throw wrong(file, "it has no instructions. Write them below the front matter");
  return {
    name: nameIn(file, given["name"] ?? basename(path).replace(/\.md$/i, "")),
    description: textIn(file, "description", given["description"]),
    tools: given["tools"] === undefined ? readingTools : toolsIn(file, given["tools"]),
    model: given["model"] === undefined ? undefined : textIn(file, "model", given["model"]),
    instructions: body,
    source: path,
  };
}

/** True if every tool of the agent reads files or asks a question. Calls to such an agent run side by side. */
export function onlyReads({ tools }: Pick<StatedAgent, "tools">): boolean {
  return tools.every((name) => readingTools.includes(name) || name === "ask_question");
}

/** The front matter, and the text below it. */
function partsOf(file: SettingsFile): { readonly head: string; readonly body: string } {
  const [first = "", ...lines] = file.text.replace(/^\uFEFF/, "").split(/\r?\n/);
  if (first.trimEnd() !== "---")
    throw wrong(
      file,
      'it does not begin with front matter. Begin it with the lines "---", "description: what the agent does, and when to call it", "---"',
    );
  const end = lines.findIndex((line) => line.trimEnd() === "---");
  if (end < 0) throw wrong(file, 'its front matter does not end. Write the line "---" below the fields');
  return {
    head: lines.slice(0, end).join("\n"),
    body: lines
      .slice(end + 1)
      .join("\n")
      .trim(),
  };
}

function nameIn(file: SettingsFile, value: unknown): string {
  if (typeof value === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(value)) return value;
  throw wrong(
    file,
    `${JSON.stringify(value)} can't be the name of an agent. Give it a name of 1 to 64 letters, digits, "_" or "-"`,
  );
}

function textIn(file: SettingsFile, field: string, value: unknown): string {
  if (typeof value === "string" && value.trim() !== "") return value.trim();
  if (value === undefined)
    throw wrong(
      file,
      `it has no ${field}. Add one to the front matter: the model reads the ${field} to know when to call the agent`,
    );
  throw wrong(file, `${field} must be a text, and is ${JSON.stringify(value)}`);
}

function toolsIn(file: SettingsFile, value: unknown): readonly string[] {
  if (!Array.isArray(value) || value.length === 0)
    throw wrong(file, `tools must be a list such as [read_file, run_command], and is ${JSON.stringify(value)}`);
  const strange: unknown = value.find((one) => !allowedTools.includes(one as string));
  if (strange !== undefined)
    throw wrong(
      file,
      `${JSON.stringify(strange)} is no tool that an agent can have; there are ${allowedTools.join(", ")}`,
    );
  return [...new Set(value as string[])];
}

function wrong({ path }: SettingsFile, problem: string): LastcallError {
  return new LastcallError(
    "configuration",
    `The agent in ${visible(path)} can't be used: ${visible(problem)}. To go on without such agents: --no-agents.`,
  );
}
