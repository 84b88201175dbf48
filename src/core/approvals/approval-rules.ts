// Approval rules: who may say yes or no to a call that waits, and how many people have to say yes.

import { LastcallError, explain } from "../data/fault.js";
import { isSamePrincipal, principalWords, type Principal } from "../data/principal.js";
import { checkOptions, objectWith, type OptionKinds } from "../data/settings.js";
import type { ParkedRecord } from "../journal/record.js";
import type { AwaitedQuorum } from "../ports/outcome.js";
import type { ApprovalOptions, FrozenCall } from "../ports/permission.js";

const approvalOptions = {
  mayApprove: "function",
  quorum: ["number", "function"],
  sign: objectWith('a signer, for example ed25519("2026", privateKey)', "sign"),
} satisfies OptionKinds<ApprovalOptions>;

/**
 * Checks the option `approvals` of an agent.
 * @throws LastcallError `configuration` if it is wrong.
 */
export function checkApprovals(options: ApprovalOptions): ApprovalOptions {
  checkOptions("approvals", options, approvalOptions);
  if (typeof options.quorum === "number") expectQuorum(options.quorum);
  return options;
}

/** @throws LastcallError `configuration` if it is no number of people. */
function expectQuorum(quorum: unknown): number {
  if (typeof quorum === "number" && Number.isSafeInteger(quorum) && quorum >= 1 && quorum <= mostPeople) return quorum;
  const most = String(mostPeople);
  throw new LastcallError(
    "configuration",
    `approvals.quorum is ${String(quorum)}: give a whole number from 1 to ${most}.`,
  );
}

const mostPeople = 1000;

/**
 * The number of people who have to say yes to a call, the most of all rules.
 * @throws whatever a rule throws; LastcallError `configuration` if its answer is no number of people.
 */
export async function quorumOf(rules: readonly ApprovalOptions[], call: FrozenCall): Promise<number> {
  let most = 1;
  for (const { quorum = 1 } of rules) {
    const needed = expectQuorum(typeof quorum === "function" ? await quorum(call) : quorum);
    most = Math.max(most, needed);
  }
  return most;
}

/** An answer to a call that waits, and the answers before it. */
export interface GivenAnswer {
  readonly allowed: boolean;
  readonly always: boolean;
  readonly by: Principal | undefined;
  /** The number of people who have to say yes. */
  readonly quorum: number;
  /** The people who said yes before. */
  readonly given: readonly Principal[];
}

/**
 * Checks that an answer counts for a call: by every rule, and by the quorum.
 * @throws LastcallError `not_allowed` that says why it does not. A yes for later calls as well does not count if rules say who may approve.
 */
export async function expectCounts(
  rules: readonly ApprovalOptions[],
  call: FrozenCall,
  { allowed, always, by, quorum, given }: GivenAnswer,
): Promise<void> {
  const what = `${call.name} (${call.id})`;
  const who = by === undefined ? "A caller without a name" : principalWords(by);
  for (const { mayApprove } of rules) {
    const why = mayApprove === undefined ? undefined : await refusalBy(mayApprove, by, call);
    if (why !== undefined) throw refused(`${who} may not approve or refuse ${what}: ${why}. The call waits on.`);
  }
  if (!allowed) return;
  if (always && (quorum > 1 || rules.some(({ mayApprove }) => mayApprove !== undefined)))
    throw refused(
      `The yes to ${what} has \`always\`, and each of these calls needs its own yes, since rules say who may approve it: leave it out.`,
    );
  if (quorum === 1) return;
  if (by === undefined)
    throw refused(`${what} needs the yes of ${String(quorum)} people, and a caller without a name counts for nobody.`);
  if (!given.some((one) => isSamePrincipal(one, by))) return;
  const missing = quorum - given.length;
  throw refused(`${who} has said yes to ${what} already: ${String(missing)} more of ${String(quorum)} people have to.`);
}

/** Why a rule refuses the giver of an answer; undefined if it lets the answer count. */
async function refusalBy(
  mayApprove: NonNullable<ApprovalOptions["mayApprove"]>,
  by: Principal | undefined,
  call: FrozenCall,
): Promise<string | undefined> {
  try {
    const answer: unknown = await mayApprove(by, call);
    if (answer === true) return undefined;
    return typeof answer === "string" && answer.trim() !== "" ? answer : "the rules of the agent say so";
  } catch (thrown) {
    return `the rules could not be asked (${explain(thrown)})`;
  }
}

function refused(message: string): LastcallError {
  return new LastcallError("not_allowed", message);
}

/** The people whose yes a call needs, after these answers; undefined if one yes is enough. */
export function quorumFor(
  { quorum = 1 }: Pick<ParkedRecord, "quorum">,
  yeses: readonly { readonly by?: Principal }[],
): AwaitedQuorum | undefined {
  if (quorum === 1) return undefined;
  const given = yeses.flatMap(({ by }) => by ?? []);
  return { needed: quorum, given, missing: quorum - given.length };
}
