// Custom events: the parts of a run that AG-UI has no event for.

import type { Event, JournalRecord, State } from "../../core/index.js";
import { verificationOf } from "../../core/internal.js";
import type { AguiEvent } from "./agui-event.js";

type Recorded<Type extends JournalRecord["type"]> = Extract<JournalRecord, { readonly type: Type }>;
type Happened<Type extends Event["type"]> = Extract<Event, { readonly type: Type }>;

/** The states before and after a record. */
interface Step {
  readonly before: State;
  readonly after: State;
}

/** The custom event of each record that has one. */
const ofRecord: {
  readonly [Type in JournalRecord["type"]]?: (record: Recorded<Type>, step: Step) => AguiEvent | undefined;
} = {
  check: ({ check, when, passed, output, exitCode, duration, digest, changed = [] }) => {
    const status = passed ? "passed" : "failed";
    return custom("check", { check, when, status, output, exitCode, duration, digest, changed });
  },
  notice: ({ type: _type, seq: _seq, at: _at, definition: _definition, ...notice }) => custom("notice", notice),
  claim: ({ by, receipts, unverified = [] }) =>
    receipts.length === 0
      ? undefined
      : custom("receipts", { by, verified: verificationOf(receipts), receipts, unverified }),
  iteration: (_record, { before, after }) => {
    const { signature, count, inARow } = after.circuit;
    if (inARow > 0) return custom("circuit", { status: "failure", signature, count, inARow });
    return before.circuit.inARow > 0 ? custom("circuit", { status: "closed", count: 0, inARow: 0 }) : undefined;
  },
  "hand-over": ({ callId, speakers }) => custom("hand-over", { callId, to: speakers }),
  "background-end": ({ callId, work, result: { ok, text, shown = text } }) =>
    custom("background", { callId, work, ok, text: shown }),
};

/** The custom event of each event that no record tells, and that has one. */
const ofEvent: { readonly [Type in Event["type"]]?: (event: Happened<Type>) => AguiEvent } = {
  "check-start": ({ check, when }) => custom("check", { check, when, status: "running" }),
  "call-progress": ({ callId, progress }) => custom("progress", { callId, progress: progress ?? null }),
  "request-retry": ({ attempt, delay, reason }) => custom("retry", { attempt, delay, reason }),
};

/** The custom event of a record; undefined if it has none. */
export function customOf(record: JournalRecord, step: Step): AguiEvent | undefined {
  const make = ofRecord[record.type] as ((record: JournalRecord, step: Step) => AguiEvent | undefined) | undefined;
  return make?.(record, step);
}

/** The custom event of an event that no record tells; undefined if it has none. */
export function customOfEvent(event: Event): AguiEvent | undefined {
  const make = ofEvent[event.type] as ((event: Event) => AguiEvent) | undefined;
  return make?.(event);
}

function custom(name: string, value: unknown): AguiEvent {
  return { type: "CUSTOM", name: `lastcall.${name}`, value };
}
