// The bottom of the screen: streamed words, running calls, suggestions, status and input.

import type { Call } from "../../../core/index.js";
import { callLine } from "../../show/call-line.js";
import { visible, visibleWords } from "../../display/visible.js";
import { count } from "../../display/quantities.js";
import { emptyEditor, type Editor } from "./editor.js";
import { inputLines } from "./input-lines.js";
import { markdownLines, type Look } from "../markdown/markdown.js";
import type { Bottom } from "./screen.js";
import { silence, type Talk } from "./talk.js";
import { clipped, widthOf, wrapped } from "../../display/width.js";
import { headOf } from "../../../core/internal.js";

/** The contents of the bottom. */
export interface View {
  readonly talk: Talk;
  readonly editor: Editor;
  readonly model: string;
  /** The context window in tokens; undefined if it is unknown. */
  readonly window: number | undefined;
  /** The start of the run, in milliseconds since 1970; undefined if there is no run. */
  readonly since: number | undefined;
  /** The text before the input: `> `, or a question. */
  readonly prompt: string;
  /** The suggestions to choose from. */
  readonly choices: readonly string[];
  /** The index of the marked suggestion; -1 for none. */
  readonly chosen: number;
  /** Messages to the running turn that it has not read yet. */
  readonly waiting: readonly string[];
  /** A short message in the status line; empty for none. */
  readonly hint: string;
}

/** The view without a run, a question or input. */
export const atRest: Omit<View, "model" | "window"> = {
  talk: silence,
  since: undefined,
  prompt: "> ",
  choices: [],
  chosen: -1,
  waiting: [],
  hint: "",
  editor: emptyEditor(),
};

/** The size of the screen, the look, and the time. */
export interface Frame {
  readonly columns: number;
  readonly rows: number;
  readonly look: Look;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Characters to lay out of a text, at its end: no screen shows more. */
const maxShown = 8000;

/** Lays out the bottom. It is never higher than the screen. */
export function bottomOf(view: View, frame: Frame): Bottom {
  const { columns, rows, look } = frame;
  const room = Math.max(1, columns - 1);
  const [label, prompt] = promptOf(view.prompt);
  const input = inputLines(view.editor.text, view.editor.cursor, {
    prompt,
    columns,
    rows: Math.max(1, Math.floor(rows / 3)),
  });
  // One row stays free for the lines above.
  const height = Math.max(0, rows - input.lines.length - 1);
  const question = label === "" ? [] : label.split("\n").flatMap((line) => wrapped(line, room));
  const waiting = view.waiting.map((text) => look.dim(clipped(`↳ ${visibleWords(headOf(text, maxShown))}`, room)));
  const status = [...(rows > 12 ? [""] : []), look.dim(clipped(statusLine(view, frame), room))];
  // A question pauses the work.
  const doing = question.length > 0 ? [] : doingLines(view.talk, frame);
  const words = streamedLines(view.talk.words, frame);
  const streamed = words.length === 0 ? [] : ["", ...words];
  const others = [...streamed, ...doing, ...waiting, ...choiceLines(view, frame), ...status];
  const shown = question.slice(0, height);
  const lines = [...others.slice(Math.max(0, others.length + shown.length - height)), ...shown];
  return {
    lines: [...lines, ...input.lines],
    cursor: { row: lines.length + input.cursor.row, column: Math.min(input.cursor.column, room) },
  };
}

/** The suggestions: whole if they take at most half of the screen, else a line each. */
function choiceLines({ choices, chosen }: View, { columns, rows, look }: Frame): readonly string[] {
  const width = Math.max(1, columns - 1);
  const lines = (areWhole: boolean): readonly string[] =>
    choices.flatMap((choice, index) => {
      const mark = `${index === chosen ? "❯" : " "} ${String(index + 1)}. `;
      const room = Math.max(1, width - widthOf(mark));
      const words = visibleWords(headOf(choice, maxShown));
      return (areWhole ? wrapped(words, room) : [clipped(words, room)])
        .map((line, row) => clipped(`${row === 0 ? mark : " ".repeat(widthOf(mark))}${line}`, width))
        .map(index === chosen ? look.bold : (line) => line);
    });
  const whole = lines(true);
  return whole.length <= rows / 2 ? whole : lines(false);
}

/** Splits a prompt: a long prompt becomes lines above the input, and the input gets `> `. */
function promptOf(prompt: string): readonly [label: string, prompt: string] {
  return prompt.length <= 4 ? ["", prompt] : [prompt.trimEnd(), "> "];
}

/** The end of the streamed words: as much as fits on the screen. */
function streamedLines(words: string, { columns, rows, look }: Frame): readonly string[] {
  if (words === "") return [];
  const from = Math.max(0, words.length - Math.min(maxShown, columns * rows));
  // An end that begins within a code block gets the fence again.
  const isInCode = (words.slice(0, from).match(/^ {0,3}```/gm)?.length ?? 0) % 2 === 1;
  const end = words.slice(from);
  return markdownLines(isInCode ? `\`\`\`\n${end}` : end, { columns: Math.max(1, columns - 1), look });
}

const wheel = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** A line for each call, check or reply in progress. */
function doingLines({ calls, below, writing, check, isThinking, words, claim }: Talk, frame: Frame): readonly string[] {
  const sign = wheel[Math.floor(frame.now / 100) % wheel.length] ?? "";
  const line = (text: string): string => clipped(`${sign} ${text}`, Math.max(1, frame.columns - 1));
  // The words of a claim are on the screen. Its call would say them again.
  const isTalk = (call: Call): boolean => call.type === "call" && claim !== "" && calls.length === 1;
  const made = ({ id }: Call): string => (below[id] === undefined ? "" : `${count(below[id], "call")}: `);
  const doing = calls.filter((call) => !isTalk(call)).map((call) => line(`${made(call)}${callLine(call, frame.look)}`));
  if (check !== undefined) doing.push(line(`check ${visible(check)}`));
  if (writing !== undefined && words === "") {
    const size = writing.characters === 0 ? "" : `, ${count(writing.characters, "character")}`;
    doing.push(line(`writes ${visible(writing.tool)}${size}`));
  }
  if (isThinking) doing.push(line("thinks"));
  return doing;
}

/** The status: hint, model, context, tokens, cost and seconds of the run. In a narrow terminal, the last of them stay longest. */
function statusLine({ talk, model, window, since, hint }: View, { now, columns }: Frame): string {
  const { usage, context, cost } = talk;
  const size = context === 0 ? "" : `context ${kilo(context)}`;
  const share =
    window === undefined || size === ""
      ? ""
      : ` (${String(Math.round((100 * context) / window))} % of ${kilo(window)})`;
  const isCounted = usage.inputTokens + usage.outputTokens > 0;
  const tokens = isCounted ? `${kilo(usage.inputTokens)} in, ${kilo(usage.outputTokens)} out` : "";
  const last = [
    cost === undefined ? "" : `cost ${String(Number(cost.toPrecision(3)))}`,
    since === undefined ? "" : `${String(Math.max(0, Math.floor((now - since) / 1000)))} s`,
  ];
  const forms = [
    [hint, visible(model), size + share, tokens, ...last],
    [hint, visible(model), size + share, ...last],
    [hint, visible(model), size, ...last],
  ].map((parts) => parts.filter((part) => part !== "").join(" · "));
  return forms.find((form) => widthOf(form) < columns) ?? forms.at(-1) ?? "";
}

function kilo(count: number): string {
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`;
}
