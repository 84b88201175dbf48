// Decides about one call by the rules, the protected paths and the tier, before anybody is asked.

import type { Basis, FrozenCall } from "../../core/index.js";
import { decideCommand } from "./decide-command.js";
import { readCommand } from "../command/read-command.js";
import type { Law } from "../rules/law.js";
import { resolvePath, type ResolvedPath } from "../rules/place.js";
import { concerns, isOnFiles, type Access, type PathRule, type Rule } from "../rules/rule.js";

/** The decision about a call. `insists`: the approver must say yes, whatever is allowed in general. */
export type Ruling =
  | { readonly is: "yes" | "no"; readonly reason: string; readonly basis: Basis }
  | { readonly is: "ask"; readonly why: string; readonly rule: string | undefined; readonly insists: boolean };

/** Decides about a call. The most restrictive decision about one of its parts counts. */
export async function decide(law: Law, call: FrozenCall): Promise<Ruling> {
  const { reads = [], writes = [], command, folder } = call.reach ?? {};
  const sweeping = law.deny.find((rule) => concerns(rule, call) && (rule.meansAll || !statesSubject(rule, call)));
  if (sweeping !== undefined) return no("rule", `the rule ${sweeping.text} forbids it`);
  const accessesOf = async (paths: readonly string[], access: Access): Promise<readonly PathAccess[]> =>
    Promise.all(paths.map(async (path) => ({ access, target: await resolvePath(law.root, path) })));
  const accesses = [...(await accessesOf(reads, "read")), ...(await accessesOf(writes, "write"))];
  const verdicts = accesses.map((one) => judgePath(law, call, one));
  if (command !== undefined) verdicts.push(await judgeShell(law, call, { command, folder: folder ?? "." }));
  if (verdicts.length === 0) return judgeEffect(law, call);
  const worst = (is: Ruling["is"], insists?: boolean): Ruling | undefined =>
    verdicts.find((one) => one.is === is && (insists === undefined || (one.is === "ask" && one.insists === insists)));
  return worst("no") ?? worst("ask", true) ?? worst("ask", false) ?? worst("yes") ?? no("effect", "nothing allows it");
}

interface PathAccess {
  readonly access: Access;
  readonly target: ResolvedPath;
}

function no(basis: Basis, reason: string): Ruling {
  return { is: "no", reason, basis };
}

function yes(basis: Basis, reason: string): Ruling {
  return { is: "yes", reason, basis };
}

/**
 * True if the call states what the rule is about. If it does not, a forbidding rule applies, because the call may be
 * what it forbids.
 */
function statesSubject(rule: Rule, { reach }: FrozenCall): boolean {
  const isOnPaths = rule.paths !== undefined && (reach?.reads ?? reach?.writes) !== undefined;
  const isOnCommands = rule.command !== undefined && reach?.command !== undefined;
  return isOnPaths || isOnCommands;
}

function judgePath(law: Law, call: FrozenCall, { access, target }: PathAccess): Ruling {
  const { root, tier, deny, allow, protector } = law;
  const forbidding = deny.find((rule) => concerns(rule, call, access) && rule.paths?.forbids(root, target) === true);
  if (forbidding !== undefined) return no("rule", `the rule ${forbidding.text} forbids ${quoted(target)}`);
  const protection = access === "write" ? protector.written(root, target) : undefined;
  if (protection?.how === "never")
    return no("protected", `${quoted(target)} can't be written by any tool: ${protection.name} is protected`);
  if (tier === "read-only" && access === "write") return no("tier", "the tier is read-only");
  if (tier !== "full-access" && target.inside === undefined) return no("tier", target.problem ?? "it leads outside");
  const rules = allow.filter((rule) => concerns(rule, call, access));
  const named = rules.find(({ paths }) => paths?.isExact === true && paths.allows(root, target));
  if (named !== undefined) return yes("rule", `the rule ${named.text} allows it`);
  const rule = exactRule(call, target);
  if (protection !== undefined)
    return {
      is: "ask",
      why: `${protection.name} is believed or run by others once it is written`,
      rule,
      insists: true,
    };
  if (tier === "full-access") return yes("tier", "the tier is full-access");
  const onPaths = rules.filter(
    (one): one is Rule & { readonly paths: PathRule } => one.paths !== undefined && !one.meansAll,
  );
  const allowing = rules.find((one) => one.meansAll) ?? onPaths.find(({ paths }) => paths.allows(root, target));
  if (access === "read" && protector.isSecret(root, target))
    return { is: "ask", why: `${quoted(target)} is likely to hold secrets`, rule, insists: false };
  if (allowing !== undefined) return yes("rule", `the rule ${allowing.text} allows it`);
  if (onPaths.length > 0) return { is: "ask", why: `no rule allows ${quoted(target)}`, rule, insists: false };
  return yes("tier", access === "read" ? "it is in the workspace" : "the tier is workspace-write");
}

async function judgeShell(
  law: Law,
  call: FrozenCall,
  { command, folder }: { readonly command: string; readonly folder: string },
): Promise<Ruling> {
  const { tier } = law;
  const where = await resolvePath(law.root, folder);
  const start = where.absolute.at(-1) ?? law.root;
  const allow = law.allow.filter((rule) => concerns(rule, call));
  const deny = law.deny.filter((rule) => concerns(rule, call));
  const files = {
    read: law.deny.filter((rule) => isOnFiles(rule, "read")),
    write: law.deny.filter((rule) => isOnFiles(rule, "write")),
  };
  const verdict = await decideCommand({ ...law, allow, deny, files }, command, start);
  if (verdict.is === "forbidden") return no(verdict.by, verdict.reason);
  if (command.includes("\0")) return no("tier", "it holds a NUL character, behind which a shell reads nothing");
  if (tier !== "full-access" && where.inside === undefined) return no("tier", where.problem ?? "it leads outside");
  const isOpaque = verdict.is === "undecided" && verdict.isOpaque;
  const insists = isOpaque && deny.some((rule) => rule.command !== undefined);
  if (insists)
    return {
      is: "ask",
      why: `${verdict.reason}, and nobody can tell whether a rule forbids it`,
      rule: undefined,
      insists,
    };
  if (tier === "full-access") return yes("tier", "the tier is full-access");
  if (verdict.is === "harmless") return yes("tier", "it only reads and prints");
  if (tier === "read-only")
    return no("tier", "the tier is read-only, and nobody can tell that this command only reads");
  if (verdict.is === "allowed") return yes("rule", `the rule ${verdict.rule} allows it`);
  const all = allow.find((rule) => rule.meansAll);
  if (all !== undefined) return yes("rule", `the rule ${all.text} allows it`);
  return { is: "ask", why: verdict.reason, rule: exactCommand(call.name, command), insists: false };
}

/** A tool that does not say what it concerns is judged by its effect alone. */
function judgeEffect({ tier, allow }: Law, call: FrozenCall): Ruling {
  const { effect, name } = call;
  if (effect === "none" || effect === "read") return yes("effect", "it changes nothing");
  if (effect === undefined) return yes("effect", "its tool was handed over to be run");
  if (tier === "full-access") return yes("tier", "the tier is full-access");
  if (tier === "read-only" && effect !== "network") return no("tier", "the tier is read-only");
  const all = allow.find((rule) => rule.meansAll && rule.name === name);
  if (all !== undefined) return yes("rule", `the rule ${all.text} allows it`);
  const why = effect === "network" ? "it uses the network" : `it can ${effect}, and does not say what`;
  return { is: "ask", why, rule: name, insists: false };
}

function quoted({ path }: ResolvedPath): string {
  return JSON.stringify(path);
}

/** The rule that allows exactly this file; undefined if no rule can express that. */
function exactRule({ name }: FrozenCall, { inside }: ResolvedPath): string | undefined {
  return inside === undefined || inside === "" || /[*?[\]{}()!+@\\]/.test(inside) ? undefined : `${name}(${inside})`;
}

/** The rule that allows exactly this command; undefined if no rule can express that. */
function exactCommand(name: string, command: string): string | undefined {
  const { isPlain, commands } = readCommand(command);
  return isPlain && commands.length === 1 && !/\*\s*$/.test(command) ? `${name}(${command.trim()})` : undefined;
}
