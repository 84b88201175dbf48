// The command at a pseudo-terminal, with the screen that a person would see.

import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import type * as Xterm from "@xterm/headless";
import { start, type Ended } from "../command.js";
import { bin } from "../../dist.js";

const { Terminal } = createRequire(import.meta.url)("@xterm/headless") as typeof Xterm;

/** The options of the terminal. */
export interface TerminalOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  /** True: the command is a job of an interactive shell. Default false. */
  readonly inShell?: boolean;
}

/** The command at a terminal. */
export interface TerminalScreen extends AsyncDisposable {
  /** Resolves at the end of the command, when all its output is on the screen. */
  readonly ended: Promise<Ended>;
  /** The process of the command itself. */
  pid(): number;
  /** Types as a person does: each piece arrives after the command has read the previous one. */
  type(...pieces: readonly string[]): Promise<void>;
  /** Waits until the words are on the screen or in its scrollback. */
  see(words: string | RegExp): Promise<string>;
  /** Waits until the words are there and no turn is running: during a turn, words can still be retracted. */
  rest(words: string | RegExp): Promise<string>;
  /** Waits until the visible screen does not have the words. */
  lose(words: string | RegExp): Promise<void>;
  /** The visible screen. */
  visible(): string;
  /** The screen with its scrollback. */
  all(): string;
  /** True if the cell at the beginning of the words has this style. */
  looks(words: string, how: "bold" | "dim" | "coloured"): boolean;
  resize(columns: number, rows: number): Promise<void>;
}

/** Starts the command at a terminal. A shell splits the line, so quote its words. */
export function atTerminal(line: string, options: TerminalOptions = {}): TerminalScreen {
  const { columns = 80, rows = 24, env = {}, inShell = false } = options;
  const terminal = new Terminal({ cols: columns, rows, scrollback: 5000, allowProposedApi: true });
  const size = `stty cols ${String(columns)} rows ${String(rows)}`;
  const program = inShell ? "bash --norc --noprofile -i" : `${process.execPath} ${bin} ${line}`;
  const command = `${size}; echo "pid $$ $(tty)"; exec ${program}`;
  const { child, ended: over } = start(["-qec", command, "/dev/null"], { TERM: "xterm-256color", ...env }, "script");
  // The terminal emulator parses its input a little later.
  const ended = over.then(
    (how) =>
      new Promise<Ended>((settle) => {
        terminal.write("", () => {
          settle(how);
        });
      }),
  );
  const watching = new Set<() => void>();
  let written = 0;
  if (inShell) child.stdin?.write(`${process.execPath} ${bin} ${line}\r`);
  let raw = "";
  child.stdout?.on("data", (text: string) => {
    raw += text;
    written += 1;
    terminal.write(text, () => {
      watching.forEach((look) => {
        look();
      });
    });
  });
  const lines = (from: number): string => {
    const { active } = terminal.buffer;
    const found: string[] = [];
    for (let row = from; row < active.length; row += 1) {
      const one = active.getLine(row);
      const text = one?.translateToString(true) ?? "";
      if (one?.isWrapped === true) found.push((found.pop() ?? "") + text);
      else found.push(text);
    }
    return found.join("\n").trimEnd();
  };
  const all = (): string => lines(0);
  const visible = (): string => lines(terminal.buffer.active.baseY);
  const until = (isSo: () => boolean, what: string): Promise<void> =>
    new Promise((settle, fail) => {
      const over = setTimeout(() => {
        fail(new Error(`The screen never ${what}:\n${all()}`));
      }, 50_000);
      const look = (): void => {
        if (!isSo()) return;
        clearTimeout(over);
        watching.delete(look);
        settle();
      };
      watching.add(look);
      look();
    });
  /** Waits until there is new output after `cause`, or for half a second: some keys show nothing. */
  const answered = async (cause: () => void): Promise<void> => {
    const before = written;
    cause();
    for (let waited = 0; waited < 60 || (written === before && waited < 500); waited += 20)
      await new Promise((settle) => setTimeout(settle, 20));
  };
  const has = (text: string, words: string | RegExp): boolean =>
    typeof words === "string" ? text.includes(words) : words.test(text);
  const processInfo = (): readonly string[] => /pid (\d+) (\S+)/.exec(raw) ?? [];
  return {
    ended,
    pid: () => Number(processInfo()[1]),
    async type(...pieces) {
      for (const piece of pieces) {
        await answered(() => child.stdin?.write(piece));
      }
    },
    async see(words) {
      await until(() => has(all(), words), `showed ${String(words)}`);
      return all();
    },
    async rest(words) {
      const isAtRest = (): boolean => has(all(), words) && !/ · \d+ s$/m.test(visible());
      await until(isAtRest, `came to rest with ${String(words)}`);
      return all();
    },
    lose: (words) => until(() => !has(visible(), words), `lost ${String(words)}`),
    visible,
    all,
    looks(words, how) {
      const { active } = terminal.buffer;
      for (let row = 0; row < active.length; row += 1) {
        const column = active.getLine(row)?.translateToString().indexOf(words) ?? -1;
        const cell = column < 0 ? undefined : active.getLine(row)?.getCell(column);
        if (cell === undefined) continue;
        if (how === "coloured") return !cell.isFgDefault();
        return (how === "bold" ? cell.isBold() : cell.isDim()) !== 0;
      }
      throw new Error(`${words} is not on the screen:\n${all()}`);
    },
    async resize(newColumns, newRows) {
      await answered(() => {
        terminal.resize(newColumns, newRows);
        execFileSync("stty", ["-F", processInfo()[2] ?? "", "cols", String(newColumns), "rows", String(newRows)]);
      });
    },
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      try {
        process.kill(Number(processInfo()[1]), "SIGKILL");
      } catch {
        // The command has ended already.
      }
      await ended;
      terminal.dispose();
    },
  };
}

/** The end of the screen when the conversation reads keys. Until then, the terminal itself handles them. */
export const ready = /\/help says[^]*\n>$/;

/** The sequences of special keys. */
export const keys = {
  enter: "\r",
  up: "\u001b[A",
  down: "\u001b[B",
  interrupt: "\u0003",
  end: "\u0004",
  escape: "\u001b",
  tab: "\t",
  suspend: "\u001a",
};
