// The editor of the code. It is loaded late, since the page can be read without it.

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { javascript } from "@codemirror/lang-javascript";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState, RangeSet, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  WidgetType,
  type DecorationSet,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import type { Problem } from "./messages.js";
import { el } from "./elements.js";

/** The editor, as the page uses it. */
export interface Editor {
  readonly code: string;
  /** Shows other code, and forgets the history. */
  show(code: string): void;
  /** Marks the line of a problem; undefined marks nothing. */
  mark(problem: Problem | undefined): void;
  focus(): void;
}

const marking = StateEffect.define<Problem | undefined>();

class ProblemWidget extends WidgetType {
  readonly #message: string;

  constructor(message: string) {
    super();
    this.#message = message;
  }

  override eq(other: ProblemWidget): boolean {
    return other.#message === this.#message;
  }

  toDOM(): HTMLElement {
    return el("div", "pg-problem-line", this.#message);
  }
}

const marked = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { effects, changes, docChanged, state }) {
    for (const effect of effects) if (effect.is(marking)) return marksFor(effect.value, state);
    return docChanged ? marks.map(changes) : marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function marksFor(problem: Problem | undefined, state: EditorState): DecorationSet {
  const number = problem?.line;
  if (problem === undefined || number === undefined || number < 1 || number > state.doc.lines) return Decoration.none;
  const line = state.doc.line(number);
  return RangeSet.of([
    Decoration.line({ class: "pg-bad-line" }).range(line.from),
    Decoration.widget({ widget: new ProblemWidget(problem.message), block: true, side: 1 }).range(line.to),
  ]);
}

const colours = HighlightStyle.define([
  { tag: tags.comment, color: "var(--pg-comment)" },
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword, tags.controlKeyword], color: "var(--pg-keyword)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--pg-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--pg-number)" },
  { tag: tags.function(tags.variableName), color: "var(--pg-function)" },
  { tag: tags.propertyName, color: "var(--pg-property)" },
]);

/** Makes the editor in `parent`. `onRun` is called by Ctrl+Enter, or Command+Enter. */
export function makeEditor(
  parent: HTMLElement,
  code: string,
  onChange: (code: string) => void,
  onRun: () => void,
): Editor {
  const extensions = [
    lineNumbers(),
    history(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of("  "),
    bracketMatching(),
    highlightActiveLine(),
    javascript(),
    syntaxHighlighting(colours),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": "The code of the agent", tabindex: "0" }),
    marked,
    keymap.of([
      {
        key: "Mod-Enter",
        run: () => {
          onRun();
          return true;
        },
      },
      ...defaultKeymap,
      ...historyKeymap,
    ]),
    EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) onChange(state.doc.toString());
    }),
  ];
  const view = new EditorView({ parent, state: EditorState.create({ doc: code, extensions }) });
  return {
    get code() {
      return view.state.doc.toString();
    },
    show(text) {
      view.setState(EditorState.create({ doc: text, extensions }));
    },
    mark(problem) {
      const line = problem?.line;
      const isThere = line !== undefined && line >= 1 && line <= view.state.doc.lines;
      const scroll = isThere ? [EditorView.scrollIntoView(view.state.doc.line(line).from, { y: "center" })] : [];
      view.dispatch({ effects: [marking.of(problem), ...scroll] });
    },
    focus() {
      view.focus();
    },
  };
}
