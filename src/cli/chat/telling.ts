// Telling: what a conversation says about itself, as lines. Pure.

import type { JournalRecord, Tool } from "../../core/index.js";
import { saidIn } from "../words/said.js";
import { visible, visibleWords } from "../words/visible.js";
import { count } from "../words/quantities.js";
import { markdownLines, type Look, type Page } from "./markdown/markdown.js";

/** What is said at the beginning. */
export interface Beginning {
  readonly id: string;
  readonly model: string;
  readonly workdir: string;
  /** Where commands run, and what else there is to know. */
  readonly remarks: readonly string[];
}

/** The first lines of a conversation. */
export function greeting({ id, model, workdir, remarks }: Beginning, { bold, dim }: Look): readonly string[] {
  return [
    `${bold("lastcall")} ${visible(model)} in ${visible(workdir)}`,
    ...[...remarks, `Conversation ${id}. /help says what you can type; Ctrl-D leaves.`].map((line) =>
      dim(visible(line)),
    ),
  ];
}

/** Exchanges of an earlier conversation that are shown again. */
const shownAgain = 2;

/** The last of what was said before, where a conversation is gone on with. */
export function spokenBefore(records: readonly JournalRecord[], { look, columns }: Page): readonly string[] {
  const inputs = records.flatMap((record) => (record.type === "input" && record.text !== "" ? [record.seq] : []));
  const from = inputs.at(-shownAgain) ?? inputs[0];
  if (from === undefined) return [];
  const older = inputs.length - shownAgain;
  const lines = records.slice(from).flatMap((record): readonly string[] => {
    if (record.type === "input" && record.text !== "") return ["", ...youSaid(record.text, look)];
    if (record.type === "steer") return ["", ...youSaid(record.text, look)];
    if (record.type !== "claim") return [];
    return ["", ...markdownLines(saidIn(record.value), { columns, look })];
  });
  return [...(older > 0 ? ["", look.dim(`[... ${count(older, "earlier input")}]`)] : []), ...lines];
}

/** The words of the person, as they stay on the screen. */
export function youSaid(text: string, { bold }: Look): readonly string[] {
  return visibleWords(text, { multiline: true })
    .split("\n")
    .map((line, index) => bold(`${index === 0 ? ">" : " "} ${line}`));
}

/** A line for each tool: what it is called, what it can do to the world, and the first sentence of what it is for. */
export function toolLines(tools: readonly Tool[]): readonly string[] {
  const width = Math.max(...tools.map(({ name }) => name.length));
  return tools.map(({ name, effect = "execute", description }) => {
    const [sentence = ""] = description.split(/(?<=\.)\s/);
    return `${name.padEnd(width)}  ${effect.padEnd(7)}  ${visible(sentence)}`;
  });
}

/** How full the model's context is, and with what. */
export function contextLines(
  records: readonly JournalRecord[],
  { context, window }: { readonly context: number; readonly window: number | undefined },
): readonly string[] {
  const of = (type: JournalRecord["type"]): number => records.filter((record) => record.type === type).length;
  const size =
    context === 0
      ? "The model has read nothing yet, or its server counts no tokens."
      : `The last request and its reply took ${count(context, "token")}${
          window === undefined ? "" : `, ${String(Math.round((100 * context) / window))} % of ${count(window, "token")}`
        }.`;
  const shortened = of("stub") + of("fold") + of("prune");
  return [
    size,
    ...(window === undefined ? ["How much the model takes is not known: --window says it."] : []),
    `The journal has ${[count(of("input"), "input"), count(of("reply"), "reply", "replies"), count(of("result"), "result")].join(", ")}.`,
    ...(shortened === 0
      ? []
      : [`The context was shortened ${count(shortened, "time")}; the journal keeps everything.`]),
  ];
}
