// Parked calls at the command: parks instead of asking, and shows and asks about a call that waits for an approval.

import type {
  AnyApproval,
  AnyOutcome,
  ApprovalAnswer,
  Approver,
  FrozenCall,
  ParkedCall,
  WaitingCall,
} from "../../core/index.js";
import { quorumWords, raiseLimit } from "../../core/internal.js";
import { visible } from "../display/visible.js";
import type { ChildApproval } from "../../tools/index.js";
import type { Style } from "../display/quantities.js";
import { approvalIn, explanation, shown, type Output } from "./approver.js";
import type { Person } from "./person.js";

/** An approver of the command: a person, nobody, or an approver that parks. */
export type CommandApprover = Approver<FrozenCall, AnyApproval>;

/** The approver of `--park` if nobody is there: every call that it is asked about waits for an approval. */
export const parker: CommandApprover = (_call, { why }) => ({ later: true, reason: why });

/** Characters of the digest that the commands name. They tell the calls of a session apart. */
const digestLength = 12;

/** The beginning of a digest, as a person types it. */
function shortDigest({ approval: { digest } }: Pick<ParkedCall, "approval">): string {
  return digest.slice(0, digestLength);
}

/**
 * The call that waits for an approval: the waiting call itself, or the call of an agent which it runs. The answer names its id. Undefined
 * if it waits for something else.
 */
export function approvalOf(waiting: WaitingCall | ParkedCall): ParkedCall | undefined {
  if (waiting.approval !== undefined) return waiting;
  const { by, input, path, approval } = (waiting.value ?? {}) as Partial<ChildApproval>;
  if (waiting.approves === undefined || by === undefined || path === undefined || approval === undefined)
    return undefined;
  return { id: waiting.id, by: [...path, by].join(" > "), input, approval };
}

/** The call that waits for an answer to its question; undefined if an approval is waited for. */
export function questionOf(waiting: WaitingCall | ParkedCall): WaitingCall | undefined {
  return waiting.approval === undefined && approvalOf(waiting) === undefined ? waiting : undefined;
}

/** The claim or the question with which a run has ended, with its value; undefined if it has ended otherwise. */
export function saidIn(outcome: AnyOutcome): { readonly by: string; readonly value: unknown } | undefined {
  if (outcome.status === "completed") return outcome;
  return outcome.status === "waiting" ? questionOf(outcome) : undefined;
}

/** True if no call waits, but a run at its limit, also of an agent that a call runs. */
export function isAtLimit({ by }: Pick<ParkedCall, "by">): boolean {
  return by.split(" > ").at(-1) === raiseLimit;
}

/** The thing that waits for an approval, in words that follow it: of a call, or to go on at a limit. */
export function approvalWords(call: Pick<ParkedCall, "by">): string {
  if (!isAtLimit(call)) return `approval of ${call.by}`;
  const agent = call.by.split(" > ").slice(0, -1).join(" > ");
  return `approval to go on at a limit${agent === "" ? "" : ` of ${agent}`}`;
}

/** The waiting call for people: the tool, the preview or all its arguments, and the reason. A run at its limit has its question alone. */
export async function parkedWords(call: ParkedCall, style: Style): Promise<string> {
  const { why, preview, quorum } = call.approval;
  const path = call.by.split(" > ").slice(0, -1);
  const words = isAtLimit(call)
    ? style.bold(visible([...path, why].join(": ")))
    : await shown(frozen(call), { why, preview: () => Promise.resolve(preview) }, style);
  return quorum === undefined ? words : `${words}\n${visible(quorumWords(quorum))}`;
}

/** The meaning of the next words in a conversation that waits for an approval. */
export function nextWords(call: ParkedCall): string {
  return isAtLimit(call) ? "The next words begin anew, with limits of their own." : "The next words are a no.";
}

/** The two commands that answer, a line each. */
export function answerCommands(call: ParkedCall, session: string): string {
  const rest = `${session} --digest ${shortDigest(call)}`;
  return `To approve: lastcall resume ${rest} --approve\nTo refuse: lastcall resume ${rest} --refuse ["reason"]`;
}

/**
 * Asks the person about a parked call: y, n, a, e or other words, as the approver at the terminal does. The answer counts for exactly this
 * call. Undefined if the person leaves without an answer.
 */
export async function askAbout(
  call: ParkedCall,
  person: Person,
  { style, say, signal }: Output & { readonly signal: AbortSignal },
): Promise<ApprovalAnswer | undefined> {
  const { why, digest } = call.approval;
  say(await parkedWords(call, style));
  for (;;) {
    const question = isAtLimit(call) ? "[y/N] " : "Allow it? [y/N, a = always in this session, e = explain] ";
    const answer = await person.ask(question, signal);
    if (answer === undefined) return undefined;
    const approval = approvalIn(answer.trim());
    if (approval !== undefined) return { ...approval, digest };
    if (isAtLimit(call)) say("A yes raises the limit once, for this run. Any other words are a no, and its reason.");
    else explanation(frozen(call), { why, rule: undefined, kind: undefined }).forEach(say);
  }
}

function frozen({ id, by, input }: ParkedCall): FrozenCall {
  return { id, name: by, effect: undefined, input };
}
