// The terminal of a conversation: keys in, lines and the changing bottom out; who is asked something answers at it.

import type { Person } from "../../person/person.js";
import { atRest, bottomOf, type View } from "./bottom.js";
import { edit, emptyEditor, setAside, withText } from "./editor.js";
import { listen, pasting, type Press, type Terminal } from "./keys.js";
import type { Look } from "../markdown/markdown.js";
import { Screen, type Display } from "./screen.js";
import { wrapped } from "../style/width.js";

/** What the terminal is made of, and whom it tells. */
export interface ChatTerminalOptions {
  /** Completes the beginning of a command; returns the text unchanged if there is not exactly one completion. */
  readonly complete: (text: string) => string;
  readonly input: Terminal;
  readonly output: Display & { readonly rows?: number } & Pick<NodeJS.EventEmitter, "on" | "off">;
  readonly look: Look;
  /** What was typed and sent, questions aside. */
  readonly onSent: (text: string) => void;
  /** Ctrl-C; true where it was pressed twice in a row. */
  readonly onInterrupt: (isSecond: boolean) => void;
  /** Ctrl-D with nothing typed, or the input's end. */
  readonly onEnd: () => void;
}

/** Milliseconds between two drawings, unless something was typed or said. */
const pace = 50;

/** Two Ctrl-C within so many milliseconds are twice in a row. */
const twice = 2000;

/** Somebody's answer that is waited for. */
interface Question {
  readonly answer: (text: string | undefined) => void;
}

/** The terminal, from `open` to `close`. */
export class ChatTerminal implements Person {
  readonly #options: ChatTerminalOptions;
  readonly #screen: Screen;
  #view: View;
  #question: Question | undefined;
  #interrupted = -Infinity;
  #drawing: NodeJS.Timeout | undefined;
  #turning: NodeJS.Timeout | undefined;
  #drawn = -Infinity;
  #close: (() => void) | undefined;
  #isOver = false;

  constructor(options: ChatTerminalOptions, view: Pick<View, "model" | "window">) {
    this.#options = options;
    this.#screen = new Screen(options.output);
    this.#view = { ...atRest, ...view };
  }

  get view(): View {
    return this.#view;
  }

  open(): void {
    const { input, output, onEnd } = this.#options;
    const redraw = (): void => {
      this.draw();
    };
    const unlisten = listen(input, (press) => {
      this.#press(press);
    });
    output.write(pasting.on);
    output.on("resize", redraw);
    input.on("end", onEnd);
    // What turns and counts the seconds is drawn although nothing happens.
    this.#turning = setInterval(() => {
      if (this.#view.since !== undefined) this.draw();
    }, 100);
    this.#close = () => {
      clearInterval(this.#turning);
      clearTimeout(this.#drawing);
      this.#screen.clear();
      input.off("end", onEnd);
      output.off("resize", redraw);
      output.write(pasting.off);
      unlisten();
    };
    this.draw();
  }

  close(): void {
    this.#isOver = true;
    this.#question?.answer(undefined);
    this.#leave();
  }

  #leave(): void {
    this.#close?.();
    this.#close = undefined;
  }

  /**
   * Stops this process and its job, as Ctrl-Z does at a terminal that nobody reads keys from, until the shell lets it go on: within
   * the call of `kill`. Where no shell could let it go on, the system stops nothing.
   */
  #suspend(): void {
    this.#leave();
    process.kill(0, "SIGTSTP");
    // A signal that came meanwhile is heard first: it may be the end, and the terminal the shell's.
    setImmediate(() => {
      setImmediate(() => {
        if (!this.#isOver) this.open();
      });
    });
  }

  /** Changes what the bottom shows. Drawn at once, or soon where much happens. */
  show(change: Partial<View>): void {
    this.#view = { ...this.#view, ...change };
    const due = this.#drawn + pace - Date.now();
    if (due <= 0) this.draw();
    else
      this.#drawing ??= setTimeout(() => {
        this.draw();
      }, due);
  }

  /** Columns that a line may take. */
  get columns(): number {
    return Math.max(1, (this.#options.output.columns ?? 80) - 1);
  }

  /** Says sentences that stay, broken at words. */
  explain(lines: readonly string[]): void {
    this.say(lines.flatMap((line) => wrapped(line, this.columns)));
  }

  /** Says lines that stay. */
  say(lines: readonly string[]): void {
    if (lines.length === 0) return;
    if (this.#close === undefined) this.#options.output.write(lines.map((line) => `${line}\n`).join(""));
    else this.#screen.say(lines, this.#bottom());
  }

  draw(): void {
    clearTimeout(this.#drawing);
    this.#drawing = undefined;
    if (this.#close === undefined) return;
    this.#drawn = Date.now();
    this.#screen.show(this.#bottom());
  }

  /** Asks in place of the input; undefined where the signal aborted or the conversation ended. */
  ask(question: string, signal: AbortSignal): Promise<string | undefined> {
    const before = this.#view;
    return new Promise((resolve) => {
      const answer = (text: string | undefined): void => {
        signal.removeEventListener("abort", abort);
        this.#question = undefined;
        const { editor } = this.#view;
        this.show({
          prompt: before.prompt,
          choices: before.choices,
          chosen: before.chosen,
          editor: { ...before.editor, history: editor.history, at: editor.history.length },
        });
        resolve(text);
      };
      const abort = (): void => {
        answer(undefined);
      };
      if (signal.aborted || this.#isOver) {
        resolve(undefined);
        return;
      }
      signal.addEventListener("abort", abort, { once: true });
      this.#question = { answer };
      this.#view = {
        ...this.#view,
        prompt: question,
        choices: [],
        chosen: -1,
        editor: emptyEditor(before.editor.history),
      };
      this.draw();
    });
  }

  #bottom(): ReturnType<typeof bottomOf> {
    const { output, look } = this.#options;
    const { columns = 80, rows = 24 } = output as Display & { readonly rows?: number };
    return bottomOf(this.#view, { columns, rows, look, now: Date.now() });
  }

  #press(press: Press): void {
    const name = press.type === "key" ? `${press.ctrl ? "ctrl-" : ""}${press.name}` : "";
    const { editor, choices, chosen } = this.#view;
    if (name === "ctrl-c") {
      this.#interrupt();
      return;
    }
    this.#interrupted = -Infinity;
    if (name === "ctrl-d" && editor.text === "") this.#options.onEnd();
    else if (name === "ctrl-z" && process.platform !== "win32") this.#suspend();
    else if (name === "tab") {
      const text = this.#options.complete(editor.text);
      if (text !== editor.text) this.#type({ editor: withText(editor, text) });
    } else if (choices.length > 0 && editor.text === "" && (name === "up" || name === "down")) {
      const places = choices.length + 1;
      this.#type({ chosen: ((chosen + 1 + (name === "down" ? 1 : places - 1)) % places) - 1 });
    } else {
      const edited = edit(editor, press);
      const isChoice = edited.sent === "" && chosen >= 0;
      this.#type({ editor: edited.editor, ...(edited.editor.text !== "" && { chosen: -1 }) });
      if (edited.sent !== undefined) this.#send(isChoice ? String(chosen + 1) : edited.sent);
    }
  }

  #type(change: Partial<View>): void {
    this.#view = { ...this.#view, ...change, hint: "" };
    this.draw();
  }

  #send(text: string): void {
    if (this.#question !== undefined) this.#question.answer(text);
    else this.#options.onSent(text);
  }

  #interrupt(): void {
    const now = Date.now();
    const isSecond = now - this.#interrupted < twice;
    this.#interrupted = now;
    this.#type({ editor: setAside(this.#view.editor) });
    this.#options.onInterrupt(isSecond);
  }
}
