// The recording: a journal by its runs and its effects, as a replay looks things up in it.

import { LastcallError, type JournalRecord, type JournalResult, type Session } from "../../core/index.js";
import {
  beginsRun,
  checkSession,
  type Beginning,
  type CheckRecord,
  type ClaimRecord,
  type DecisionRecord,
  type FoldRecord,
  type OutcomeRecord,
  type ParkedRecord,
  type QuestionRecord,
  type RecordPlace,
  type ReplyRecord,
  type SteerRecord,
} from "../../core/internal.js";

/** A record with its place. */
type Placed<Body> = Body & RecordPlace;

/** Everything that the journal has about one call. */
export interface RecordedCall {
  readonly result: Placed<{ readonly result: JournalResult }> | undefined;
  readonly claim: Placed<ClaimRecord> | undefined;
  /** The decisions about it, oldest first. A parked call has one more for each wait. */
  readonly decisions: readonly Placed<DecisionRecord | ParkedRecord>[];
  readonly questions: readonly Placed<QuestionRecord>[];
  /** True if the call ran an agent. */
  readonly hasChild: boolean;
}

/** A place in a session: a run and the number of its last reply. */
export interface Place {
  readonly run: number;
  readonly iteration: number;
}

/** A journal by its runs and its effects. */
export interface Recording {
  readonly session: Session;
  /** The number of records before the first run of an agent: messages from elsewhere, which a replay begins with. */
  readonly given: number;
  /** The records that begin a run or go on with it. */
  readonly beginnings: readonly Beginning[];
  /** The replies of a run. */
  replies(run: number): readonly Placed<ReplyRecord>[];
  /** The call with this key, without the session and the life. */
  call(key: string): RecordedCall | undefined;
  /** The verdicts of a check at a place, oldest first. */
  checks(place: string): readonly Placed<CheckRecord>[];
  /** The data of each check's `begin`, by the check's name. */
  begun(check: string): unknown;
  /** The messages that the user sent after this iteration. */
  steers(place: Place): readonly Placed<SteerRecord>[];
  /** The summary that was made after this iteration; undefined if none was. */
  fold(place: Place): FoldRecord | undefined;
  /** The number of steps that shortened the prompt after this iteration. */
  rewrites(place: Place): number;
  /** The last end of a run; undefined if it has none. */
  end(run: number): Placed<OutcomeRecord> | undefined;
}

/** The key of an effect without the session and the lives, such as `1/call:3:0` or `1/model:3`. Equal in a replay. */
export function effectOf(id: string, session: string): string {
  const rest = id.startsWith(`${session}/`) ? id.slice(session.length + 1) : id;
  const [, run, effect = "", more = ""] =
    /^(?:[0-9a-z]{6}\/)?(\d+)\/([a-z]+(?::[^:/]+)*?)(?::[0-9a-z]{6})?(\/.*)?$/.exec(rest) ?? [];
  return run === undefined ? rest : `${run}/${effect}${more}`;
}

/** The place of a check's verdict: its run, the iteration, its time and its name. One claim of a reply is checked at most. */
export function checkPlace({ run, iteration }: Place, when: string, check: string): string {
  return [run, when === "baseline" ? 0 : iteration, when, check].join(" ");
}

/** The records that a replay can't repeat, with the reasons. */
const unrepeatable: Partial<Record<JournalRecord["type"], string>> = {
  background: "a call went on in the background, and the model was told of its end at a time that no replay has",
  expiry: "an iteration ran out of time, and a replay keeps no time",
};

/**
 * Reads a journal.
 * @throws LastcallError `configuration` if it is none, has no run, or has a record that no replay can repeat.
 */
export function readRecording(session: Session): Recording {
  checkSession(session);
  const { id, records } = session;
  const refuse = (why: string): LastcallError =>
    new LastcallError("configuration", `The session ${id} can't be replayed: ${why}.`);
  for (const { type, seq } of records) {
    const reason = unrepeatable[type];
    const before = `lastcall fork ${id}@${String(seq)} copies what was before it`;
    if (reason !== undefined) throw refuse(`${reason} (record ${String(seq)}; ${before})`);
  }
  const first = records.find((record) => beginsRun(record) && record.definition !== undefined);
  if (first === undefined)
    throw refuse("it has no run, or an older version wrote it; replay one that a run of this version has begun");
  const read = new JournalReader(id);
  for (const record of records) read.take(record);
  const listed = <Body>(key: string): readonly Placed<Body>[] => read.list(key) as unknown as Placed<Body>[];
  return {
    session,
    given: first.seq,
    beginnings: records.slice(first.seq).filter(beginsRun),
    replies: (run) => listed(`reply ${String(run)}`),
    call: (key) => read.calls.get(key),
    checks: (where) => listed(`check ${where}`),
    begun: (check) => read.begun[check],
    steers: (place) => listed(`steer ${inWords(place)}`),
    fold: (place) => listed<FoldRecord>(`fold ${inWords(place)}`).at(-1),
    rewrites: (place) =>
      ["stub", "fold", "prune"].reduce((sum, type) => sum + read.list(`${type} ${inWords(place)}`).length, 0),
    end: (run) => listed<OutcomeRecord>(`outcome ${String(run)}`).at(-1),
  };
}

/** The readers of records, by type. */
type Readers = {
  readonly [Type in JournalRecord["type"]]?: (record: Extract<JournalRecord, { readonly type: Type }>) => void;
};

/** Reads the records one by one, and lists them by their places. */
class JournalReader {
  readonly calls = new Map<string, RecordedCall>();
  begun: Readonly<Record<string, unknown>> = {};
  readonly #session: string;
  readonly #lists = new Map<string, JournalRecord[]>();
  #place: Place = { run: 0, iteration: 0 };
  readonly #readers: Readers = {
    input: ({ run }) => {
      this.#place = { run, iteration: 0 };
    },
    reply: (record) => {
      this.#place = { ...this.#place, iteration: record.iteration };
      this.#keep(`reply ${String(this.#place.run)}`, record);
    },
    steer: (record) => {
      this.#keep(`steer ${inWords(this.#place)}`, record);
    },
    fold: (record) => {
      this.#keep(`fold ${inWords(this.#place)}`, record);
    },
    stub: (record) => {
      this.#keep(`stub ${inWords(this.#place)}`, record);
    },
    prune: (record) => {
      this.#keep(`prune ${inWords(this.#place)}`, record);
    },
    result: (record) => {
      this.#add(record.result.callId, () => ({ result: record }));
    },
    claim: (record) => {
      this.#add(record.callId, () => ({ claim: record }));
    },
    decision: (record) => {
      this.#add(record.callId, ({ decisions }) => ({ decisions: [...decisions, record] }));
    },
    parked: (record) => {
      this.#add(record.callId, ({ decisions }) => ({ decisions: [...decisions, record] }));
    },
    question: (record) => {
      this.#add(record.callId, ({ questions }) => ({ questions: [...questions, record] }));
    },
    child: (record) => {
      this.#add(record.callId, () => ({ hasChild: true }));
    },
    check: (record) => {
      this.#keep(`check ${checkPlace(this.#place, record.when, record.check)}`, record);
    },
    baseline: ({ begun }) => {
      this.begun = { ...this.begun, ...begun };
    },
    outcome: (record) => {
      this.#keep(`outcome ${String(this.#place.run)}`, record);
    },
  };

  constructor(session: string) {
    this.#session = session;
  }

  take(record: JournalRecord): void {
    (this.#readers[record.type] as ((record: JournalRecord) => void) | undefined)?.(record);
  }

  list(key: string): readonly JournalRecord[] {
    return this.#lists.get(key) ?? [];
  }

  #keep(key: string, record: JournalRecord): void {
    const list = this.#lists.get(key) ?? [];
    list.push(record);
    this.#lists.set(key, list);
  }

  #add(id: string, change: (call: RecordedCall) => Partial<RecordedCall>): void {
    const key = effectOf(id, this.#session);
    const call = this.calls.get(key) ?? noCall;
    this.calls.set(key, { ...call, ...change(call) });
  }
}

function inWords({ run, iteration }: Place): string {
  return `${String(run)} ${String(iteration)}`;
}

const noCall: RecordedCall = {
  result: undefined,
  claim: undefined,
  decisions: [],
  questions: [],
  hasChild: false,
};
