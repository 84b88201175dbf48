// The settings: the options and words of a command line, checked against each other.

import type { LimitOptions } from "../../core/index.js";
import type { Mode, Tier } from "../../permission/index.js";
import { readLimits } from "./limits.js";
import type { Name, OptionValues } from "./option-table.js";
import {
  givenIn,
  joinOptions,
  pickKept,
  readOptions,
  wrong,
  type KeptOptions,
  type Sources,
  type Words,
} from "./options.js";
import { commandNamed } from "./command-names.js";
import { readOrder, type Order } from "./order.js";

/** The settings of the command: each option under its name (`--base-url` is `baseUrl`), and values made from several options. */
export interface Settings extends OptionValues {
  readonly order: Order;
  /** Default: the folder that the command runs in. */
  readonly workdir: string;
  /** The commands of `--until-every`, then the commands of `--until`. */
  readonly checks: readonly CommandLine[];
  /** The limits of the options, with the defaults of the command. */
  readonly limits: LimitOptions;
  readonly rights: Rights;
  /** The options that were given, on the command line or elsewhere. */
  readonly given: readonly Name[];
  /** The options to keep with the session. */
  readonly kept: KeptOptions;
}

/** The rights of a run. */
export interface Rights {
  /** The upper bound of all rights. */
  readonly tier: Tier;
  /** Decides calls that no rule decides. `ask-all` requires a terminal. */
  readonly mode: Mode;
  /** Rules in the syntax of `gate`. */
  readonly allow: readonly string[];
  readonly deny: readonly string[];
  /** Nothing is changed; the changes that would be made are listed at the end. */
  readonly dryRun: boolean;
  /** `host`: commands run without a sandbox. Otherwise they run in one if it is installed. */
  readonly shell: "host" | "sandbox" | "sandbox-with-network";
}

/** A command that must pass before a completion is accepted. */
export interface CommandLine {
  readonly line: string;
  readonly every: "claim" | "iteration";
}

/**
 * Makes the settings from a command line, and from the session and config files for options that it does not give.
 * @throws LastcallError `configuration` that says which word is wrong and what to do.
 */
export function readSettings({ values: given, ...words }: Words, sources: Sources = {}): Settings {
  const values = joinOptions(given, sources);
  const options = readOptions(values);
  expectNoContradiction(options);
  const order = readRequest(options, words.positionals) ?? readOrder(words, options);
  if (order.do === "resume" && options.notesFrom !== undefined)
    throw wrong("--notes-from says what a new session begins with, and resume goes on with one; give --notes");
  expectWordsBeside(options, order);
  return {
    ...options,
    order,
    workdir: options.workdir ?? ".",
    notes: options.notes || options.notesFrom !== undefined,
    checks: readChecks(options),
    limits: readLimits(options),
    rights: readRights(options),
    given: givenIn(values),
    kept: pickKept(values),
  };
}

/** @throws LastcallError `configuration` for files without words that they go with. */
function expectWordsBeside({ attach }: OptionValues, order: Order): void {
  if (attach.length === 0 || order.do === "run" || order.do === "help" || order.do === "version") return;
  if (order.do === "chat") throw wrong("In a conversation, files are attached with /attach FILE before the words");
  if (order.do !== "resume")
    throw wrong('--attach shows files together with a task: lastcall --attach FILE "task"', "task");
  if (order.approval !== undefined) throw wrong("--attach goes with words, and an approval takes none", "resume");
  if (order.answer === undefined)
    throw wrong('--attach shows files together with an answer: lastcall resume ID --attach FILE "answer"', "resume");
}

/** The order that `--help` or `--version` is; undefined without them. Beside a command, the help is about that command. */
function readRequest({ help, version }: OptionValues, [word = ""]: readonly string[]): Order | undefined {
  if (help) return { do: "help", page: word === "help" ? undefined : commandNamed(word) };
  return version ? { do: "version" } : undefined;
}

/**
 * Checks that no option of a run lacks the command or another option that it needs. Any source may set that option, so the settings must
 * be joined from all sources.
 * @throws LastcallError `configuration` that names the missing option.
 */
export function expectComplete(settings: Settings): void {
  const { order, approve, refuse, digest, protect, checks, maxCost, prices, agent, port } = settings;
  const answer = approve ? "--approve" : refuse ? "--refuse" : digest === undefined ? undefined : "--digest";
  if (answer !== undefined && order.do !== "resume")
    throw wrong(`${answer} answers a session that waits: lastcall resume ID ${answer}`, "resume");
  const isServer = order.do === "serve" || order.do === "studio";
  if (port !== undefined && order.do !== "mcp-serve" && !isServer)
    throw wrong("--port goes with serve, studio and mcp serve alone", "server");
  const switched = isServer ? undefined : serverOptionIn(settings);
  if (switched !== undefined) throw wrong(`${switched} goes with serve and studio alone`, "server");
  if (protect.length > 0 && checks.length === 0)
    throw wrong("--protect says what must stay for a check to count, and there is none; add --until");
  // The module of an agent may have prices.
  if (maxCost !== "none" && prices === undefined && agent === undefined)
    throw wrong("--max-cost needs to know what the model costs; add --prices FILE");
}

/** The option of a server that was given; undefined if none was. */
function serverOptionIn({ listen, host, readOnly, open }: Settings): string | undefined {
  if (listen !== undefined) return "--listen";
  if (host.length > 0) return "--host";
  return readOnly ? "--read-only" : open ? "--open" : undefined;
}

/** Pairs of options that can't be given together, with the message. */
const contradictions: readonly (readonly [keyof OptionValues, keyof OptionValues, string])[] = [
  ["yes", "ask", "--yes and --ask contradict each other"],
  ["quiet", "verbose", "--quiet and --verbose contradict each other"],
  ["ask", "noInput", "--ask needs somebody to ask, and --no-input says nobody is there"],
  ["park", "noSave", "--park says to wait for an approval, and --no-save keeps no session that could wait"],
  ["park", "dryRun", "--park says to wait for an approval, and --dry-run does nothing that needs one"],
  ["approve", "refuse", "--approve and --refuse contradict each other"],
  ["sessions", "noSave", "--sessions says where to keep the session, and --no-save to keep none"],
  ["store", "noSave", "--store says where to keep the session, and --no-save to keep none"],
  ["store", "sessions", "--store keeps sessions in a database, and --sessions in a folder"],
  ["network", "noSandbox", "--network is about the sandbox, and --no-sandbox says to use none"],
  ["mcp", "noMcp", "--mcp names servers, and --no-mcp says to use none"],
  ["agents", "noAgents", "--agents names agents, and --no-agents says to use none"],
  ["exploreModel", "noExplore", "--explore-model names a model for explore, and --no-explore leaves it out"],
  ["config", "noConfig", "--config names a file, and --no-config says to read none"],
];

function expectNoContradiction(options: OptionValues): void {
  const isGiven = (name: keyof OptionValues): boolean => {
    const value = options[name];
    return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;
  };
  for (const [one, other, message] of contradictions)
    if (isGiven(one) && isGiven(other)) throw wrong(`${message}; give one`);
}

function readRights({ tier, yes, ask, allow, deny, dryRun, noSandbox, network }: OptionValues): Rights {
  const mode = yes ? "allow-all" : ask ? "ask-all" : "ask-sensitive";
  return { tier, mode, allow, deny, dryRun, shell: noSandbox ? "host" : network ? "sandbox-with-network" : "sandbox" };
}

function readChecks({ until, untilEvery }: OptionValues): readonly CommandLine[] {
  const checks = [
    ...untilEvery.map((line): CommandLine => ({ line, every: "iteration" })),
    ...until.map((line): CommandLine => ({ line, every: "claim" })),
  ];
  for (const [index, { line, every }] of checks.entries()) {
    if (line.trim() === "") throw wrong(`${every === "claim" ? "--until" : "--until-every"} needs a command`);
    if (checks.findIndex((other) => other.line === line) < index)
      throw wrong(`The command ${JSON.stringify(line)} is given twice; give it once`);
  }
  return checks;
}
