// The settings: the options and words of a command line, checked against each other.

import { resolve } from "node:path";
import type { AskingLimits } from "../../core/index.js";
import type { Mode, Tier } from "../../permission/index.js";
import { readLimits } from "./limits.js";
import { takersInWords, takersOf, type Name, type OptionValues, type Values } from "./option-table.js";
import { givenIn, missing, ownFiles, pickKept, readOptions, wrong, type KeptOptions, type Words } from "./options.js";
import { agentOrders, commandNamed, orders } from "./command-names.js";
import { readOrder, type Order } from "./order.js";
import { expectNoContradiction, joinOptions, type Sources } from "./sources.js";

/** The settings of the command: each option under its name (`--base-url` is `baseUrl`), and values made from several options. */
export interface Settings extends OptionValues {
  readonly order: Order;
  /** Default: the folder that the command runs in. */
  readonly workdir: string;
  /** The commands of `--until-every`, then the commands of `--until`. */
  readonly checks: readonly CommandLine[];
  /** The limits of the options, with the defaults of the command. */
  readonly limits: AskingLimits;
  readonly rights: Rights;
  /** The files of agents that the session or config files name, and that other options leave out. */
  readonly agentsLeftOut: readonly string[];
  /** The options that were given, on the command line or elsewhere. */
  readonly given: readonly Name[];
  /** The options to keep with the session. */
  readonly kept: KeptOptions;
}

/** The rights of a run. */
export interface Rights {
  /** The upper bound of all rights. */
  readonly tier: Tier;
  /** Decides calls that no rule decides. `ask-all` requires a terminal, or `--park`. */
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
 * Makes the settings from a command line, a session and config files. The command line wins over the session, and the session over config
 * files. Rules of all sources hold together.
 * @throws LastcallError `configuration` that says which word is wrong and what to do.
 */
export function readSettings({ values: typed, ...words }: Words, sources: Sources = {}): Settings {
  const isReview = !words.isTask && words.positionals[0] === "review";
  const given = isReview ? { ...typed, review: true } : typed;
  const values = joinOptions(given, sources);
  const options = readOptions(values);
  expectNoContradiction(values, given, sources);
  const order = readHelpOrder(options, words.positionals) ?? readOrder(words, options);
  expectWordsBeside(options, order);
  expectTaken(order, given);
  if (options.review && (given.tier ?? "read-only") !== "read-only")
    throw wrong("A review only reads; leave --tier out", "review");
  const settings: Settings = {
    ...options,
    order,
    workdir: options.workdir ?? ".",
    notes: options.notes || options.notesFrom !== undefined,
    checks: readChecks(options),
    limits: readLimits(options),
    rights: readRights(options),
    agentsLeftOut: [sources.config, sources.kept]
      .flatMap((source) => source?.agents ?? [])
      .filter((path) => !options.agents.includes(path)),
    given: givenIn(values),
    kept: pickKept(values),
  };
  return options.review ? reviewing(settings) : settings;
}

/** The settings of a review: it only reads, and settings of config files about work have no effect. */
function reviewing(settings: Settings): Settings {
  const none = { checks: [], protect: [], onEdit: [], cap: [], softCap: [], requireVerified: false } as const;
  return { ...settings, ...none, rights: { ...settings.rights, tier: "read-only" } };
}

/**
 * Checks that words go with the files of `--attach`: a task, or an answer.
 * @throws LastcallError `configuration` if there are none.
 */
function expectWordsBeside({ attach }: OptionValues, order: Order): void {
  if (attach.length === 0 || order.do === "run" || order.do === "job" || order.do === "help" || order.do === "version")
    return;
  if (order.do === "chat") throw wrong("In a conversation, files are attached with /attach FILE before the words");
  if (order.do !== "resume")
    throw wrong('--attach shows files together with a task: lastcall --attach FILE "task"', "task");
  if (order.approval !== undefined) throw wrong("--attach goes with words, and an approval takes none", "resume");
  if (order.answer === undefined)
    throw wrong('--attach shows files together with an answer: lastcall resume ID --attach FILE "answer"', "resume");
}

/** The order of `--help` or `--version`; undefined if neither is given. Beside a command, the help is about that command. */
function readHelpOrder({ help, version }: OptionValues, [word = ""]: readonly string[]): Order | undefined {
  if (help) return { do: "help", page: word === "help" ? undefined : commandNamed(word) };
  return version ? { do: "version" } : undefined;
}

/**
 * Checks that the order takes the options of the command line.
 * @throws LastcallError `configuration` that names the option and the orders that take it.
 */
function expectTaken(order: Order, given: Values): void {
  // The options of a job are looked at together with its file.
  if (order.do === "help" || order.do === "version" || order.do === "job") return;
  const option = givenIn(given).find((name) => !takersOf(name).includes(order.do));
  if (option === undefined) return;
  const isBare = order.do === "demo" && !order.isNamed;
  const taker = order.do === "run" ? "A task" : isBare ? "lastcall without a task" : orders[order.do];
  const way = isBare ? "add a task in quotes, or leave it out" : "leave it out";
  const page = order.do === "run" || isBare ? option : orders[order.do].split(" ")[1];
  throw wrong(
    `${taker} takes no --${option}, which goes with ${takersInWords(option)}. Nothing was done: ${way}`,
    page,
  );
}

/**
 * Checks that no option of a run lacks another option that it needs. Any source may set that option, so the settings must be joined from
 * all sources.
 * @throws LastcallError `configuration` that names the missing option.
 */
export function expectComplete(settings: Settings): void {
  const { order, protect, checks, maxCost, prices, agent, record, replay } = settings;
  if (!agentOrders.some((name) => name === order.do)) return;
  expectTries(settings);
  if (protect.length > 0 && checks.length === 0)
    throw wrong("--protect says what must stay for a check to count, and there is none; add --until");
  if (settings.prText !== undefined && settings.branch === undefined && !settings.commit)
    throw wrong("--pr-text tells of a commit; add --branch NAME, or --commit", "commits");
  if (record === missing && replay === undefined)
    throw wrong("--record missing adds to the file of --replay; add --replay FILE, or write --record ./missing");
  if (record !== undefined && record !== missing && replay !== undefined)
    throw wrong("--replay asks no model, so nothing can be recorded; --record missing asks what the file lacks");
  // The module of an agent may have prices.
  if (maxCost !== "none" && prices === undefined && agent === undefined)
    throw wrong("--max-cost needs to know what the model costs; add --prices FILE");
}

/** @throws LastcallError `configuration` for tries that lack something, or that would have to ask somebody. */
function expectTries(settings: Settings): void {
  const { order, rounds, bestOf, by, checks, agent, rights, park, noSave, attach, cap, softCap, plan } = settings;
  if (!isTries({ order, rounds, bestOf })) {
    if (by !== undefined) throw wrong("--by rates the runs of --best-of; add --best-of N", "rounds");
    return;
  }
  const option = rounds === undefined ? "--best-of" : "--rounds";
  const refuse = (why: string): never => {
    throw wrong(`${option} ${why}`, "rounds");
  };
  if (rounds !== undefined && bestOf !== undefined) refuse("and --best-of are two ways; give one of them");
  if (rounds !== undefined && by !== undefined) refuse("takes no --by, which goes with --best-of");
  if (checks.length === 0 && agent === undefined && by === undefined)
    refuse("needs a check that says what is right; add --until");
  if (rights.mode === "ask-all" || park) refuse("asks nobody; leave out --ask and --park");
  if (rights.dryRun) refuse("needs files that change; leave out --dry-run");
  if (plan) refuse("takes no --plan: each try would have a plan of its own");
  if (noSave && order.do === "run") refuse("needs its sessions to go on; leave out --no-save");
  if (bestOf !== undefined && cap.length + softCap.length > 0)
    refuse("has each run work in a folder of its own, where nothing is recorded that --cap could count; leave it out");
  if (attach.length > 0) refuse("takes no --attach; name the file in the task");
  if (leavesMore(settings))
    refuse("commits nothing and writes no artifacts; leave out --branch, --commit and --artifacts");
  if (order.do === "resume" && (order.answer ?? order.approval) !== undefined)
    refuse(`asks nobody, so it takes no answer: lastcall resume ${order.id} goes on`);
}

/** The absolute paths of the files that the options name, and of the job. No tool may write them. */
export function ownPaths(settings: Settings): readonly string[] {
  const { order } = settings;
  const job = order.do === "run" && order.job !== undefined ? [order.job] : [];
  return [...ownFiles(settings), ...job].map((path) => resolve(path));
}

/** True if a task leaves more than its files. */
export function leavesMore({ branch, commit, artifacts }: Pick<Settings, "branch" | "commit" | "artifacts">): boolean {
  return branch !== undefined || commit || artifacts !== undefined;
}

/** True if the order is about several tries at one task. */
export function isTries({ order, rounds, bestOf }: Pick<Settings, "order" | "rounds" | "bestOf">): boolean {
  return (order.do === "run" || order.do === "resume") && (rounds ?? bestOf) !== undefined;
}

function readRights({ tier, yes, ask, allow, deny, dryRun, noSandbox, network }: OptionValues): Rights {
  // A dry run changes nothing, so nobody is asked.
  const mode = yes || dryRun ? "allow-all" : ask ? "ask-all" : "ask-sensitive";
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
