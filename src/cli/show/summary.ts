// Summaries of calls and their results in a few words, by a table of known tools.

import type { Call, Json, JournalResult } from "../../core/index.js";
import { isPlainObject, shortId, statedChange } from "../../core/internal.js";
import { oneLine, visible } from "../display/visible.js";
import { count } from "../display/quantities.js";

type Fields = Readonly<Record<string, Json>>;

/** The summaries for one tool. They are undefined if arguments or results have an unknown form. */
interface Known {
  readonly call?: (fields: Fields) => string | undefined;
  /** Summarizes a successful call, from the text of its result without the words that hooks added, and its arguments. */
  readonly result?: (text: string, fields: Fields) => string | undefined;
}

/** The arguments of a call in one line. */
export function summaryOfCall(call: Call): string {
  if (call.type === "unreadable-call") return oneLine(call.source, 80);
  if (!isPlainObject(call.input)) return oneLine(JSON.stringify(call.input), 80);
  return known.get(call.name)?.call?.(call.input) ?? summaryOfFields(call.input);
}

/** The result of a successful call in one line. */
export function summaryOfResult(call: Call | undefined, { name, text }: JournalResult): string {
  const fields = call?.type === "call" && isPlainObject(call.input) ? call.input : {};
  const hooked = writers.has(name) ? text.indexOf("\n\n") : -1;
  const own = hooked < 0 ? text : text.slice(0, hooked);
  const remark = hooked < 0 ? "" : `. ${oneLine(text.slice(hooked + 2).split("\n")[0] ?? "", 120)}`;
  return `${known.get(name)?.result?.(own, fields) ?? summaryOfText(completionIn(own) ?? own)}${remark}`;
}

/** Tools whose own result is one line. Hooks added all text after it. */
const writers: ReadonlySet<string> = new Set(["write_file", "edit_file", "move_file", "delete_file"]);

const table: Readonly<Record<string, Known>> = {
  read_file: {
    call: ({ path, from_line: from, lines }) => words(path, range(from, lines)),
    result: (text) => {
      const lines = text.match(/^ *\d+\t/gm)?.length ?? 0;
      if (lines === 0) return undefined;
      return `${count(lines, "line")}${/\n\[[^\n]*(?:There is more|was cut)[^\n]*$/.test(text) ? ", there is more" : ""}`;
    },
  },
  list_files: {
    call: ({ path = "." }) => words(path),
    result: (text) => {
      const lines = text.split("\n");
      const notes = lines.filter((line) => /^\[(?:There is |Left out: |Could not be read: )/.test(line));
      const isCut = notes.some((note) => note.startsWith("[There is more"));
      return `${count(lines.length - notes.length, "entry", "entries")}${isCut ? ", there is more" : ""}`;
    },
  },
  search_files: {
    call: ({ pattern, path, glob }) =>
      typeof pattern === "string"
        ? words(JSON.stringify(pattern), typeof path === "string" ? `in ${path}` : "", glob ?? "")
        : undefined,
    result: (text) => {
      const matches = text.match(/^\d+: /gm)?.length ?? 0;
      if (matches === 0) return text === "[No line matches.]" ? "no matches" : undefined;
      const found = `${count(matches, "match", "matches")} in ${count(text.split("\n\n").length, "file")}`;
      return `${found}${/\n\[[^\n]*more[^\n]*$/.test(text) ? ", there may be more" : ""}`;
    },
  },
  write_file: {
    call: ({ path }) => words(path),
    result: (text, { content }) =>
      typeof content === "string"
        ? `${text.endsWith("(new file)") ? "new" : "replaced"}, ${count(linesIn(content), "line")}`
        : undefined,
  },
  edit_file: {
    call: ({ path }) => words(path),
    result: (_text, { edits }) => {
      if (!Array.isArray(edits)) return undefined;
      const change = statedChange("edit_file", { edits }) ?? [];
      const signed = (sign: string): string => String(change.filter((line) => line.startsWith(sign)).length);
      return `${count(edits.length, "edit")}, +${signed("+")} −${signed("-")}`;
    },
  },
  move_file: {
    call: ({ from, to }) => (typeof to === "string" ? words(from, `to ${to}`) : undefined),
    result: (text) => (text.endsWith("(replaced)") ? "moved, replaced what was there" : "moved"),
  },
  delete_file: {
    call: ({ path }) => words(path),
    result: (text) => {
      const what = /\(([^()]*)\)$/.exec(text)?.[1];
      return what === undefined ? "deleted" : `deleted, ${visible(what)}`;
    },
  },
  run_command: {
    call: ({ command, working_dir: folder }) => {
      if (typeof command !== "string") return undefined;
      return `${oneLine(command, 120)}${typeof folder === "string" ? ` (in ${oneLine(folder, 80)})` : ""}`;
    },
    result: (text) => {
      if (text.startsWith("[This is a dry run")) return "not run";
      const [, ending, printed] = /^([^\n]*)\n([^]*)$/.exec(text) ?? [];
      if (ending === undefined || printed === undefined) return undefined;
      const more = /^\[\.\.\. \d+ bytes left out \.\.\.\]$/m.test(printed) ? "more than " : "";
      const lines = printed === "[no output]" ? "no output" : `${more}${count(linesIn(printed), "line")}`;
      return `${oneLine(ending.replace(/^exit code /, "exit "), 80)}, ${lines}`;
    },
  },
  read_result: {
    call: ({ call, from_line: from, lines }) =>
      typeof call === "string" ? words(shortId(call), range(from, lines)) : undefined,
    result: (text) => /\[((?:Lines|Characters) \d+ to \d+ of \d+)\.[^\n]*$/.exec(text)?.[1]?.toLowerCase(),
  },
  search_notes: { result: notesFound },
  list_notes: { result: notesFound },
};

/** A map, because an object also has `constructor` and the like. */
const known: ReadonlyMap<string, Known> = new Map(Object.entries(table));

/** True for a call that succeeded with bad news: a command that failed, was killed or timed out. */
export function isBadNews({ name, text }: JournalResult): boolean {
  return name === "run_command" && /^(?:exit code [1-9]|killed |timed out )/.test(text);
}

function notesFound(text: string): string | undefined {
  return /^(.* notes?), the /.exec(text)?.[1];
}

/** The texts among the values in one line, each cut to 80 characters. Undefined if the first value is no text. */
function words(first: Json | undefined, ...others: readonly Json[]): string | undefined {
  if (typeof first !== "string") return undefined;
  const texts = [first, ...others].flatMap((text) => (typeof text === "string" && text !== "" ? text : []));
  return texts.map((text) => oneLine(text, 80)).join(" ");
}

/** The lines that the call asks for, in words; empty if it asks for all. */
function range(from: Json | undefined, lines: Json | undefined): string {
  if (typeof lines === "number") {
    const first = typeof from === "number" ? from : 1;
    return lines === 1 ? `line ${String(first)}` : `lines ${String(first)}–${String(first + lines - 1)}`;
  }
  return typeof from === "number" ? `from line ${String(from)}` : "";
}

function linesIn(text: string): number {
  return text === "" ? 0 : text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
}

/** A summary of any arguments: short values, and the sizes of long values. */
function summaryOfFields(fields: Fields): string {
  return Object.entries(fields)
    .map(([name, value], index) => {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      const shown = text.includes("\n") && text.length > 60 ? `<${String(text.length)} characters>` : oneLine(text, 80);
      return index === 0 ? shown : `${visible(name)}=${shown}`;
    })
    .join(" ");
}

/** The words of a completion, which is the result of an agent that a tool ran; undefined if the text is none. */
function completionIn(text: string): string | undefined {
  if (!text.startsWith('{"result":')) return undefined;
  try {
    const { result }: { readonly result?: unknown } = JSON.parse(text) as object;
    return typeof result === "string" ? result : undefined;
  } catch {
    // A text that only begins so is shown as it is.
    return undefined;
  }
}

/** A summary of any text: a single line itself, else the first line and the number of lines. */
function summaryOfText(text: string): string {
  const lines = text.trimEnd().split("\n");
  const first = oneLine((lines[0] ?? "").replaceAll("\t", " "), 80);
  return lines.length === 1 ? first : `${first} … ${String(lines.length)} lines`;
}
