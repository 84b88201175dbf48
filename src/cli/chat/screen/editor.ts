// The editor: the text that a person is typing, as a pure function of the keys.

import type { Press } from "./keys.js";
import { charactersOf } from "../style/width.js";

/** What is typed, and where the cursor stands in it. */
export interface Editor {
  readonly text: string;
  /** A place in the text, in UTF-16 units, never within a character. */
  readonly cursor: number;
  /** What was sent before, oldest first. */
  readonly history: readonly string[];
  /** The place in the history that is shown; its length for what is being typed. */
  readonly at: number;
  /** What was being typed before the history was shown. */
  readonly draft: string;
  /** What was cut out last. */
  readonly cut: string;
}

/** What a key made of it. */
export interface Edited {
  readonly editor: Editor;
  /** The text, where the key sent it off; the editor is empty then. */
  readonly sent?: string;
}

/** How much of the history is kept. */
const most = 500;

/** An editor with nothing typed. */
export function emptyEditor(history: readonly string[] = []): Editor {
  return { text: "", cursor: 0, history, at: history.length, draft: "", cut: "" };
}

/** The editor after a key. One that means nothing to it changes nothing. */
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

/** The editor with nothing typed: what was is in the history. */
export function setAside(editor: Editor): Editor {
  const { text, history, cut } = editor;
  const isKept = text.trim() !== "" && text !== history.at(-1);
  return { ...emptyEditor(isKept ? [...history, text].slice(-most) : history), cut };
}

type Action = (editor: Editor) => Editor;

const move =
  (to: (editor: Editor) => number): Action =>
  (editor) => ({ ...editor, cursor: to(editor) });

/** Cuts out what stands between the cursor and a place. What only rubs out is not kept. */
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
  ["right", move(behind)],
  ["ctrl-f", move(behind)],
  ["ctrl-left", move(wordBefore)],
  ["meta-left", move(wordBefore)],
  ["meta-b", move(wordBefore)],
  ["ctrl-right", move(wordBehind)],
  ["meta-right", move(wordBehind)],
  ["meta-f", move(wordBehind)],
  ["home", move(lineStart)],
  ["ctrl-a", move(lineStart)],
  ["end", move(lineEnd)],
  ["ctrl-e", move(lineEnd)],
  ["backspace", remove(before, false)],
  ["ctrl-h", remove(before, false)],
  ["delete", remove(behind, false)],
  ["ctrl-d", remove(behind, false)],
  ["ctrl-w", remove(wordBefore, true)],
  ["meta-backspace", remove(wordBefore, true)],
  ["meta-d", remove(wordBehind, true)],
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

/** A backslash at the end of the text is the wish for another line. */
function isContinued({ text, cursor }: Editor): boolean {
  return cursor === text.length && text.endsWith("\\");
}

function continued(editor: Editor): Editor {
  return withText(editor, `${editor.text.slice(0, -1)}\n`);
}

function send(editor: Editor): Edited {
  return { editor: setAside(editor), sent: editor.text };
}

/** Characters of a line are not looked at beyond so many units: none is longer. */
const longest = 200;

function before({ text, cursor }: Editor): number {
  const from = Math.max(0, cursor - longest);
  return cursor - (charactersOf(text.slice(from, cursor)).at(-1)?.length ?? 0);
}

function behind({ text, cursor }: Editor): number {
  return cursor + (charactersOf(text.slice(cursor, cursor + longest))[0]?.length ?? 0);
}

function wordBefore({ text, cursor }: Editor): number {
  return [...text.slice(0, cursor).matchAll(/[\p{L}\p{N}_]+/gu)].at(-1)?.index ?? 0;
}

function wordBehind({ text, cursor }: Editor): number {
  return cursor + (/^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text.slice(cursor))?.[0].length ?? 0);
}

function lineStart({ text, cursor }: Editor): number {
  return text.slice(0, cursor).lastIndexOf("\n") + 1;
}

function lineEnd({ text, cursor }: Editor): number {
  const end = text.indexOf("\n", cursor);
  return end < 0 ? text.length : end;
}

/** A line up, or, from the first one, an input back. */
function up(editor: Editor): Editor {
  const start = lineStart(editor);
  if (start > 0) return { ...editor, cursor: toColumn(editor, lineStart({ ...editor, cursor: start - 1 }), start - 1) };
  return recall(editor, editor.at - 1);
}

/** A line down, or, from the last one, an input forth. */
function down(editor: Editor): Editor {
  const end = lineEnd(editor);
  if (end < editor.text.length)
    return { ...editor, cursor: toColumn(editor, end + 1, lineEnd({ ...editor, cursor: end + 1 })) };
  return recall(editor, editor.at + 1);
}

/** The place in another line that as many characters stand before as before the cursor in its own. */
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
