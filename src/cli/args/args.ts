// The command line: words in, settings out, or what is wrong with them.

import type { LimitOptions } from "../../core/index.js";
import type { Forcing } from "../../model/index.js";
import type { Mode, Tier } from "../../permission/index.js";
import { readLimits } from "./limits.js";
import { readOrder, type Order } from "./order.js";
import { joinOptions, parseOptions, pickKept, type KeptOptions, type Sources, type Values } from "./options.js";
import { readCount, wrong } from "./values.js";

/** What the command was asked to do, and how. */
export interface Settings {
  readonly order: Order;
  readonly workdir: string;
  /** Files with instructions of the person's own. */
  readonly instructions: readonly string[];
  /** True where the folder's AGENTS.md goes into the prompt. */
  readonly agentsMd: boolean;
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
  readonly rights: Rights;
  /** The config file, `none`, or undefined for those at the usual places. */
  readonly config: string | undefined;
  readonly input: boolean;
  readonly json: boolean;
  readonly log: "quiet" | "normal" | "verbose";
  /** The file that events are appended to; undefined for none. */
  readonly events: string | undefined;
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

/** What the run may do. */
export interface Rights {
  /** The most that there is. */
  readonly tier: Tier;
  /** Who decides where no rule does. `ask-all` insists on a terminal. */
  readonly mode: Mode;
  /** Rules, as `gate` has them. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Nothing is changed: what would be is listed at the end. */
  readonly dryRun: boolean;
  /** Where commands run: on this machine as it is, or in a sandbox where there is one, without the network or with it. */
  readonly shell: "host" | "sandbox" | "sandbox-with-network";
}

/** A command that has to pass. */
export interface CommandLine {
  readonly line: string;
  readonly every: "claim" | "iteration";
}

/**
 * Reads the command line; what a session was begun with and what a config file says hold where nothing else is given.
 * @throws LastcallError `configuration` that says which word is wrong and what to do.
 */
export function readArgs(argv: readonly string[], sources: Sources = {}): Settings {
  const { values: given, positionals } = parseOptions(argv);
  const values = joinOptions(given, sources);
  expectNoContradiction(values);
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
    instructions: values.instructions ?? [],
    agentsMd: !values["no-agents-md"],
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
    rights: readRights(values),
    config: values["no-config"] ? "none" : values.config,
    input: !values["no-input"],
    json: values.json ?? false,
    log: values.quiet ? "quiet" : values.verbose ? "verbose" : "normal",
    events: values.log,
    notes: values.notes === true || values["notes-from"] !== undefined,
    notesFrom: values["notes-from"],
    window: readCount("--window", values.window),
    sessions: values.sessions,
    saves: !values["no-save"],
    kept: pickKept(values),
  };
}

function expectNoContradiction(values: Values): void {
  if (values.yes && values.ask) throw wrong("--yes and --ask contradict each other; give one");
  if (values.quiet && values.verbose) throw wrong("--quiet and --verbose contradict each other; give one");
  if (values.ask && values["no-input"])
    throw wrong("--ask needs somebody to ask, and --no-input says nobody is there; give one");
  if (values.sessions !== undefined && values["no-save"])
    throw wrong("--sessions says where to keep the session, and --no-save to keep none; give one");
  if (values.network && values["no-sandbox"])
    throw wrong("--network is about the sandbox, and --no-sandbox says to use none; give one");
  if (values.config !== undefined && values["no-config"])
    throw wrong("--config names a file, and --no-config says to read none; give one");
}

function readRights(values: Values): Rights {
  return {
    tier: readTier(values.tier),
    mode: values.yes ? "allow-all" : values.ask ? "ask-all" : "ask-sensitive",
    allow: values.allow ?? [],
    deny: values.deny ?? [],
    dryRun: values["dry-run"] ?? false,
    shell: values["no-sandbox"] ? "host" : values.network ? "sandbox-with-network" : "sandbox",
  };
}

const tiers: readonly Tier[] = ["read-only", "workspace-write", "full-access"];

function readTier(word: string | undefined): Tier {
  const tier = tiers.find((known) => known === word);
  if (word === undefined || tier !== undefined) return tier ?? "workspace-write";
  throw wrong(`--tier ${JSON.stringify(word)} is none of ${tiers.join(", ")}`);
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
