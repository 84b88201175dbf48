// The lines of a conversation about itself: greeting, earlier exchanges, tools, context. Pure.

import { addUsage, noUsage, type JournalRecord, type Tool } from "../../core/index.js";
import { markdownOf, type Speech } from "../display/said.js";
import { visible, visibleWords } from "../display/visible.js";
import { twoColumns } from "../display/paragraph.js";
import { count, tokens } from "../display/quantities.js";
import { wrapped } from "../display/width.js";
import { markdownLines, type Look, type Page } from "./markdown/markdown.js";

/** The contents of the greeting. */
export interface Beginning {
  readonly id: string;
  readonly model: string;
  readonly workdir: string;
  /** Sentences about the conversation, such as how commands run. */
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

/** Exchanges of an earlier conversation to show again. */
const maxExchanges = 2;

/** The last exchanges of a conversation that is resumed. */
export function spokenBefore(
  records: readonly JournalRecord[],
  { speech, ...page }: Page & { readonly speech: Speech },
): readonly string[] {
  const inputs = records.flatMap((record) => (record.type === "input" && record.text !== "" ? [record.seq] : []));
  const from = inputs.at(-maxExchanges) ?? inputs[0];
  if (from === undefined) return [];
  const older = inputs.length - maxExchanges;
  const lines = records.slice(from).flatMap((record): readonly string[] => {
    if (record.type === "input" && record.text !== "") return ["", ...youSaid(record.text, page)];
    if (record.type === "steer") return ["", ...youSaid(record.text, page)];
    if (record.type !== "claim") return [];
    return ["", ...markdownLines(markdownOf(speech(record.by, record.value)), page)];
  });
  return [...(older > 0 ? ["", page.look.dim(`[... ${count(older, "earlier input")}]`)] : []), ...lines];
}

/** The words of the person, as lines for the screen, wrapped at words. */
export function youSaid(text: string, { look, columns }: Page): readonly string[] {
  return visibleWords(text, { multiline: true })
    .split("\n")
    .flatMap((line) => wrapped(line, Math.max(1, columns - 2)))
    .map((line, index) => look.bold(`${index === 0 ? ">" : " "} ${line}`));
}

/** Lines for each tool: its name, its effect, and the first sentence of its description. */
export function toolLines(tools: readonly Tool[], columns: number): readonly string[] {
  const width = Math.max(...tools.map(({ name }) => name.length));
  const rows = tools.map(({ name, effect = "execute", description }) => {
    const [sentence = ""] = description.split(/(?<=\.)\s/);
    return [`${name.padEnd(width)}  ${effect}`, visible(sentence)] as const;
  });
  return twoColumns(rows, columns);
}

/** Lines about the size and the contents of the model's context. */
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

/** Lines about the tokens and the cost of all records, and of the records since the last words of the person. */
export function costLines(records: readonly JournalRecord[]): readonly string[] {
  const began = records.findLastIndex((record) => record.type === "input" && record.text !== "");
  return [
    `This conversation so far: ${spentWords(records)}.`,
    ...(began < 0 ? [] : [`Since your last words: ${spentWords(records.slice(began))}.`]),
  ];
}

/** The tokens of the model's replies, the tokens beside them, and the cost of both. */
function spentWords(records: readonly JournalRecord[]): string {
  const replies = records.flatMap((record) => (record.type === "reply" ? [record] : []));
  const usage = replies.reduce((sum, { reply }) => addUsage(sum, reply.usage), noUsage);
  const beside = records.flatMap((record) =>
    record.type === "spend" || record.type === "check" ? (record.spent ?? []) : [],
  );
  const others = beside.reduce((sum, spent) => sum + spent.tokens, 0);
  const cost = [...replies.flatMap(({ spent }) => spent ?? []), ...beside].reduce((sum, spent) => sum + spent.cost, 0);
  const more = others === 0 ? "" : `, and ${count(others, "token")} of agents, checks and summaries`;
  return `${count(replies.length, "reply", "replies")}, ${tokens(usage)}${more}${cost === 0 ? "" : `, cost ${String(Number(cost.toPrecision(3)))}`}`;
}
