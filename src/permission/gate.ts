// The gate: every call passes it, in one order. A call that it can't understand does not pass.

import type { Tier } from "./rules/tier.js";
import {
  LastcallError,
  type AnyApproval,
  type Approval,
  type Approver,
  type Basis,
  type Deciding,
  type Decision,
  type FrozenCall,
  type Later,
  type OpenableWall,
  type Permission,
} from "../core/index.js";
import { checkOptions, needed, choiceOf, listOf, type OptionKinds, type Answered } from "../core/internal.js";
import { openRoot } from "../files/index.js";
import { Grants, oneAtATime, opening } from "../approval/index.js";
import { decide } from "./decide/decide.js";
import type { Ruling } from "./decide/ruling.js";
import { protector } from "./rules/protected.js";
import type { Law } from "./rules/law.js";
import { within } from "./rules/place.js";
import { isOnFiles, readRules } from "./rules/rule.js";
import { ChosenRules, kindOf } from "./chosen-rules.js";
import type { KeptRule } from "./rules/kept-rule.js";

/**
 * Decides about calls that no rule and no tier decides. `ask-never`: nobody is asked, so they are refused.
 * `ask-sensitive`: the approver is asked. `ask-all`: the approver is asked, also about every allowed call that has an
 * effect. `allow-all`: they are allowed, except writes to protected files and commands that can't be checked against
 * the rules that forbid some. A command that is allowed so runs in its sandbox with all walls closed, whatever the call names.
 */
export type Mode = "ask-never" | "ask-sensitive" | "ask-all" | "allow-all";

/** Options of the gate. */
export interface GateOptions<
  Call extends FrozenCall = FrozenCall,
  Returned extends AnyApproval = boolean | Approval | Promise<boolean | Approval>,
> {
  /** The folder that the run works in. It must exist. */
  readonly root: string;
  /** The most that a run may do. Default `workspace-write`. */
  readonly tier?: Tier | undefined;
  /** Decides calls that no rule and no tier decides. Default `ask-sensitive`. */
  readonly mode?: Mode | undefined;
  /**
   * Rules that allow calls within the tier. `run_command(npm test)` is exactly this command, `run_command(wc *)` any
   * command that begins so. `write_file(src/**)` is these files, `write(src/**)` the same for every tool that writes,
   * `web_search` every call of the tool. If there are rules on the files of a tool, its other files are asked about.
   * Default: none, so the tier alone decides.
   */
  readonly allow?: readonly string[] | undefined;
  /** Rules that forbid calls, in the same form. They beat everything else. Default: none. */
  readonly deny?: readonly string[] | undefined;
  /** Patterns of more files that no tool may write. Default: none besides the files that are always protected. */
  readonly protect?: readonly string[] | undefined;
  /**
   * Patterns of more files that are written only if the approver says yes, in any mode, or a rule allows that exact name. Commands in a
   * sandbox keep them as they are. `./name` is at the top alone. Default: none besides the files that are always asked about.
   */
  readonly askAbout?: readonly string[] | undefined;
  /**
   * The approver to ask. If it answers `Later`, the run ends to wait for an approval. Default: none, so a call that needs
   * an approval is refused.
   */
  readonly approver?: Approver<Call, Returned> | undefined;
  /**
   * Rules that a person chose at a question before, and that were to be kept: an approver answered `always` with a rule's text, and its
   * caller stored it with the call's `definition`. They allow only what would be asked about; `ask-all` asks all the same. Default: none.
   */
  readonly kept?: readonly KeptRule[] | undefined;
  /** Milliseconds until a missing answer counts as a no. Default 5 minutes. `Infinity`: a person may take any time. */
  readonly approvalTimeout?: number | undefined;
}

const tiers: readonly Tier[] = ["read-only", "workspace-write", "full-access"];
const modes: readonly Mode[] = ["ask-never", "ask-sensitive", "ask-all", "allow-all"];

const gateOptions = {
  root: needed("text"),
  tier: choiceOf("read-only", "workspace-write", "full-access"),
  mode: choiceOf("ask-never", "ask-sensitive", "ask-all", "allow-all"),
  allow: "list",
  deny: "list",
  protect: listOf("text"),
  askAbout: listOf("text"),
  approver: "function",
  kept: listOf("object"),
  approvalTimeout: "number",
} satisfies OptionKinds<GateOptions>;

/**
 * Makes the permission for an agent that works in one folder. The order: rules that forbid, protected paths, the tier,
 * rules that allow, approvals for the session, and then the approver. The most restrictive decision counts. An approver
 * that throws, takes too long or gives no clear answer says no.
 *
 * It decides about calls, not about the behaviour of a program once it runs: see docs/what-the-agent-may-do.md.
 * @throws LastcallError `configuration` for an invalid root, tier, mode or rule. It says what to do.
 */
export function gate<Call extends FrozenCall = FrozenCall, Returned extends AnyApproval = boolean>(
  options: GateOptions<Call, Returned>,
): Permission<Call, unknown, Answered<Returned>>;
export function gate<Call extends FrozenCall>(
  options: GateOptions<Call, AnyApproval>,
): Permission<Call, unknown, Decision | Later> {
  checkOptions("gate", options, gateOptions);
  const { tier = "workspace-write", mode = "ask-sensitive", approver, approvalTimeout = 5 * 60_000 } = options;
  expectOne("tier", tier, tiers);
  expectOne("mode", mode, modes);
  if (typeof approvalTimeout !== "number" || !(approvalTimeout > 0))
    throw new LastcallError("configuration", "approvalTimeout is milliseconds, more than 0, or Infinity.");
  const law: Law = {
    root: openRoot(options.root),
    tier,
    allow: readRules("allow", options.allow ?? []),
    deny: readRules("deny", options.deny ?? []),
    protector: protector(options.protect ?? [], options.askAbout),
    path: process.env["PATH"] ?? "",
  };
  const asked = mode === "ask-never" ? undefined : approver;
  const ask = oneAtATime(asked, approvalTimeout);
  const grants = new Grants();
  const chosen = new ChosenRules(options.kept ?? []);

  /** The decision about a call that somebody allowed before: this very call, or all calls of a rule. */
  async function allowedBefore(call: Call, session: string, verdict: Undecided): Promise<Decision | undefined> {
    if (grants.has(session, call, verdict.opens ?? [])) return granted(verdict.opens);
    const ruling = mode === "ask-all" ? undefined : await chosen.allowing(law, call, session);
    return (
      ruling && {
        allowed: true,
        reason: `${ruling.reason}; a person chose it`,
        basis: "grant",
        ...opening(ruling.opens),
      }
    );
  }

  /** The decision about a call that somebody would be asked about, if nobody has to be. */
  async function withoutAsking(call: Call, session: string, verdict: Undecided): Promise<Decision | undefined> {
    const before = await allowedBefore(call, session, verdict);
    if (before !== undefined) return before;
    const { why, insists } = verdict;
    // Nobody saw the call, so no wall is opened for it, whatever it names.
    if (mode === "allow-all" && !insists)
      return { allowed: true, reason: "everything that nothing forbids is allowed", basis: "mode" };
    return asked === undefined
      ? { allowed: false, reason: `${why}; nobody is there to approve it`, basis: "mode" }
      : undefined;
  }

  async function approval(call: Call, deciding: Deciding, verdict: Undecided): Promise<Decision | Later> {
    const { why, rule, insists, opens = [] } = verdict;
    const { session } = deciding;
    const unasked = await withoutAsking(call, session, verdict);
    // An answer that came later counts also if nobody is there now. A grant from meanwhile is a yes, too.
    if (unasked !== undefined && (deciding.approval === undefined || unasked.basis === "grant")) return unasked;
    try {
      const kind = insists || mode === "ask-all" ? undefined : await kindOf(law, call);
      // No rule keeps this mode from asking.
      const exact = mode === "ask-all" ? undefined : rule;
      const about = { why, rule: exact, kind: kind === exact ? undefined : kind, insists, opens };
      return await ask(call, deciding, about, {
        covered: () => allowedBefore(call, session, verdict),
        keep: (always) => {
          if (always === true) grants.add(session, call, opens);
          else chosen.add(session, always, call);
        },
      });
    } catch (thrown) {
      deciding.signal.throwIfAborted();
      const words = thrown instanceof Error ? thrown.message : "of something that is no error";
      return { allowed: false, reason: `${why}; it could not be approved: ${words}`, basis: "approver" };
    }
  }

  const forbids = forbidding(law, options);

  return {
    ...(forbids && { forbids }),
    async unasked(call, { session }) {
      const verdict = await decide(law, call);
      if (verdict.is === "ask") return withoutAsking(call, session, verdict);
      return verdict.is === "yes" && mode === "ask-all" && call.effect !== "none" ? undefined : decision(verdict);
    },
    async decide(call, deciding) {
      const verdict = await decide(law, call);
      if (verdict.is === "no") return decision(verdict);
      if (verdict.is === "ask") return approval(call, deciding, verdict);
      if (mode !== "ask-all" || call.effect === "none") return decision(verdict);
      const asked = { is: "ask", why: "every call is asked about", rule: undefined, insists: false } as const;
      return approval(call, deciding, { ...asked, ...opening(verdict.opens) });
    },
    prepare(tools) {
      for (const { name, text } of [...law.allow, ...law.deny]) {
        if (name === "read" || name === "write" || tools.includes(name) || isToCome(name, tools)) continue;
        const message = `The rule ${JSON.stringify(text)} is about a tool that the agent does not have. It has: ${tools.join(", ")}; read and write stand for all that read or write files.`;
        throw new LastcallError("configuration", message);
      }
    },
  };
}

/** True for a tool of an MCP server that lists its tools after a sign-in: a rule about it waits for it. */
function isToCome(name: string, tools: readonly string[]): boolean {
  const [server, ...rest] = name.split("__");
  return rest.length > 0 && tools.includes(`${String(server)}__sign_in`);
}

function granted(opens: readonly OpenableWall[] | undefined): Decision {
  return { allowed: true, reason: "it was approved for the session", basis: "grant", ...opening(opens) };
}

type Undecided = Extract<Ruling, { readonly is: "ask" }>;

function decision(ruling: Exclude<Ruling, Undecided>): Decision & { readonly basis: Basis } {
  const { is, reason, basis } = ruling;
  return { allowed: is === "yes", reason, basis, ...(is === "yes" && opening(ruling.opens)) };
}

/** Says whether rules forbid a file. Undefined if no rule is about files: then a tool need not ask about each file. */
function forbidding(
  { root, deny, protector }: Law,
  { protect = [], askAbout = [] }: Pick<GateOptions, "protect" | "askAbout">,
): Permission["forbids"] {
  const rules = {
    read: deny.filter((rule) => isOnFiles(rule, "read")),
    write: deny.filter((rule) => isOnFiles(rule, "write")),
  };
  if ([rules.read, rules.write, protect, askAbout].every((one) => one.length === 0)) return undefined;
  return (access, path) => {
    const target = { path, absolute: [path], inside: within(root, path), problem: undefined };
    const isRuled = rules[access].some(({ meansAll, paths }) => meansAll || paths?.forbids(root, target) === true);
    const protection = access === "write" ? protector.written(root, target) : undefined;
    // The sandbox knows the files that are asked about in every workspace.
    return isRuled || (protection !== undefined && (protection.how === "never" || askAbout.includes(protection.name)));
  };
}

function expectOne(what: string, given: unknown, known: readonly string[]): void {
  if (known.some((one) => one === given)) return;
  throw new LastcallError("configuration", `The ${what} ${JSON.stringify(given)} is none of ${known.join(", ")}.`);
}
