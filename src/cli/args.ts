// The command line: words in, settings out, or what is wrong with them.

import { parseArgs } from "node:util";
import type { LimitOptions } from "../core/index.js";
import type { Forcing } from "../model/index.js";
import { presets } from "./help.js";
import { readAge, readAmount, readCount, readLimit, readTime, wrong } from "./values.js";

/** What the command is to do. */
export type Order =
  | { readonly do: "demo" | "help" | "version" }
  | { readonly do: "list" }
  /** Deletes the sessions that are older, in milliseconds. */
  | { readonly do: "prune"; readonly age: number }
  | { readonly do: "run"; readonly task: string }
  /** Without an answer: goes on where the last run was left. */
  | { readonly do: "resume"; readonly id: string; readonly answer: string | undefined; readonly more: boolean }
  | { readonly do: "show"; readonly id: string }
  | { readonly do: "fork"; readonly id: string; readonly at: number | undefined };

/** What the command was asked to do, and how. */
export interface Settings {
  readonly order: Order;
  readonly workdir: string;
  readonly model: string | undefined;
  readonly baseURL: string | undefined;
  readonly apiKeyEnv: string | undefined;
  readonly forcing: Forcing | "ladder" | undefined;
  /** Commands that must pass before a completion is accepted. */
  readonly until: readonly CommandLine[];
  /** Patterns of files that the run must leave as they are. */
  readonly protect: readonly string[];
  /** How often a claim may fail them; undefined for the default. */
  readonly attempts: number | undefined;
  /** Commands to run after a file was written, with the patterns of the files. */
  readonly onEdit: readonly { readonly files: string; readonly command: string }[];
  readonly limits: LimitOptions;
  /** The file with the prices of models. */
  readonly prices: string | undefined;
  /** What to do with writes and commands: `ask` insists on a terminal, undefined asks where there is one. */
  readonly approval: "yes" | "ask" | undefined;
  readonly input: boolean;
  readonly json: boolean;
  readonly log: "quiet" | "normal" | "verbose";
  /** True where the model has tools to note things with. */
  readonly notes: boolean;
  /** The kept session whose notes the new one begins with. */
  readonly notesFrom: string | undefined;
  /** Tokens that the model takes; undefined where that is not known. */
  readonly window: number | undefined;
  /** The folder of the sessions; undefined for the usual one. */
  readonly sessions: string | undefined;
  /** False: the session is kept nowhere. */
  readonly saves: boolean;
  /** The options that are kept with a session: those that were given, and those that were kept. */
  readonly kept: KeptOptions;
}

/** Options that a session is gone on with, by their names. What gives authority is none of them. */
export type KeptOptions = Pick<Parsed["values"], (typeof keptNames)[number]>;

/** A command that has to pass. */
export interface CommandLine {
  readonly line: string;
  readonly every: "claim" | "iteration";
}

const options = {
  workdir: { type: "string" },
  model: { type: "string" },
  "base-url": { type: "string" },
  "api-key-env": { type: "string" },
  forcing: { type: "string" },
  until: { type: "string", multiple: true },
  "until-every": { type: "string", multiple: true },
  protect: { type: "string", multiple: true },
  attempts: { type: "string" },
  "on-edit": { type: "string", multiple: true },
  "max-iterations": { type: "string" },
  timeout: { type: "string" },
  "max-tokens": { type: "string" },
  "max-cost": { type: "string" },
  prices: { type: "string" },
  yes: { type: "boolean" },
  ask: { type: "boolean" },
  "no-input": { type: "boolean" },
  json: { type: "boolean" },
  notes: { type: "boolean" },
  "notes-from": { type: "string" },
  window: { type: "string" },
  sessions: { type: "string" },
  "no-save": { type: "boolean" },
  more: { type: "boolean" },
  quiet: { type: "boolean" },
  verbose: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  version: { type: "boolean" },
} as const;

/** What belongs to the task, and not to who sits at it. */
const keptNames = [
  "workdir",
  "model",
  "base-url",
  "api-key-env",
  "forcing",
  "until",
  "until-every",
  "protect",
  "attempts",
  "on-edit",
  "max-iterations",
  "timeout",
  "max-tokens",
  "max-cost",
  "prices",
  "notes",
  "window",
] as const;

/**
 * Reads the command line; `kept` is what a session was begun with, which holds where nothing else is given.
 * @throws LastcallError `configuration` that says which word is wrong and what to do.
 */
export function readArgs(argv: readonly string[], kept: KeptOptions = {}): Settings {
  const { values: given, positionals } = parse(argv);
  const values = { ...kept, ...given };
  if (values.yes && values.ask) throw wrong("--yes and --ask contradict each other; give one");
  if (values.quiet && values.verbose) throw wrong("--quiet and --verbose contradict each other; give one");
  if (values.ask && values["no-input"])
    throw wrong("--ask needs somebody to ask, and --no-input says nobody is there; give one");
  if (values.sessions !== undefined && values["no-save"])
    throw wrong("--sessions says where to keep the session, and --no-save to keep none; give one");
  const order: Order = values.help
    ? { do: "help" }
    : values.version
      ? { do: "version" }
      : readOrder(positionals, values.more ?? false);
  if (order.do === "resume" && values["notes-from"] !== undefined)
    throw wrong("--notes-from says what a new session begins with, and resume goes on with one; give --notes");
  return {
    order,
    workdir: values.workdir ?? ".",
    model: values.model,
    baseURL: values["base-url"],
    apiKeyEnv: values["api-key-env"],
    forcing: readForcing(values.forcing),
    until: readCommands(values.until, values["until-every"]),
    protect: readProtect(values.protect ?? [], values.until ?? values["until-every"]),
    attempts: readCount("--attempts", values.attempts),
    onEdit: (values["on-edit"] ?? []).map(readOnEdit),
    limits: readLimits(values),
    prices: values.prices,
    approval: values.yes ? "yes" : values.ask ? "ask" : undefined,
    input: !values["no-input"],
    json: values.json ?? false,
    log: values.quiet ? "quiet" : values.verbose ? "verbose" : "normal",
    notes: values.notes === true || values["notes-from"] !== undefined,
    notesFrom: values["notes-from"],
    window: readCount("--window", values.window),
    sessions: values.sessions,
    saves: !values["no-save"],
    kept: pickKept(values),
  };
}

/** Those of the options that are kept. Whatever else there is, and what is no option's value, is left out. */
export function pickKept(values: Readonly<Record<string, unknown>>): KeptOptions {
  const found = keptNames.filter((name) => {
    const { type, ...more } = options[name];
    const value = values[name];
    const isOne = (one: unknown): boolean => typeof one === type;
    return "multiple" in more ? Array.isArray(value) && value.every(isOne) : isOne(value);
  });
  return Object.fromEntries(found.map((name) => [name, values[name]]));
}

/** The options as one would type them. */
export function typed(kept: KeptOptions): string {
  return Object.entries(kept)
    .flatMap(([name, value]) =>
      [value].flat().map((one) => `--${name}${one === true ? "" : ` ${quoted(String(one))}`}`),
    )
    .join(" ");
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** The words that are no options. */
function readOrder(words: readonly string[], more: boolean): Order {
  const [first = "", second = "", third, ...rest] = words;
  if (words.length === 0) return { do: "demo" };
  if (first === "sessions" && words.length === 1) return { do: "list" };
  if (first === "resume" && words.length > 1 && rest.length === 0) {
    if (third?.trim() === "") throw wrong("The answer is empty; leave it out to go on without one");
    return { do: "resume", id: second, answer: third, more };
  }
  if (first === "show" && words.length === 2) return { do: "show", id: second };
  if (first === "fork" && words.length === 2) return readFork(second);
  if (first === "prune" && words.length === 2) return { do: "prune", age: readAge(second) };
  if (["resume", "show", "fork"].includes(first)) throw wrong(`lastcall ${first} needs the id of a session`);
  if (words.length > 1) {
    throw wrong(`The task must be one word to the shell, but there are ${String(words.length)}; put it in quotes`);
  }
  if (first.trim() === "") throw wrong("The task is empty; say what to do");
  return { do: "run", task: first };
}

function readFork(word: string): Order {
  const [, id = "", at] = /^([^@]+)(?:@(\d{1,9}))?$/.exec(word) ?? [];
  if (id === "")
    throw wrong(`${JSON.stringify(word)} is no session and record to fork, for example 20260101-1200-abcd@42`);
  return { do: "fork", id, at: at === undefined ? undefined : Number(at) };
}

const forcings: readonly (Forcing | "ladder")[] = ["ladder", "required", "auto", "xml"];

function readForcing(word: string | undefined): Settings["forcing"] {
  const forcing = forcings.find((known) => known === word);
  if (word === undefined || forcing !== undefined) return forcing;
  throw wrong(`--forcing ${JSON.stringify(word)} is none of ${forcings.join(", ")}`);
}

function readCommands(atClaims: readonly string[] = [], often: readonly string[] = []): readonly CommandLine[] {
  const commands = [
    ...often.map((line): CommandLine => ({ line, every: "iteration" })),
    ...atClaims.map((line): CommandLine => ({ line, every: "claim" })),
  ];
  for (const [index, { line, every }] of commands.entries()) {
    if (line.trim() === "") throw wrong(`${every === "claim" ? "--until" : "--until-every"} needs a command`);
    if (commands.findIndex((other) => other.line === line) < index) {
      throw wrong(`The command ${JSON.stringify(line)} is given twice; give it once`);
    }
  }
  return commands;
}

function readProtect(patterns: readonly string[], checks: readonly string[] | undefined): readonly string[] {
  if (patterns.length > 0 && checks === undefined) {
    throw wrong("--protect says what must stay for a check to count, and there is none; add --until");
  }
  return patterns;
}

function readOnEdit(text: string): { readonly files: string; readonly command: string } {
  const [, files = "", command = ""] = /^([^:]*):(.*)$/s.exec(text) ?? [];
  if (files.trim() !== "" && command.trim() !== "") return { files: files.trim(), command: command.trim() };
  throw wrong(`--on-edit ${JSON.stringify(text)} is no "PATTERN: COMMAND", for example "**/*.ts: npx eslint {file}"`);
}

function readLimits(values: Parsed["values"]): LimitOptions {
  const { maxIterations, timeout, maxTokens, iterationTimeout, toolTimeout } = presets;
  const given = {
    maxIterations: readLimit("--max-iterations", values["max-iterations"], readCount) ?? maxIterations,
    timeout: readLimit("--timeout", values.timeout, readTime) ?? timeout,
    maxTokens: readLimit("--max-tokens", values["max-tokens"], readCount) ?? maxTokens,
    maxCost: readLimit("--max-cost", values["max-cost"], readAmount) ?? "none",
  } as const;
  if (given.maxCost !== "none" && values.prices === undefined) {
    throw wrong("--max-cost needs to know what the model costs; add --prices FILE");
  }
  const set = Object.entries(given).filter(([, value]) => value !== "none");
  return { ...Object.fromEntries(set), iterationTimeout, toolTimeout };
}

type Parsed = ReturnType<typeof parseArgs<{ options: typeof options; allowPositionals: true }>>;

function parse(argv: readonly string[]): Parsed {
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true });
  } catch (thrown) {
    throw wrong(thrown instanceof Error ? (thrown.message.split(". ")[0] ?? "") : "The command line can't be read");
  }
}
