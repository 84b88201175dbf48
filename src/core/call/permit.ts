// Permits one resolved call: asks the permission and records its decision, or parks the call until somebody answers.

import { quorumFor, quorumOf } from "../approvals/approval-rules.js";
import { unlessAborted } from "../time/abort.js";
import type { Decision, Later, OpenableWall } from "../data/decision.js";
import { explain } from "../data/fault.js";
import { canonical } from "../data/json.js";
import type { ApprovalRecord, ParkedRecord } from "../journal/record.js";
import { isParked } from "../journal/state.js";
import { sha256 } from "../journal/verify-receipt.js";
import type { FrozenCall, GivenApproval } from "../ports/permission.js";
import type { Run } from "../run/run.js";
import { askPermission, type Permit } from "./ask-permission.js";
import { storeValue } from "./claim-value.js";
import type { ResolvedCall } from "./resolve.js";
import { headOf } from "../text/cut.js";
import { wait } from "../time/stage.js";
import type { Stage } from "../ports/event.js";

/** Characters of a preview that the journal keeps. */
const maxPreview = 20_000;

/**
 * Asks the permission and records its decision. Returns undefined if the call is parked: it then has no result until somebody answers. A
 * call that was answered is put to permission again, with the answer.
 */
export function* permit(run: Run, ready: ResolvedCall): Stage<Permit | undefined> {
  const { frozen } = ready;
  const waiting = run.state.unanswered.find(({ callId }) => callId === frozen.id);
  // A hook may try once more what has just been parked.
  if (waiting !== undefined && isParked(waiting)) return undefined;
  const { parked, approval, questions = [] } = waiting ?? {};
  let answer: Permit | Later;
  if (parked !== undefined && approval !== undefined) answer = yield* askAgain(run, ready, { parked, approval });
  else if (questions.length > 0) answer = yield* askOnceMore(run, ready, waiting?.opened ?? []);
  else answer = yield* askPermission(run, ready, undefined);
  if ("later" in answer) {
    const quorum = yield* wait(readQuorum(run, frozen));
    if (typeof quorum === "number") {
      yield* park(run, ready, { ...answer, quorum });
      return undefined;
    }
    answer = quorum;
  }
  const { error: _error, ...decision } = answer;
  yield* wait(run.append({ type: "decision", callId: frozen.id, ...decision }));
  yield { type: "call-decision", callId: frozen.id, ...decision };
  return answer;
}

/** The digest of a call for the person who approves it: equal for the same tool, in the same definition, and the same arguments. */
export function digestOf({
  name,
  input,
  definition,
}: Pick<FrozenCall, "name" | "input" | "definition">): Promise<string> {
  return sha256(canonical(definition === undefined ? [name, input] : [name, input, definition]));
}

/** The number of people who have to approve the call. A number that can't be read denies the call. */
async function readQuorum(run: Run, frozen: FrozenCall): Promise<number | Permit> {
  try {
    return await run.time.without(unlessAborted(quorumOf(run.approvals, frozen), run.signal));
  } catch (error) {
    run.signal.throwIfAborted();
    return { ...no(`nobody could say how many people have to approve it (${explain(error)})`), error };
  }
}

/** Records that the call waits for an approval. */
function* park(
  run: Run,
  { call, frozen }: ResolvedCall,
  { reason, expiresAfter, quorum }: Later & { readonly quorum: number },
): Stage {
  const { parts } = run;
  const { id: callId, name, input } = frozen;
  const tool = parts.tools.find(name);
  const [digest, text] = [yield* wait(digestOf(frozen)), yield* wait(describe(run, frozen))];
  const { value, ...source } = yield* wait(storeValue(tool, input, call));
  const about = {
    digest,
    // A secret that is cut in two would not be found any more.
    ...(text !== undefined && { preview: bounded(parts.secrets.text(text)) }),
    ...(expiresAfter !== undefined && { expiresAt: run.now + expiresAfter }),
  };
  const stored = { input: value as ParkedRecord["input"], ...source };
  const people = quorumFor({ quorum }, []);
  yield* wait(run.append({ type: "parked", callId, name, ...stored, reason, ...about, ...(people && { quorum }) }));
  yield { type: "call-parked", callId, name, why: reason, ...about, ...(people && { quorum: people }) };
}

/** The tool's description of what the call would do. A preview that throws says so, because the call would most likely fail as well. */
async function describe({ parts, signal, time }: Run, { name, input }: FrozenCall): Promise<string | undefined> {
  const preview = parts.tools.find(name)?.tool.preview;
  if (preview === undefined) return undefined;
  try {
    return await time.without(unlessAborted((async () => preview(input, signal))(), signal));
  } catch (thrown) {
    signal.throwIfAborted();
    return `It will most likely fail: ${explain(thrown)}`;
  }
}

function bounded(text: string): string {
  if (text.length <= maxPreview) return text;
  return `${headOf(text, maxPreview)}\n[... ${String(text.length - maxPreview)} more characters ...]`;
}

/** The records of a call that was parked and answered. */
interface Answered {
  readonly parked: ParkedRecord;
  readonly approval: ApprovalRecord;
}

/** Asks about a call that somebody has answered. A no stays a no, and the answer counts for exactly the call that was parked. */
function* askAgain(run: Run, ready: ResolvedCall, { parked, approval }: Answered): Stage<Permit> {
  const given = givenBy(approval);
  if ((yield* wait(digestOf(ready.frozen))) !== parked.digest)
    return no("its arguments, or the definition of its tool, are no longer those that the answer is about");
  const answer = yield* askPermission(run, ready, given);
  if ("later" in answer)
    return no(given.allowed ? "it was approved, and permission did not take the answer" : given.reason);
  return given.allowed || !answer.allowed ? answer : no(given.reason);
}

/**
 * Asks about a call that was allowed, and that has the answer to its question now: a person is not asked twice. No wall is open to it that
 * was not open before: the answer to the question was not about walls.
 */
function* askOnceMore(run: Run, ready: ResolvedCall, opened: readonly OpenableWall[]): Stage<Permit> {
  const given = { allowed: true, reason: "it was allowed before it asked", basis: "approver", always: false } as const;
  const decided = yield* askPermission(run, ready, given);
  if ("later" in decided) return no("it was allowed, and permission did not take the answer");
  const { opens = [], ...decision } = decided;
  const open = opens.filter((wall) => opened.includes(wall));
  return open.length === 0 ? decision : { ...decision, opens: open };
}

function givenBy({ allowed, reason, always = false, by }: ApprovalRecord): GivenApproval {
  const words = reason ?? (allowed ? "it was approved" : "it was not approved");
  return { allowed, reason: words, basis: "approver", always, ...(by !== undefined && { by }) };
}

function no(reason: string): Decision {
  return { allowed: false, reason, basis: "approver" };
}
