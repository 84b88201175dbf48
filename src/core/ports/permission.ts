// The port for permission: it decides whether a call with its exact arguments may run.

import {
  openableWalls,
  type Basis,
  type Decision,
  type Later,
  type OpenableWall,
  type Wall,
} from "../data/decision.js";
import type { Effect } from "../data/effect.js";
import type { Principal } from "../data/principal.js";

/** The files and the command that a call uses outside the process, as far as its arguments say so. Paths are as the model wrote them. */
export interface Reach {
  /** Files and folders that the call reads. A folder includes everything in it. */
  readonly reads?: readonly string[];
  /** Files and folders that the call creates, changes, moves or deletes. */
  readonly writes?: readonly string[];
  /** The shell command that the call runs. */
  readonly command?: string;
  /** The working directory of the command. Default: the working directory of the tool. */
  readonly folder?: string;
  /** The variables that the command gets besides the variables of this process, or in their place. Default: none. */
  readonly variables?: Readonly<Record<string, string>>;
  /**
   * The walls of the place in which the command runs. The tool keeps them closed, except the walls that the decision opens. Default: none.
   */
  readonly walls?: readonly Wall[];
  /** The walls that would have to be open for the command, as far as the call says so. Default: none. */
  readonly needs?: readonly OpenableWall[];
}

/** A call as permission sees it. It is deeply frozen, and the tool runs with a copy of this `input`. `FrozenCallOf` types it by tool. */
export interface FrozenCall<Name extends string = string, Input = unknown> {
  readonly id: string;
  readonly name: Name;
  readonly effect: Effect | undefined;
  readonly input: Input;
  /** The digest of the tool's definition, if a stranger wrote it. An approval that is kept counts for this definition alone. */
  readonly definition?: string;
  /** The result of the tool's `reach` for this input; absent if the tool has no `reach`. */
  readonly reach?: Reach;
  /** The person or program whose words the call follows from. Absent if nobody said who it is. */
  readonly principal?: Principal;
}

/** The recorded answer to a parked call, as permission gets it when it is asked again. */
export interface GivenApproval extends Decision {
  readonly always: boolean;
  /** The person or program that gave it. Absent if nobody said who it is. */
  readonly by?: Principal;
}

/** The news that somebody is asked about a call. */
export interface Announcement {
  /** Why somebody is asked, in words for people. */
  readonly why: string;
  /** The rule that would allow exactly this from the start. Absent if no rule would. */
  readonly rule?: string | undefined;
}

/** The context of a decision, besides the call. */
export interface Deciding<Context = unknown> {
  /** The context of the run, as the caller gave it. Absent without one. */
  readonly context?: Context | undefined;
  /** Aborts when the run aborts. */
  readonly signal: AbortSignal;
  /** The id of the session. */
  readonly session: string;
  /** The answer that was given to this very call after the permission had answered `later`. Absent before. */
  readonly approval?: GivenApproval | undefined;
  /**
   * Describes what the call would do, for the person who approves it: a diff or a command, for example. Undefined if the
   * tool has no preview. Rejects if the tool's `preview` throws, usually with the error that the call itself would end with.
   */
  preview(): Promise<string | undefined>;
  /**
   * Tells watchers that somebody is asked about the call from now on: the run yields `call-asking`. Call it right before the question, and
   * not for what is decided without one. Absent if nobody watches, so call it as `announce?.(…)`.
   * @throws LastcallError `configuration` if `why` is no text.
   */
  announce?(about: Announcement): void;
}

/**
 * Decides whether a call may run.
 *
 * Contract: `decide` answers for exactly the given call and changes nothing. Only a Decision with `allowed: true` allows the
 * call. Any other return value denies it, and so does a thrown error. `decide` gives up when `signal` aborts. It may be asked
 * about several calls at the same time.
 *
 * It may return `Later` if it needs an answer that takes time. The run then ends `waiting`, and once the answer is recorded, `decide` is
 * asked again with `deciding.approval`. It still denies what must not be, and otherwise returns that answer. A second `Later` is a denial.
 *
 * A permission for the calls of certain tools fits only an agent that has no other tools; one for any `FrozenCall` fits every agent.
 */
export interface Permission<
  Call extends FrozenCall = FrozenCall,
  Context = unknown,
  Answer extends Decision | Later = Decision,
> {
  // A property, not a method: TypeScript compares the parameters of methods in both directions, and so would miss a tool.
  readonly decide: (call: Call, deciding: Deciding<Context>) => Answer | Promise<Answer>;
  /**
   * The decision about a call, if nobody has to be asked for it; undefined otherwise. It asks nobody and changes nothing. A call that it
   * allows and that only reads may begin while its reply still arrives; `decide` is asked about it as about any other. A permission that
   * wraps another permission has to wrap this as well. Default: no call begins early.
   */
  readonly unasked?: (call: Call, deciding: Deciding<Context>) => Decision | undefined | Promise<Decision | undefined>;
  /**
   * Gets the names of the agent's tools before anything runs, to check the rules against them.
   * @throws LastcallError `configuration` if a rule makes no sense for these tools.
   */
  prepare?(tools: readonly string[]): void;
  /**
   * True if rules forbid to read or to write the file, even if somebody approves. Tools ask it about files that no argument names: the
   * files of a list, of a search, or in a sandbox. The path is absolute and real. Default: nothing is forbidden.
   */
  forbids?(access: "read" | "write", path: string): boolean;
}

/** A call that the approver has to decide about. */
export interface Asking<Context = unknown> extends Omit<Deciding<Context>, "announce"> {
  /** Why the approver is asked, in words for people. */
  readonly why: string;
  /** The rule that would allow exactly this from the start, so that a person can write it down; undefined if no rule would. */
  readonly rule: string | undefined;
  /**
   * A wider rule, which allows this call and others of its kind, such as `run_command(npm test *)`; undefined if none is offered. Show it
   * before anybody chooses it.
   */
  readonly kind: string | undefined;
  /** True if the approver must say yes in any mode: `allow-all` does not cover it. */
  readonly insists: boolean;
  /** The walls of its sandbox that a yes opens for this call. */
  readonly opens: readonly OpenableWall[];
}

/**
 * An answer. With `always: true`, a yes also allows the same call with the same arguments, byte for byte, for the rest of the
 * session, as long as the permission that asked lives. With a text, it allows every call that this rule allows: the text is `rule` or
 * `kind` of the question, and any other text makes the answer a no. Only `gate` offers rules. It counts for the id of the session: after
 * a session is deleted, give its id to no other session of the same agent.
 */
export interface Approval {
  readonly allowed: boolean;
  /** For the journal and, if the answer is no, for the model. Default: that the call was approved, or was not. */
  readonly reason?: string;
  readonly always?: boolean | string;
}

/** Everything that an approver may return. */
export type AnyApproval = boolean | Approval | Later | Promise<boolean | Approval | Later>;

/** The answers of a permission whose approver returns this: it may answer later if the approver may. */
export type Answered<Returned> = [Extract<Awaited<Returned>, Later>] extends [never] ? Decision : Decision | Later;

/**
 * The party that allows or refuses a call.
 *
 * Contract: it answers `true`, `false` or an Approval for exactly the call it is given, or `Later` if the answer takes
 * time: the run then ends `waiting`, and the approver is not asked about this call again. Any other return value counts
 * as a no, and so does throwing. It is asked one question at a time about the calls of one session, and about several
 * sessions at the same time (`asking.session`), so that no user waits for the answer of another. Once `asking.signal`
 * aborts, its answer no longer counts.
 *
 * As the `permission` of an agent, its call has the types of the agent's tools: `call.name` tells the type of `call.input`. Elsewhere
 * `(call: FrozenCallOf<typeof tools>) => …` has them.
 */
export type Approver<
  Call extends FrozenCall = FrozenCall,
  Returned extends AnyApproval = boolean | Approval | Promise<boolean | Approval>,
  Context = unknown,
> = (call: Call, asking: Asking<Context>) => Returned;

/**
 * Signs answers to calls that wait.
 *
 * Contract: `sign` returns the signature of exactly these bytes, by Ed25519 with the key that the name stands for. If it throws, the answer
 * does not count, and the call waits on.
 */
export interface ApprovalSigner {
  /** The name of the key, by which a verifier finds the public key. */
  readonly key: string;
  readonly sign: (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array>;
}

/** The answer of a rule about a person: true, false, or a text that says why not. */
export type MayApproveAnswer = boolean | string;

/** The rules for the answers to calls that wait for an approval. They hold for the agents that calls of the agent run, too. */
export interface ApprovalOptions {
  /**
   * Decides who may say yes or no to a call. It gets the giver of the answer, undefined for a caller without a name, and the call,
   * whose `principal` is the person who asked for it. Only `true` lets the answer count. False, a text that says why not, and an error
   * refuse it: the call waits on, and the session stays the same. It may be asked several times about one answer, and changes nothing.
   * Default: anybody who may use the session.
   */
  readonly mayApprove?:
    ((principal: Principal | undefined, call: FrozenCall) => MayApproveAnswer | Promise<MayApproveAnswer>) | undefined;
  /**
   * The number of different people who have to say yes, for all calls or for each call. A caller without a name counts for nobody, and one
   * no refuses the call. It is asked when the call begins to wait, and its answer stays with the call. Default 1.
   */
  readonly quorum?: number | ((call: FrozenCall) => number | Promise<number>) | undefined;
  /** Signs each answer, for `verifyApprovals`: `ed25519("2026", privateKey)`. Default: answers are not signed. */
  readonly sign?: ApprovalSigner | undefined;
}

/** A permission for any calls, which may answer later. */
export type AnyPermission = Permission<FrozenCall, unknown, Decision | Later>;

/** True for effects that need an approval. An undeclared effect needs none: the caller passed the tool in order to run it. */
export function isGated(effect: Effect | undefined): boolean {
  return effect === "write" || effect === "execute" || effect === "network";
}

/** The permission of an agent without a `permission` option. It denies `write`, `execute` and `network`, and allows all other effects. */
export const failClosed: Permission = { decide: byEffect, unasked: byEffect };

function byEffect({ effect }: FrozenCall): Decision {
  return isGated(effect)
    ? { allowed: false, reason: `nobody is there to approve a tool that can ${effect ?? "execute"}`, basis: "effect" }
    : { allowed: true, reason: "changes nothing", basis: "effect" };
}

/**
 * Combines permissions: a call is allowed if each permission allows it, and a wall is open if each permission opens it. They are asked in
 * order, and the first denial is the answer. If none denies, the first `Later` is. An empty list denies every call.
 */
export function everyOf<Call extends FrozenCall = FrozenCall, Answer extends Decision | Later = Decision>(
  permissions: readonly Permission<Call, unknown, Answer>[],
): Permission<Call, unknown, Answer> {
  const [first, ...rest] = permissions;
  if (first !== undefined && rest.length === 0) return first;
  return {
    async decide(call, deciding) {
      let decision: Decision = { allowed: false, reason: "there is no permission to ask" };
      let later: Later | undefined;
      let opens: readonly OpenableWall[] = openableWalls;
      for (const permission of permissions) {
        const answer = readPermission(await permission.decide(call, deciding));
        if ("later" in answer) {
          later ??= answer;
          continue;
        }
        decision = answer;
        if (!decision.allowed) return decision as Answer;
        opens = opens.filter((wall) => answer.opens?.includes(wall) === true);
      }
      return (later ?? withOpen(decision, opens)) as Answer;
    },
    async unasked(call, deciding) {
      let decision: Decision | undefined;
      for (const permission of permissions) {
        decision = await permission.unasked?.(call, deciding);
        if (decision?.allowed !== true) return decision;
      }
      return decision;
    },
    forbids: (access, path) => permissions.some((permission) => permission.forbids?.(access, path) === true),
  };
}

/** Reads the answer of a permission, which may come later. Any other answer that is not a Decision is a denial. */
export function readPermission(answer: unknown): Decision | Later {
  return readLater(answer) ?? readDecision(answer);
}

/** Reads the answer that an approval comes later; undefined if it is none. With a field `allowed` it is a contradiction, and so none. */
export function readLater(answer: unknown): Later | undefined {
  const { later, reason, expiresAfter, allowed } = (answer ?? {}) as Partial<Record<keyof (Later & Decision), unknown>>;
  if (later !== true || typeof reason !== "string" || allowed !== undefined) return undefined;
  if (expiresAfter === undefined || expiresAfter === Infinity) return { later, reason };
  return typeof expiresAfter === "number" && expiresAfter > 0 ? { later, reason, expiresAfter } : undefined;
}

/** Reads the decision of a permission. An answer that is not a Decision is a denial, and so is `later`. */
function readDecision(answer: unknown): Decision {
  const { allowed, reason, basis, opens, later } = (answer ?? {}) as Partial<Record<keyof (Later & Decision), unknown>>;
  if (typeof allowed !== "boolean" || typeof reason !== "string" || later !== undefined)
    return { allowed: false, reason: "permission gave no clear answer" };
  const knownBasis = bases.find((known) => known === basis);
  const read = { allowed, reason, ...(knownBasis !== undefined && { basis: knownBasis }) };
  return allowed && Array.isArray(opens)
    ? withOpen(
        read,
        openableWalls.filter((wall) => opens.includes(wall)),
      )
    : read;
}

/** The decision with these walls open. */
function withOpen({ opens: _before, ...decision }: Decision, opens: readonly OpenableWall[]): Decision {
  return opens.length === 0 ? decision : { ...decision, opens };
}

const bases: readonly Basis[] = ["rule", "protected", "tier", "grant", "mode", "effect", "approver", "walls"];
