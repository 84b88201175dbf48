// The editor: the typed text, as a pure function of the keys.

import type { Press } from "./keys.js";
import { charactersOf } from "../../display/width.js";

/** The state of the editor. */
export interface Editor {
  readonly text: string;
  /** The index of the cursor in the text, in UTF-16 units, never within a grapheme. */
  readonly cursor: number;
  /** The inputs sent before, oldest first. */
  readonly history: readonly string[];
  /** The index of the shown input in the history; the length of the history for the draft. */
  readonly at: number;
  /** The text before the history was shown. */
  readonly draft: string;
  /** The last cut text, for Ctrl-Y. */
  readonly cut: string;
}

/** The result of a key. */
export interface Edited {
  readonly editor: Editor;
  /** The text, if the key sent it. The editor is empty then. */
  readonly sent?: string;
}

/** Inputs kept in the history. */
const maxHistory = 500;

/** An editor with nothing typed. */
export function emptyEditor(history: readonly string[] = []): Editor {
  return { text: "", cursor: 0, history, at: history.length, draft: "", cut: "" };
}

/** The editor after a key. An unknown key changes nothing. */
export function edit(editor: Editor, press: Press): Edited {
  if (press.type === "text") return { editor: insert(editor, press.text) };
  const name = `${press.ctrl ? "ctrl-" : ""}${press.meta ? "meta-" : ""}${press.name}`;
  if (name === "return") return isContinued(editor) ? { editor: continued(editor) } : send(editor);
  return { editor: actions.get(name)?.(editor) ?? editor };
}

/** The editor with another text, the cursor at its end. */
export function withText(editor: Editor, text: string): Editor {
  return { ...editor, text, cursor: text.length };
}

/** The empty editor, with the text added to the history. */
export function setAside(editor: Editor): Editor {
  const { text, history, cut } = editor;
  const isKept = text.trim() !== "" && text !== history.at(-1);
  return { ...emptyEditor(isKept ? [...history, text].slice(-maxHistory) : history), cut };
}

type Action = (editor: Editor) => Editor;

const move =
  (to: (editor: Editor) => number): Action =>
  (editor) => ({ ...editor, cursor: to(editor) });

/** Removes the text between the cursor and an index. `isKept`: the text can be inserted again with Ctrl-Y. */
const remove =
  (to: (editor: Editor) => number, isKept: boolean): Action =>
  (editor) => {
    const [start, end] = [editor.cursor, to(editor)].sort((a, b) => a - b) as [number, number];
    const text = editor.text.slice(0, start) + editor.text.slice(end);
    return { ...editor, text, cursor: start, cut: isKept && end > start ? editor.text.slice(start, end) : editor.cut };
  };

const newline: Action = (editor) => insert(editor, "\n");

const actions: ReadonlyMap<string, Action> = new Map<string, Action>([
  ["enter", newline],
  ["ctrl-j", newline],
  ["meta-return", newline],
  ["meta-enter", newline],
  ["left", move(before)],
  ["ctrl-b", move(before)],
  ["right", move(after)],
  ["ctrl-f", move(after)],
  ["ctrl-left", move(wordBefore)],
  ["meta-left", move(wordBefore)],
  ["meta-b", move(wordBefore)],
  ["ctrl-right", move(wordAfter)],
  ["meta-right", move(wordAfter)],
  ["meta-f", move(wordAfter)],
  ["home", move(lineStart)],
  ["ctrl-a", move(lineStart)],
  ["end", move(lineEnd)],
  ["ctrl-e", move(lineEnd)],
  ["backspace", remove(before, false)],
  ["ctrl-h", remove(before, false)],
  ["delete", remove(after, false)],
  ["ctrl-d", remove(after, false)],
  ["ctrl-w", remove(wordBefore, true)],
  ["meta-backspace", remove(wordBefore, true)],
  ["meta-d", remove(wordAfter, true)],
  ["ctrl-u", remove(lineStart, true)],
  ["ctrl-k", remove(lineEnd, true)],
  ["ctrl-y", (editor) => insert(editor, editor.cut)],
  ["up", (editor) => up(editor)],
  ["ctrl-p", (editor) => up(editor)],
  ["down", (editor) => down(editor)],
  ["ctrl-n", (editor) => down(editor)],
]);

function insert(editor: Editor, words: string): Editor {
  const { text, cursor } = editor;
  return { ...editor, text: text.slice(0, cursor) + words + text.slice(cursor), cursor: cursor + words.length };
}

/** True if the text ends with a backslash at the cursor, which asks for another line. */
function isContinued({ text, cursor }: Editor): boolean {
  return cursor === text.length && text.endsWith("\\");
}

function continued(editor: Editor): Editor {
  return withText(editor, `${editor.text.slice(0, -1)}\n`);
}

function send(editor: Editor): Edited {
  return { editor: setAside(editor), sent: editor.text };
}

/** UTF-16 units to search for a grapheme: none is longer. */
const maxGrapheme = 200;

function before({ text, cursor }: Editor): number {
  const from = Math.max(0, cursor - maxGrapheme);
  return cursor - (charactersOf(text.slice(from, cursor)).at(-1)?.length ?? 0);
}

function after({ text, cursor }: Editor): number {
  return cursor + (charactersOf(text.slice(cursor, cursor + maxGrapheme))[0]?.length ?? 0);
}

function wordBefore({ text, cursor }: Editor): number {
  return [...text.slice(0, cursor).matchAll(/[\p{L}\p{N}_]+/gu)].at(-1)?.index ?? 0;
}

function wordAfter({ text, cursor }: Editor): number {
  return cursor + (/^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text.slice(cursor))?.[0].length ?? 0);
}

function lineStart({ text, cursor }: Editor): number {
  return text.slice(0, cursor).lastIndexOf("\n") + 1;
}

function lineEnd({ text, cursor }: Editor): number {
  const end = text.indexOf("\n", cursor);
  return end < 0 ? text.length : end;
}

/** Moves a line up; from the first line, to the previous input. */
function up(editor: Editor): Editor {
  const start = lineStart(editor);
  if (start > 0) return { ...editor, cursor: toColumn(editor, lineStart({ ...editor, cursor: start - 1 }), start - 1) };
  return recall(editor, editor.at - 1);
}

/** Moves a line down; from the last line, to the next input. */
function down(editor: Editor): Editor {
  const end = lineEnd(editor);
  if (end < editor.text.length)
    return { ...editor, cursor: toColumn(editor, end + 1, lineEnd({ ...editor, cursor: end + 1 })) };
  return recall(editor, editor.at + 1);
}

/** The index in another line, from `start` to `end`, with as many graphemes before it as the cursor has in its own line. */
function toColumn(editor: Editor, start: number, end: number): number {
  const column = charactersOf(editor.text.slice(lineStart(editor), editor.cursor)).length;
  return start + charactersOf(editor.text.slice(start, end)).slice(0, column).join("").length;
}

function recall(editor: Editor, at: number): Editor {
  const { history, text } = editor;
  if (at < 0 || at > history.length || at === editor.at) return editor;
  const draft = editor.at === history.length ? text : editor.draft;
  return { ...withText(editor, history[at] ?? draft), at, draft };
}
