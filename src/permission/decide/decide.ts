// Decides about one call by the rules, the protected paths and the tier, before anybody is asked.

import type { FrozenCall } from "../../core/index.js";
import { otherNames } from "../../files/index.js";
import { decideShell } from "./decide-shell.js";
import { no, yes, type Ruling } from "./ruling.js";
import type { Law } from "../rules/law.js";
import { resolvePath, type ResolvedPath } from "../rules/place.js";
import { concerns, isOnFiles, type Access, type PathRule, type Rule } from "../rules/rule.js";

/** Decides about a call. The most restrictive decision about one of its parts counts. */
export async function decide(settled: Law, call: FrozenCall): Promise<Ruling> {
  const { reads = [], writes = [], command, folder } = call.reach ?? {};
  const namesFiles = reads.length + writes.length > 0 || command !== undefined;
  const law = namesFiles ? await withLinks(settled) : settled;
  const sweeping = law.deny.find((rule) => concerns(rule, call) && (rule.meansAll || !statesSubject(rule, call)));
  if (sweeping !== undefined) return no("rule", `the rule ${sweeping.text} forbids it`);
  const accessesOf = async (paths: readonly string[], access: Access): Promise<readonly PathAccess[]> =>
    Promise.all(paths.map(async (path) => ({ access, target: await resolvePath(law.root, path) })));
  const accesses = [...(await accessesOf(reads, "read")), ...(await accessesOf(writes, "write"))];
  const verdicts = accesses.map((one) => judgePath(law, call, one));
  if (command !== undefined) verdicts.push(await decideShell(law, call, { command, folder: folder ?? "." }));
  if (verdicts.length === 0) return judgeEffect(law, call);
  const worst = (is: Ruling["is"], insists?: boolean): Ruling | undefined =>
    verdicts.find((one) => one.is === is && (insists === undefined || (one.is === "ask" && one.insists === insists)));
  return worst("no") ?? worst("ask", true) ?? worst("ask", false) ?? worst("yes") ?? no("effect", "nothing allows it");
}

/** The law with the links of the workspace, as they are now. */
async function withLinks(law: Law): Promise<Law> {
  return { ...law, protector: law.protector.withNames(await otherNames(law.root)) };
}

interface PathAccess {
  readonly access: Access;
  readonly target: ResolvedPath;
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
  // Nobody writes what must not be read: the failure of an edit quotes the file.
  const concernsThis = (rule: Rule): boolean => concerns(rule, call, access) || isOnFiles(rule, "read");
  const forbidding = deny.find((rule) => concernsThis(rule) && rule.paths?.forbids(root, target) === true);
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
