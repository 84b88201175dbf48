// The terminal of a conversation: reads keys, prints lines, draws the bottom, and asks questions.

import type { Person } from "../../person/person.js";
import { atRest, bottomOf, type View } from "./bottom.js";
import { edit, emptyEditor, setAside, withText } from "./editor.js";
import { isInBackground } from "./foreground.js";
import { listen, pasting, type Press, type Terminal } from "./keys.js";
import type { Look } from "../markdown/markdown.js";
import { Screen, type Display } from "./screen.js";
import { folded } from "../../display/width.js";

/** The streams of the terminal, and its callbacks. */
export interface ChatTerminalOptions {
  /** Completes the beginning of a command; returns the text unchanged if there is not exactly one completion. */
  readonly complete: (text: string) => string;
  readonly input: Terminal;
  readonly output: Display & { readonly rows?: number } & Pick<NodeJS.EventEmitter, "on" | "off">;
  readonly look: Look;
  /** Called with each sent input, except answers to questions. */
  readonly onSent: (text: string) => void;
  /** Called for Ctrl-C; `isSecond` is true for the second of two in a row. */
  readonly onInterrupt: (isSecond: boolean) => void;
  /** Called for Escape. */
  readonly onStop: () => void;
  /** Called for Ctrl-D without text, and at the end of the input. */
  readonly onEnd: () => void;
}

/** Milliseconds between two drawings without a key or a printed line. */
const drawInterval = 50;

/** Milliseconds until this process, which the shell continued, looks whether the terminal is its own again. */
const reopenInterval = 50;

/** Milliseconds within which two Ctrl-C count as two in a row. */
const interruptInterval = 2000;

/** A question that waits for its answer. */
interface OpenQuestion {
  readonly answer: (text: string | undefined) => void;
}

/** The terminal. It reads and draws from `open` to `close`; outside of that it only prints lines. */
export class ChatTerminal implements Person {
  readonly #options: ChatTerminalOptions;
  readonly #screen: Screen;
  #view: View;
  #question: OpenQuestion | undefined;
  #interrupted = -Infinity;
  #drawing: NodeJS.Timeout | undefined;
  #ticking: NodeJS.Timeout | undefined;
  #reopening: NodeJS.Timeout | undefined;
  #drawn = -Infinity;
  #close: (() => void) | undefined;
  #isClosed = false;

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
    // The spinner and the seconds change without an event.
    this.#ticking = setInterval(() => {
      if (this.#view.since !== undefined) this.draw();
    }, 100);
    this.#close = () => {
      clearInterval(this.#ticking);
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
    this.#isClosed = true;
    clearTimeout(this.#reopening);
    this.#question?.answer(undefined);
    this.#leave();
  }

  #leave(): void {
    this.#close?.();
    this.#close = undefined;
  }

  /**
   * Stops this process and its job, as Ctrl-Z does at a terminal in normal mode. The process stops within the call of `kill`, until the
   * shell continues it. Without a shell that could continue it, the system does not stop it.
   */
  #suspend(): void {
    this.#leave();
    process.kill(0, "SIGTSTP");
    this.#reopen();
  }

  /**
   * Opens again when the shell has given the terminal back. `kill %1` and `bg` continue the process without the terminal, which belongs to
   * the shell then; the signal that ends the process may arrive after the signal that continues it.
   */
  #reopen(): void {
    this.#reopening = setTimeout(() => {
      if (isInBackground()) this.#reopen();
      else this.open();
    }, reopenInterval);
  }

  /** Changes the view. It is drawn with the next lines, or by `show`. */
  change(change: Partial<View>): void {
    this.#view = { ...this.#view, ...change };
  }

  /** Changes the view. It is drawn at once, or when `drawInterval` has passed since the last drawing. */
  show(change: Partial<View>): void {
    this.change(change);
    const due = this.#drawn + drawInterval - Date.now();
    if (due <= 0) this.draw();
    else
      this.#drawing ??= setTimeout(() => {
        this.draw();
      }, due);
  }

  /** Columns for a line. */
  get columns(): number {
    return Math.max(1, (this.#options.output.columns ?? 80) - 1);
  }

  /** Prints sentences, or lines of the log, that stay. They are wrapped at words. */
  explain(lines: readonly string[]): void {
    this.say(lines.flatMap((line) => folded(line, this.columns).split("\n")));
  }

  /** Prints lines that stay. */
  say(lines: readonly string[]): void {
    if (lines.length === 0) return;
    if (this.#close === undefined) this.#options.output.write(lines.map((line) => `${line}\n`).join(""));
    else this.#screen.say(lines, this.#bottom());
  }

  /** Clears the screen. */
  wipe(): void {
    if (this.#close !== undefined) this.#screen.wipe(this.#bottom());
  }

  draw(): void {
    clearTimeout(this.#drawing);
    this.#drawing = undefined;
    if (this.#close === undefined) return;
    this.#drawn = Date.now();
    this.#screen.show(this.#bottom());
  }

  /** True while a question waits for its answer. */
  get isAsking(): boolean {
    return this.#question !== undefined;
  }

  /** Asks in place of the input. Undefined if the signal aborts or the terminal closes before the answer. */
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
      if (signal.aborted || this.#isClosed) {
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
    if (name === "escape") this.#options.onStop();
    else if (name === "ctrl-d" && editor.text === "") this.#options.onEnd();
    else if (name === "ctrl-z" && process.platform !== "win32") this.#suspend();
    else if (name === "tab") {
      const text = this.#options.complete(editor.text);
      if (text !== editor.text) this.#type({ editor: withText(editor, text) });
    } else if (choices.length > 0 && editor.text === "" && (name === "up" || name === "down")) {
      const positions = choices.length + 1;
      this.#type({ chosen: ((chosen + 1 + (name === "down" ? 1 : positions - 1)) % positions) - 1 });
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
    const isSecond = now - this.#interrupted < interruptInterval;
    this.#interrupted = now;
    this.#type({ editor: setAside(this.#view.editor) });
    this.#options.onInterrupt(isSecond);
  }
}
