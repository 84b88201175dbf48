// Live: one run from its start to its end, whatever happens in between.

import { whyAborted } from "../time/abort.js";
import { readAnswer, textOf, type Input } from "./answer.js";
import { isOpen } from "../journal/circuit.js";
import { mend } from "../loop/close.js";
import { definitionFor, tellDrift } from "./define.js";
import type { Event } from "../ports/event.js";
import { asFault, LastcallError } from "../data/fault.js";
import type { Conclusion } from "../ports/conclusion.js";
import { loop } from "../loop/loop.js";
import type { Note } from "../data/note.js";
import type { Aborted, Ended, Failed, Outcome } from "../ports/outcome.js";
import { newNonce } from "../journal/outside.js";
import { readsOutside } from "../words/system-prompt.js";
import type { Run } from "../run/run.js";
import { accountOf, readOutcome } from "./read-outcome.js";
import type { JournalRecord } from "../journal/record.js";
import { emptyState } from "../journal/state.js";

/** What a run starts with. */
export interface Start {
  /** The user's words, or a typed reply; undefined to go on with what was left. */
  readonly input: Input | undefined;
  /** The call that they answer, where that was said. */
  readonly answers?: string | undefined;
  /** The id under which the words were sent to the session, where they were. */
  readonly sent?: string | undefined;
  /** What a new session begins with. */
  readonly notes?: readonly Note[] | undefined;
}

/** Starts, unless the words were given before, as an answer or through the inbox: then their run's outcome is returned, or gone on for. */
export async function* runUnlessAnswered(run: Run, start: Start): AsyncGenerator<Event, Outcome, void> {
  const { answers, sent } = start;
  const isGiven = (record: JournalRecord): boolean =>
    (answers !== undefined && "answers" in record && record.answers === answers) ||
    (sent !== undefined && "sent" in record && record.sent === sent);
  if (!run.session.records.some(isGiven)) return yield* runToEnd(run, start);
  return readOutcome(run, isGiven) ?? (yield* runToEnd(run, { input: undefined }));
}

/** Starts with the input, or with what a run left; loops, and returns the outcome. */
async function* runToEnd(run: Run, start: Start): AsyncGenerator<Event, Outcome, void> {
  let ending: Ending;
  const goesOn = start.input === undefined && run.state.run > 0 && run.state.ended === undefined;
  const number = run.state.run + (goesOn ? 0 : 1);
  try {
    yield* goesOn ? again(run) : begin(run, start, number);
    ending = yield* loop(run);
  } catch (thrown) {
    ending = broken(run, thrown);
  }
  try {
    yield* mend(run);
    // A run whose input could not be recorded never began.
    if (run.state.run === number) await end(run, ending);
  } catch (thrown) {
    ending = failed(run, thrown);
  }
  run.purse.dropNext();
  return { ...ending, ...accountOf(run, run.state.run === number ? run.state : emptyState) };
}

type Ending = Conclusion | Omit<Aborted, keyof Ended> | Omit<Failed, keyof Ended>;

async function* begin(
  run: Run,
  { input, answers: due, sent, notes = [] }: Start,
  number: number,
): AsyncGenerator<Event, void, void> {
  yield { type: "run-start", session: run.session.id, run: number, input: textOf(input ?? "") };
  const answer = await readAnswer(run, input, due);
  yield* mend(run);
  const { circuit, definition } = run.state;
  await run.append({
    type: "input",
    run: number,
    ...answer,
    ...(sent !== undefined && { sent }),
    ...nonceFor(run),
    ...(number === 1 && notes.length > 0 && { notes }),
    ...definitionFor(run),
  });
  yield* tellDrift(definition, run.parts);
  if (isOpen(circuit, run.parts.circuit)) yield { type: "circuit-close" };
}

/** A run that was left by its process goes on where it was. */
async function* again(run: Run): AsyncGenerator<Event, void, void> {
  yield { type: "run-start", session: run.session.id, run: run.state.run, input: "", resumed: true };
  const { definition } = run.state;
  await run.append({ type: "resume", ...(run.state.nonce === undefined && nonceFor(run)), ...definitionFor(run) });
  yield* tellDrift(definition, run.parts);
}

/** A new nonce, where results from outside are to be wrapped. */
function nonceFor({ parts }: Run): { readonly nonce?: string } {
  return readsOutside(parts.tools) ? { nonce: newNonce(parts.runtime) } : {};
}

async function end(run: Run, ending: Ending): Promise<void> {
  const { status } = ending;
  await run.append({
    type: "outcome",
    status,
    ...(status === "stopped" && { reason: ending.reason }),
    ...(status === "failed" && { reason: ending.fault.code }),
    ...("message" in ending && { message: ending.message }),
  });
}

function broken(run: Run, thrown: unknown): Ending {
  if (!run.signal.aborted || thrown instanceof LastcallError) return failed(run, thrown);
  return { status: "aborted", message: whyAborted(run.signal), partial: { text: run.state.text } };
}

function failed({ state }: Run, thrown: unknown): Omit<Failed, keyof Ended> {
  const fault = asFault(thrown);
  return { status: "failed", message: fault.message, fault, partial: { text: state.text } };
}
