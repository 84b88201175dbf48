// Decides about a call that runs a command: by the rules, the tier, and the walls of the place in which the command runs.

import type { FrozenCall, OpenableWall, Wall } from "../../core/index.js";
import { readCommand, type ParsedCommand } from "../command/read-command.js";
import { TooMuchWork, Work } from "../command/decision-work.js";
import type { Law } from "../rules/law.js";
import { Lookup } from "../rules/lookup.js";
import { opensIfAllowed } from "../../approval/index.js";
import { resolvePath } from "../rules/place.js";
import { concerns, isOnFiles, trimBlanks } from "../rules/rule.js";
import { decideCommand, type CommandVerdict } from "./decide-command.js";
import { needsInWords, needsOf, type Needs } from "./needs.js";
import { no, yes, type Ruling } from "./ruling.js";

/** The walls inside which a command does no harm in a workspace that it may change. */
const needed: readonly Wall[] = ["files", "protected", "network", "home", "secrets"];

/** A command, and the folder in which it starts. */
interface Started {
  readonly command: string;
  readonly folder: string;
}

/** Decides about a command. */
export async function decideShell(law: Law, call: FrozenCall, started: Started): Promise<Ruling> {
  try {
    return await judge(law, call, started);
  } catch (thrown) {
    if (!(thrown instanceof TooMuchWork)) throw thrown;
    if (law.tier === "read-only" && !isWalled(law, call))
      return no("tier", `the tier is read-only, and ${thrown.message}`);
    // Nobody looked whether a rule forbids it, so no mode and no wall lets it through.
    return { is: "ask", why: thrown.message, rule: undefined, insists: true, opens: opensIfAllowed(call) };
  }
}

/** True if the command runs inside walls that let it do no harm in this tier. */
function isWalled(law: Pick<Law, "tier">, { reach }: FrozenCall): boolean {
  return harmlessIn(law).every((wall) => reach?.walls?.includes(wall) === true);
}

/** The walls inside which any command is harmless. */
function harmlessIn({ tier }: Pick<Law, "tier">): readonly Wall[] {
  return tier === "read-only" ? [...needed, "workspace"] : needed;
}

/** @throws TooMuchWork */
async function judge(law: Law, call: FrozenCall, { command, folder }: Started): Promise<Ruling> {
  const where = await resolvePath(law.root, folder);
  const start = where.absolute.at(-1) ?? law.root;
  const allow = law.allow.filter((rule) => concerns(rule, call));
  const deny = law.deny.filter((rule) => concerns(rule, call));
  const files = {
    read: law.deny.filter((rule) => isOnFiles(rule, "read")),
    write: law.deny.filter((rule) => isOnFiles(rule, "write")),
  };
  const variables = call.reach?.variables ?? {};
  const path = variables["PATH"] ?? law.path;
  const walls = call.reach?.walls ?? [];
  const isWalledIn = law.tier === "workspace-write" && walls.includes("files") && !walls.includes("workspace");
  const work = new Work();
  const lookup = new Lookup(law.root, work);
  const commandLaw = { ...law, path, allow, deny, files, variables, isWalledIn, work, lookup };
  const parsed = readCommand(command, work);
  const verdict = await decideCommand(commandLaw, { text: command, parsed }, start);
  if (verdict.is === "forbidden") return no(verdict.by, verdict.reason);
  if (command.includes("\0")) return no("tier", "it holds a NUL character, behind which a shell reads nothing");
  if (law.tier !== "full-access" && where.inside === undefined) return no("tier", where.problem ?? "it leads outside");
  const isOpaque = verdict.is === "undecided" && verdict.isOpaque;
  const insists = isOpaque && deny.some((rule) => rule.command !== undefined);
  const needs = await needsOf(commandLaw, parsed.commands, start);
  if (walls.includes("files") && needs.outside !== undefined)
    return no("walls", `it changes ${needs.outside}, and in the sandbox nothing outside of the workspace is changed`);
  const opening = opensFor(call, needs, walls);
  if (insists) {
    const why = `${verdict.reason}, and nobody can tell whether a rule forbids it`;
    return { is: "ask", why, rule: undefined, insists, opens: opening.allowed };
  }
  const all = allow.find((rule) => rule.meansAll);
  return law.tier === "full-access"
    ? yes("tier", "the tier is full-access", opening.allowed)
    : byVerdict(law, call, { command, parsed, verdict, needs, opening, all: all?.text });
}

/** What is known of a command that nothing forbids. */
interface Known {
  readonly command: string;
  readonly parsed: ParsedCommand;
  readonly verdict: Exclude<CommandVerdict, { readonly is: "forbidden" }>;
  readonly needs: Needs;
  readonly opening: Opening;
  /** The rule that allows all commands; undefined if there is none. */
  readonly all: string | undefined;
}

function byVerdict({ tier }: Law, call: FrozenCall, known: Known): Ruling {
  const { verdict, needs, opening, all } = known;
  const isSafe = isWalled({ tier }, call);
  // A rule opens no wall that the call alone asks for.
  const rule = opening.stated.length > 0 ? undefined : exactCommand(call.name, known);
  if (opening.stated.length === 0) {
    if (verdict.is === "harmless") return yes("tier", "it only reads and prints");
    if (tier !== "read-only" && verdict.is === "allowed")
      return yes("rule", `the rule ${verdict.rule} allows it`, opening.allowed);
    if (tier !== "read-only" && all !== undefined) return yes("rule", `the rule ${all} allows it`, opening.allowed);
    if (verdict.is === "plain") return yes("walls", "it changes empty files, folders and times of the workspace alone");
    if (isSafe && opening.expected.length === 0 && needs.machine === undefined)
      return yes("walls", "it runs inside walls, where it can do no harm");
  }
  if (tier === "read-only" && !isSafe)
    return no("tier", "the tier is read-only, and nobody can tell that this command only reads");
  if (opening.asked.length > 0)
    return { is: "ask", why: needsInWords(opening.asked), rule, insists: false, opens: opening.allowed };
  const why =
    isSafe && needs.machine !== undefined
      ? `${needs.machine} acts on the machine and not on the workspace`
      : verdict.is === "undecided"
        ? verdict.reason
        : "it is asked about";
  const open = isSafe ? "" : missingIn(harmlessIn({ tier }), call.reach?.walls ?? []);
  return { is: "ask", why: why + open, rule, insists: false, opens: opening.allowed };
}

/** Says which walls the sandbox lacks to run a command unasked; empty if there is no sandbox. */
function missingIn(harmless: readonly Wall[], walls: readonly Wall[]): string {
  const missing = harmless.filter((wall) => !walls.includes(wall)).map((wall) => JSON.stringify(wall));
  return walls.length === 0 || missing.length === 0 ? "" : `; the sandbox here has no wall for ${missing.join(", ")}`;
}

/** The walls that have to do with a command. They are all walls of its place. */
interface Opening {
  /** The walls that its words need. */
  readonly expected: readonly OpenableWall[];
  /** The walls that only the call states. */
  readonly stated: readonly OpenableWall[];
  /** The walls of both kinds. */
  readonly asked: readonly OpenableWall[];
  /** The walls that are open if a rule or a person allows the command. */
  readonly allowed: readonly OpenableWall[];
}

function opensFor(call: FrozenCall, { walls: told }: Needs, walls: readonly Wall[]): Opening {
  const expected = told.filter((wall) => walls.includes(wall));
  const stated = (call.reach?.needs ?? []).filter((wall) => walls.includes(wall) && !expected.includes(wall));
  return { expected, stated, asked: [...expected, ...stated], allowed: opensIfAllowed(call, expected) };
}

/** The rule that allows exactly this command; undefined if no rule can express that. */
function exactCommand(name: string, { command, parsed: { isPlain, commands } }: Known): string | undefined {
  return isPlain && commands.length === 1 && !/\*[ \t\n]*$/.test(command)
    ? `${name}(${trimBlanks(command)})`
    : undefined;
}
