// Runs from the input to the outcome. Every fault and abort in between becomes an outcome.

import { abortedBy, whyAborted } from "../time/abort.js";
import { aroundRun } from "./around-run.js";
import { expiredAt, readAnswer, readReplyTo, textOf, type Input, type RunInput } from "./answer.js";
import { askingOf, proofOf, readApproval } from "./read-approval.js";
import { expectAnswerCounts } from "../call/asked-call.js";
import { noUsage } from "../data/call.js";
import { isOpen } from "../journal/circuit.js";
import { mend } from "../loop/close.js";
import { tellEnded } from "../call/tell-work.js";
import { tellDrift } from "./define.js";
import { definitionToRecord } from "../run/definition-to-record.js";
import { asFault, LastcallError } from "../data/fault.js";
import type { Conclusion } from "../ports/outcome.js";
import { loop } from "../loop/loop.js";
import type { Aborted, AnyOutcome, Ended, Failed } from "../ports/outcome.js";
import { newMark } from "../journal/outside.js";
import { nonceFor } from "../run/nonce.js";
import { recount } from "../run/recount.js";
import { Suspended } from "../time/suspension.js";
import type { Run } from "../run/run.js";
import { accountOf, readLastOutcome, readOutcome, withValue } from "./read-outcome.js";
import type { JournalRecord, ParkedRecord, QuestionRecord } from "../journal/record.js";
import { takes } from "../journal/run-state.js";
import { dueOf, emptyState, isHeld, isLimitQuestion, isOfClient, type State } from "../journal/state.js";
import { wait } from "../time/stage.js";
import type { Stage } from "../ports/event.js";

/**
 * Runs with the input, unless the journal has the same answer or an input of the same id already. Then it returns the outcome of the run
 * that took it, and resumes that run first if it has not ended. Without an input, a completed session returns its outcome.
 */
export function* runUnlessAnswered(run: Run, start: RunInput): Stage<AnyOutcome> {
  const { input } = start;
  const known = isForMorePeople(run.state, start) ? { inputId: start.inputId } : start;
  const isTaken = (record: JournalRecord): boolean => takes(record, known);
  const isDone = input === undefined && run.state.ended === "completed";
  const done = isDone ? yield* wait(readLastOutcome(run)) : undefined;
  if (done !== undefined) return done;
  const earlier = yield* wait(readOutcome(run, isTaken));
  if (earlier !== undefined) return joined(earlier);
  const isUnfinished = run.session.records.some(isTaken);
  try {
    yield* open(run, isUnfinished ? { input: undefined } : start);
  } catch (thrown) {
    return yield* end(run, abortedOrFailed(run, thrown), emptyState);
  }
  return yield* aroundRun(run, work(run), (thrown) => end(run, abortedOrFailed(run, thrown)));
}

/** True if the call that the input answers still needs more people, and no run goes on: a person who has said yes is told so. */
function isForMorePeople(state: State, { answers }: RunInput): boolean {
  const due = answers === undefined ? undefined : dueOf(state, answers);
  return due?.type === "parked" && due.quorum !== undefined && state.ended !== undefined;
}

/** The outcome of another caller's run, for this caller: its usage counts in the outcome of that run alone. */
function joined(outcome: AnyOutcome): AnyOutcome {
  return { ...untold(outcome), joined: true };
}

/** Loops, and returns the outcome. */
function* work(run: Run): Stage<AnyOutcome> {
  let ending: Ending;
  try {
    yield* wait(recount(run));
    ending = yield* loop(run);
  } catch (thrown) {
    ending = abortedOrFailed(run, thrown);
  }
  return yield* end(run, ending);
}

/**
 * Ends the run and returns the outcome. `account` is the state that tells its amounts: a run that could not record its input has not begun,
 * so it has no amounts, and no end in the journal either.
 */
function* end(run: Run, ending: Ending, account?: State): Stage<AnyOutcome> {
  let last = ending;
  run.early.discard();
  if ("suspended" in last) return yield* leaveOpen(run, last);
  try {
    // A call that waits for an approval, or was answered and has not begun, keeps its iteration open.
    if (!isHeld(run.state)) yield* mend(run);
    if (!run.state.open) yield* tellEnded(run);
    yield* wait(run.background.close());
    if (account === undefined) yield* wait(recordEnd(run, last));
  } catch (thrown) {
    last = failed(run, thrown);
  }
  run.purse.dropNext();
  const ended = { ...(yield* wait(withValue(run, run.state, last))), ...accountOf(run, account ?? run.state) };
  // A stored run whose end could not be recorded is still open: the outcome of the process that goes on with it tells the
  // amounts.
  return run.lease !== undefined && run.state.ended === undefined ? untold(ended) : ended;
}

/**
 * Ends this process's part of a run that is suspended. The journal gets no end, so a resume goes on as after a crash. The amounts are told
 * by the outcome of the run that goes on. Agents in the background are suspended too; their work is not told as ended.
 */
function* leaveOpen(run: Run, ending: Ending): Stage<AnyOutcome> {
  let last = ending;
  try {
    const agents = run.state.background.filter((call) => call.hasChild === true && run.canRunAgain(call));
    yield* wait(run.background.ended(agents.map(({ work }) => work)));
    if (!run.state.open) yield* tellEnded(run);
    yield* wait(run.background.close());
    yield* wait(run.lease?.stored());
  } catch (thrown) {
    last = failed(run, thrown);
  }
  run.purse.dropNext();
  run.suspension?.left();
  return { ...(yield* wait(withValue(run, run.state, last))), ...untold(accountOf(run, run.state)) };
}

/** The same fields of an outcome without its amounts: another outcome tells them. */
function untold<Ending extends Ended>(ended: Ending): Ending {
  return { ...ended, usage: noUsage, ...("cost" in ended && { cost: 0 }), iterations: 0 };
}

/**
 * Starts a run, or continues the last run: without an input if it has not ended, or if a call that was answered has yet to run; with the
 * answer to a call that waits. Records the input, the answer, or that the run continues.
 */
function open(run: Run, start: RunInput): Stage {
  const { input, answers, givenAt = run.now } = start;
  const { state } = run;
  // Several calls may wait. The first is answered, or the call that the caller names.
  const due = dueOf(state, answers) ?? dueOf(state);
  const expired = expiredAt(state, givenAt);
  if (expired !== undefined) run.notBefore(expired);
  const lapsed = due !== undefined && expired !== undefined;
  // A client gives the result of a call by its id. Words of the user are no result.
  if (due !== undefined && isLimitQuestion(state, due) && typeof input === "string" && answers === undefined)
    return beginInstead(run, start, due);
  const isForClient = due !== undefined && answers === undefined && isOfClient(state, due.name);
  if (input !== undefined && due !== undefined && !lapsed && !isForClient)
    return due.type === "parked" ? approve(run, { ...start, input }, due) : answer(run, { ...start, input }, due);
  const goesOn = state.ended === undefined || (due === undefined && isHeld(state));
  const isResumed = input === undefined && state.run > 0 && goesOn && !lapsed;
  return isResumed ? resume(run, start) : begin(run, start, state.run + 1);
}

type Ending = Conclusion | Omit<Aborted, keyof Ended> | Omit<Failed, keyof Ended>;

/** Words of a person who may refuse that the run goes on at its limit are the next run's, as after a run that a limit stopped. */
function* beginInstead(run: Run, start: RunInput, due: ParkedRecord | QuestionRecord): Stage {
  yield* wait(expectAnswerCounts(askingOf(run), due, { allowed: false, by: start.by }));
  yield* begin(run, start, run.state.run + 1);
}

function* begin(run: Run, start: RunInput, number: number): Stage {
  const { input, inputId, givenAt, by, notes = [], attachments: files = [] } = start;
  yield { type: "run-start", session: run.session.id, run: number, input: textOf(input ?? "") };
  const answer = yield* wait(readAnswer(run, start));
  const attachments = yield* wait(Promise.all(files.map((file) => run.attachments.keep(file))));
  yield* mend(run);
  const { circuit, definition } = run.state;
  yield* wait(
    run.append({
      type: "input",
      run: number,
      ...answer,
      ...(attachments.length > 0 && { attachments }),
      ...(inputId !== undefined && { sent: inputId }),
      ...(givenAt !== undefined && { givenAt }),
      ...(by !== undefined && { by }),
      ...nonceFor(run.parts),
      life: newMark(run.parts.runtime),
      ...(number === 1 && notes.length > 0 && { notes }),
      ...definitionToRecord(run.state, run.parts.definition),
    }),
  );
  yield* tellDrift(definition, run.parts);
  if (isOpen(circuit, run.parts.circuit)) yield { type: "circuit-close" };
}

/** Records the answer to a parked call. The run goes on. */
function* approve(
  run: Run,
  { input, answers, inputId, givenAt, by, attachments = [] }: RunInput & { readonly input: Input },
  parked: ParkedRecord,
): Stage {
  refuseAttachments(attachments, parked.name);
  const { definition, run: number, nonce } = run.state;
  const approved = readApproval(parked, input, answers);
  const missing = yield* wait(expectAnswerCounts(askingOf(run), parked, { ...approved, by }));
  const given = { ...approved, ...(missing > 0 && { missing }) };
  yield { type: "run-start", session: run.session.id, run: number, input: textOf(input), resumed: true };
  yield* wait(
    run.append({
      type: "approval",
      ...given,
      ...(yield* wait(
        proofOf(run, parked, { ...given, ...(givenAt !== undefined && { givenAt }), ...(by && { by }) }),
      )),
      ...(inputId !== undefined && { sent: inputId }),
      ...(givenAt !== undefined && { givenAt }),
      ...(by !== undefined && { by }),
      life: newMark(run.parts.runtime),
      ...(nonce === undefined && nonceFor(run.parts)),
      ...definitionToRecord(run.state, run.parts.definition),
    }),
  );
  yield* tellDrift(definition, run.parts);
}

/** Records the answer to the question of a call. The run goes on, and the call runs again. */
function* answer(
  run: Run,
  { input, answers, inputId, givenAt, by, attachments = [] }: RunInput & { readonly input: Input },
  question: QuestionRecord,
): Stage {
  refuseAttachments(attachments, question.name);
  const { definition, run: number, nonce } = run.state;
  const reply = yield* wait(readReplyTo(run, question, { input, answers, by }));
  yield { type: "run-start", session: run.session.id, run: number, input: textOf(input), resumed: true };
  yield* wait(
    run.append({
      type: "answer",
      ...reply,
      ...(inputId !== undefined && { sent: inputId }),
      ...(givenAt !== undefined && { givenAt }),
      ...(by !== undefined && { by }),
      life: newMark(run.parts.runtime),
      ...(nonce === undefined && nonceFor(run.parts)),
      ...definitionToRecord(run.state, run.parts.definition),
    }),
  );
  yield* tellDrift(definition, run.parts);
}

/** An answer to a call of an open reply has no place for files. */
function refuseAttachments(attachments: readonly unknown[], tool: string): void {
  if (attachments.length === 0) return;
  const message = `The session waits for an answer to ${tool}, which takes no attachments: answer it first.`;
  throw new LastcallError("configuration", message);
}

/** Continues a run that its process left. */
function* resume(run: Run, { inputId, by }: RunInput): Stage {
  yield { type: "run-start", session: run.session.id, run: run.state.run, input: "", resumed: true };
  const { definition } = run.state;
  yield* wait(
    run.append({
      type: "resume",
      ...(inputId !== undefined && { sent: inputId }),
      ...(by !== undefined && { by }),
      life: newMark(run.parts.runtime),
      ...(run.state.nonce === undefined && nonceFor(run.parts)),
      ...definitionToRecord(run.state, run.parts.definition),
    }),
  );
  yield* tellDrift(definition, run.parts);
}

async function recordEnd(run: Run, ending: Ending): Promise<void> {
  const { status } = ending;
  const by = status === "aborted" ? abortedBy(run.signal) : undefined;
  await run.append({
    type: "outcome",
    status,
    ...(status === "stopped" && { reason: ending.reason }),
    ...(status === "failed" && { reason: ending.fault.code }),
    ...("message" in ending && { message: ending.message }),
    ...(by && { by }),
  });
}

/** The ending of a run that threw: suspended, aborted if the signal caused it, otherwise failed. */
function abortedOrFailed(run: Run, thrown: unknown): Ending {
  const partial = { text: run.state.text };
  if (thrown instanceof Suspended) return { status: "aborted", suspended: true, message: thrown.message, partial };
  if (!run.signal.aborted || thrown instanceof LastcallError) return failed(run, thrown);
  return { status: "aborted", message: whyAborted(run.signal), partial };
}

function failed({ state }: Run, thrown: unknown): Omit<Failed, keyof Ended> {
  const fault = asFault(thrown);
  return { status: "failed", message: fault.message, fault, partial: { text: state.text } };
}
