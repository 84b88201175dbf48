// The bottom of the screen: what is being said and done, what can be chosen, how things stand, and what is being typed.

import type { Call } from "../../../core/index.js";
import { callLine } from "../../show/call-line.js";
import { visible, visibleWords } from "../../words/visible.js";
import { count } from "../../words/quantities.js";
import { emptyEditor, type Editor } from "./editor.js";
import { inputLines } from "./input-lines.js";
import { markdownLines, type Look } from "../markdown/markdown.js";
import type { Bottom } from "./screen.js";
import { silence, type Talk } from "./talk.js";
import { clipped, widthOf, wrapped } from "../style/width.js";

/** Everything that the bottom shows. */
export interface View {
  readonly talk: Talk;
  readonly editor: Editor;
  readonly model: string;
  /** Tokens that the model takes; undefined where that is not known. */
  readonly window: number | undefined;
  /** Since when a run goes on, in milliseconds since 1970; undefined where none does. */
  readonly since: number | undefined;
  /** What stands before the input; `> ` as a rule, a question where something is asked. */
  readonly prompt: string;
  /** Answers that can be chosen, and which of them is marked: -1 for none. */
  readonly choices: readonly string[];
  readonly chosen: number;
  /** What was typed while the run is busy, and is not read yet. */
  readonly waiting: readonly string[];
  /** What to know right now. */
  readonly hint: string;
}

/** Nothing goes on, and nothing is asked or typed. */
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

/** How large the screen is, how things look, and what time it is. */
export interface Frame {
  readonly columns: number;
  readonly rows: number;
  readonly look: Look;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The last characters of what is being said: no screen shows more. */
const tail = 8000;

/** The bottom, no higher than the screen. */
export function bottomOf(view: View, frame: Frame): Bottom {
  const { columns, rows, look } = frame;
  const most = Math.max(1, columns - 1);
  const [label, prompt] = promptOf(view.prompt);
  const input = inputLines(view.editor.text, view.editor.cursor, {
    prompt,
    columns,
    rows: Math.max(1, Math.floor(rows / 3)),
  });
  // One row stays free, so that what was said above is not all gone.
  const height = Math.max(0, rows - input.lines.length - 1);
  const asked = label === "" ? [] : label.split("\n").flatMap((line) => wrapped(line, most));
  const waiting = view.waiting.map((text) => look.dim(clipped(`↳ ${visibleWords(text.slice(0, tail))}`, most)));
  const status = [...(rows > 12 ? [""] : []), look.dim(clipped(statusLine(view, frame), most))];
  // While something is asked, nothing goes on.
  const doing = asked.length > 0 ? [] : doingLines(view.talk, frame);
  const spokenLines = spoken(view.talk.words, frame);
  const said = spokenLines.length === 0 ? [] : ["", ...spokenLines];
  const others = [...said, ...doing, ...waiting, ...choiceLines(view, frame), ...status];
  const shown = asked.slice(0, height);
  const lines = [...others.slice(Math.max(0, others.length + shown.length - height)), ...shown];
  return {
    lines: [...lines, ...input.lines],
    cursor: { row: lines.length + input.cursor.row, column: Math.min(input.cursor.column, most) },
  };
}

/** The answers that can be chosen: whole where that leaves half of the screen to what was asked, else a line each. */
function choiceLines({ choices, chosen }: View, { columns, rows, look }: Frame): readonly string[] {
  const most = Math.max(1, columns - 1);
  const lines = (areWhole: boolean): readonly string[] =>
    choices.flatMap((choice, index) => {
      const mark = `${index === chosen ? "❯" : " "} ${String(index + 1)}. `;
      const room = Math.max(1, most - widthOf(mark));
      const words = visibleWords(choice.slice(0, tail));
      return (areWhole ? wrapped(words, room) : [clipped(words, room)])
        .map((line, row) => clipped(`${row === 0 ? mark : " ".repeat(widthOf(mark))}${line}`, most))
        .map(index === chosen ? look.bold : (line) => line);
    });
  const whole = lines(true);
  return whole.length <= rows / 2 ? whole : lines(false);
}

/** The last line of a prompt is what the input stands behind, if it is short. */
function promptOf(prompt: string): readonly [label: string, prompt: string] {
  return prompt.length <= 4 ? ["", prompt] : [prompt.trimEnd(), "> "];
}

/** The end of what is being said: as much as the screen may show of it. */
function spoken(words: string, { columns, rows, look }: Frame): readonly string[] {
  if (words === "") return [];
  const from = Math.max(0, words.length - Math.min(tail, columns * rows));
  // What begins within code is code.
  const isInCode = (words.slice(0, from).match(/^ {0,3}```/gm)?.length ?? 0) % 2 === 1;
  const end = words.slice(from);
  return markdownLines(isInCode ? `\`\`\`\n${end}` : end, { columns: Math.max(1, columns - 1), look });
}

const wheel = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** What it does that takes time, a line each. */
function doingLines({ calls, writing, check, isThinking, words }: Talk, frame: Frame): readonly string[] {
  const sign = wheel[Math.floor(frame.now / 100) % wheel.length] ?? "";
  const line = (text: string): string => clipped(`${sign} ${text}`, Math.max(1, frame.columns - 1));
  const isTalk = (call: Call): boolean => call.type === "call" && words !== "" && calls.length === 1;
  const doing = calls.filter((call) => !isTalk(call)).map((call) => line(callLine(call, frame.look)));
  if (check !== undefined) doing.push(line(`check ${visible(check)}`));
  if (writing !== undefined && words === "") {
    const size = writing.characters === 0 ? "" : `, ${count(writing.characters, "character")}`;
    doing.push(line(`writes ${visible(writing.tool)}${size}`));
  }
  if (isThinking) doing.push(line("thinks"));
  return doing;
}

/** The model, how full its context is, what was used, and how long it has been at it. */
function statusLine({ talk, model, window, since, hint }: View, { now }: Frame): string {
  const { usage, context, cost } = talk;
  const share = window === undefined ? "" : ` (${String(Math.round((100 * context) / window))} % of ${kilo(window)})`;
  const isCounted = usage.inputTokens + usage.outputTokens > 0;
  const parts = [
    hint,
    visible(model),
    context === 0 ? "" : `context ${kilo(context)}${share}`,
    isCounted ? `${kilo(usage.inputTokens)} in, ${kilo(usage.outputTokens)} out` : "",
    cost === undefined ? "" : `cost ${String(Number(cost.toPrecision(3)))}`,
    since === undefined ? "" : `${String(Math.max(0, Math.floor((now - since) / 1000)))} s`,
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

function kilo(count: number): string {
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(count < 10_000 ? 1 : 0)}k`;
}
