// A run over AG-UI: the hub gets what the client said, and the client gets the events of the run.

import { LastcallError, type JournalRecord } from "../../core/index.js";
import { follow, takes } from "../../core/internal.js";
import { recordsAfter } from "../../memory/index.js";
import { beginning, writeCursor } from "../feed/frame.js";
import type { Delivery, HostedRun, RunEnd } from "../../host/index.js";
import type { SpokenTools } from "../chat/reply-parts.js";
import type { Hub } from "../hub/hub.js";
import { withoutPlaces } from "../hub/without-places.js";
import type { AguiEvent } from "./agui-event.js";
import type { AguiInput } from "./agui-input.js";
import { aguiMapper, type AguiMapper } from "./agui-mapper.js";
import { startsOf } from "./agui-start.js";

/** The hub, the agent of a new session, and the signal that ends the events. */
export interface AguiRunSettings {
  readonly hub: Hub;
  readonly agent: string | undefined;
  /** The tools of one's own that talk. */
  readonly words: SpokenTools;
  readonly signal: AbortSignal;
}

/**
 * Starts a run, or finds the run that took the same input before. Returns its events from its start. They end with the run, or with the
 * signal, which ends no run.
 * @throws LastcallError `configuration` if the session can't take the input; `store` if the store can't keep it.
 */
export async function runAgui(
  input: AguiInput,
  settings: AguiRunSettings,
): Promise<AsyncGenerator<AguiEvent, void, void>> {
  const { hub, agent, words } = settings;
  const session = await hub.idOf(input.threadId);
  const before = await recordsAfter({ store: hub.store, id: session });
  const starts = startsOf(input, before, Date.now());
  const given: { readonly start: Delivery; readonly run: HostedRun }[] = [];
  for (const start of starts) {
    const last = given.at(-1);
    // A run takes one answer at a time: the next call asks, or waits on, at the end of the run that the answer before began.
    if (last !== undefined) await hub.endOf(last.run);
    given.push({ start, run: await hub.give({ session, agent, clientTools: input.tools, ...start }) });
  }
  const [first, last] = [given[0], given.at(-1)];
  if (first === undefined || last === undefined) throw new Error("A run was given nothing.");
  const {
    run: started,
    start: { answers },
  } = last;
  const records = await recordsAfter({ store: hub.store, id: session });
  const index = takenAt(records, before.length, { ...first.start, inputId: first.run.inputId });
  const history = index < 0 ? records : records.slice(0, index);
  const { threadId, runId, messages, state } = input;
  const { inputId } = started;
  const mapper = aguiMapper({ threadId, runId, messages, state, history, inputId, answers, words });
  return eventsOf(mapper, started, { ...settings, last: history.at(-1) });
}

/** The index of the record that took the input; -1 without one. An input without an id is the first record that came with it. */
function takenAt(
  records: readonly JournalRecord[],
  before: number,
  start: Pick<Delivery, "inputId" | "answers">,
): number {
  const { inputId, answers } = start;
  if (inputId === undefined && answers === undefined) return before < records.length ? before : -1;
  const taken = records.findIndex((record) => takes(record, { inputId, answers }));
  // A yes after which more people have to say yes takes the answer of its giver alone: it is the first that came since.
  if (taken >= 0 || answers === undefined) return taken;
  return records.findIndex(({ seq, ...record }) => seq >= before && "answers" in record && record.answers === answers);
}

interface Watching extends AguiRunSettings {
  /** The last record of the history. */
  readonly last: JournalRecord | undefined;
}

async function* eventsOf(
  mapper: AguiMapper,
  started: HostedRun,
  { hub, signal, last }: Watching,
): AsyncGenerator<AguiEvent, void, void> {
  yield* mapper.start();
  const stop = new AbortController();
  const unfollow = follow(stop, signal);
  const after = last === undefined ? "" : writeCursor({ ...beginning, seq: last.seq, at: last.at });
  let seq = last?.seq ?? -1;
  const rest = (): Promise<readonly JournalRecord[]> =>
    recordsAfter({ store: hub.store, id: started.session, after: seq });
  let left: RunEnd | undefined;
  void hub.endOf(started).then(async (end) => {
    if (await hasEnd(end, rest)) return;
    left = end;
    stop.abort();
  });
  try {
    for await (const frame of hub.frames(started.session, after, stop.signal)) {
      if ("record" in frame) ({ seq } = frame.record);
      yield* mapper.frame(frame);
      if (mapper.isOver) return;
    }
    if (signal.aborted || left === undefined) return;
    for (const record of await rest()) yield* mapper.frame({ cursor: "", record });
    const [code, message] = leftAs(left);
    yield* mapper.fail(code, withoutPlaces(message, hub.store));
  } catch (thrown) {
    if (!(thrown instanceof LastcallError)) throw thrown;
    yield* mapper.fail(thrown.code, withoutPlaces(thrown.message, hub.store));
  } finally {
    unfollow();
    stop.abort();
  }
}

/**
 * False for a run that this process left, that could not write its end, or whose input was withdrawn: its journal has no end, so no frame
 * will tell it.
 */
async function hasEnd({ status }: RunEnd, rest: () => Promise<readonly JournalRecord[]>): Promise<boolean> {
  if (status !== "failed" && status !== "aborted") return true;
  const records = await rest().catch(() => []);
  return records.some(({ type }) => type === "outcome");
}

function leftAs({
  status,
  suspended,
  reason = status,
  message = status,
}: RunEnd): readonly [code: string, message: string] {
  if (suspended !== true) return [reason, message];
  return ["suspended", "The server closes. The run goes on with the next one: post the same message again to see it."];
}
