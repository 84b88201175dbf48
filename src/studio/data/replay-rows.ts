// The rows of a session beside the rows of its replay. What follows from a departure is folded under it.

import { compare, type Pair } from "./compare-runs.js";
import type { Departure, ReplayFile } from "./replay-file.js";
import type { Row } from "./row.js";
import type { Timeline } from "./timeline.js";

/** A line: two rows side by side, or the head of the rows that follow from a departure. */
export type ReplayLine =
  | {
      readonly kind: "same" | "departs" | "follows";
      readonly first: Row | undefined;
      readonly second: Row | undefined;
      /** The departures here, or the departure that the line follows from. */
      readonly departures: readonly Departure[];
    }
  | {
      readonly kind: "fold";
      readonly cause: Departure;
      readonly count: number;
      readonly isOpen: boolean;
    };

/** A row and its place in the session, such as `1/3` for the third iteration of the first run. */
interface Placed {
  readonly row: Row;
  readonly place: string;
}

/** The lines. The rows that follow from a departure are shown if it is in `open`. */
export function replayRows(
  original: Timeline,
  { timeline, departures }: Pick<ReplayFile, "timeline" | "departures">,
  open: ReadonlySet<Departure>,
): readonly ReplayLine[] {
  const { pairs } = compare(placed(original), placed(timeline), ({ place }) => place);
  const places = new Map(pairs.flatMap((pair, index) => placesOf(pair).map((place) => [place, index] as const)));
  const here = new Map<number, Departure[]>();
  for (const departure of departures) {
    const index = places.get(placeOf(departure.at)) ?? pairs.length - 1;
    here.set(index, [...(here.get(index) ?? []), departure]);
  }
  const causes = new Map(
    departures.flatMap((cause) => cause.follows.map((at) => [placeOf(at), cause] as const)).reverse(),
  );
  const lines: ReplayLine[] = [];
  let folded: ReplayLine[] = [];
  let folding: Departure | undefined;
  let last: Departure | undefined;
  const close = (): void => {
    if (folding === undefined) return;
    const isOpen = open.has(folding);
    lines.push({ kind: "fold", cause: folding, count: folded.length, isOpen }, ...(isOpen ? folded : []));
    folded = [];
  };
  for (const [index, pair] of pairs.entries()) {
    const [first, second] = [pair.first?.row, pair.second?.row];
    const own = here.get(index);
    const cause = own === undefined ? causeOf(pair, causes, last) : undefined;
    if (cause !== folding) close();
    folding = cause;
    if (cause !== undefined) folded.push({ kind: "follows", first, second, departures: [cause] });
    else lines.push({ kind: own === undefined ? "same" : "departs", first, second, departures: own ?? [] });
    last = own?.at(-1) ?? last;
  }
  close();
  return lines;
}

/** The departure that a pair follows from. A row of one side alone is there because of the departure before it. */
function causeOf(
  pair: Pair<Placed>,
  causes: ReadonlyMap<string, Departure>,
  last: Departure | undefined,
): Departure | undefined {
  const [cause] = placesOf(pair).flatMap((place) => causes.get(place) ?? []);
  return cause ?? (pair.isSame ? undefined : last);
}

function placesOf({ first, second }: Pair<Placed>): readonly string[] {
  return [first, second].flatMap((one) => one?.place ?? []);
}

/** The inputs, iterations and ends of a session. Other rows are no facts that a replay is held against. */
function placed({ rows, records }: Timeline): readonly Placed[] {
  const runs = new Map(records.flatMap((record) => (record.type === "input" ? [[record.seq, record.run]] : [])));
  let run = 0;
  return rows.flatMap((row): readonly Placed[] => {
    run = runs.get(row.seq) ?? run;
    if (row.kind === "iteration") return [{ row, place: `${String(run)}/${String(row.iteration)}` }];
    if (row.type === "input") return [{ row, place: `${String(run)}/start` }];
    return row.type === "outcome" ? [{ row, place: `${String(run)}/end` }] : [];
  });
}

/** The parts of an effect: its run, its kind, its iteration, and the number of its call. */
const effect = /^(\d+)\/([a-z-]+)(?::(\d+))?(?::(\d+))?/;

function placeOf(at: string): string {
  const [, run = "", kind = "", iteration] = effect.exec(at) ?? [];
  return `${run}/${kind === "end" ? kind : (iteration ?? "start")}`;
}

/** The place of an effect in words. */
export function placeWords(at: string): string {
  const [, run = "", kind = "", iteration, call = "0"] = effect.exec(at) ?? [];
  const of = run === "1" ? "" : ` of run ${run}`;
  if (kind === "end") return `the end${of}`;
  if (iteration === undefined) return `the checks before the first iteration${of}`;
  const place = `iteration ${iteration}${of}`;
  if (kind === "model") return `the request of ${place}`;
  return kind === "call" ? `call ${String(Number(call) + 1)} of ${place}` : `a check in ${place}`;
}
