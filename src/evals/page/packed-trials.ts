// The trials as the page carries them: the facts and the journal of each, compressed, within a bound for the whole file.

import { deflateRawSync } from "node:zlib";
import type { JournalLine } from "../trial/journal-lines.js";
import type { TrialRow } from "../trial/trial-row.js";
import { amount } from "../report/figure-words.js";
import { timeWords } from "./arm-sections.js";
import { resultNames } from "./trial-section.js";

/** Characters of all packed trials. Beyond them, a page would open slowly. */
const mostCharacters = 24_000_000;

/** Reads the journal of a trial; undefined if there is none, as for a command. */
export type ReadJournal = (trial: string) => Promise<readonly JournalLine[] | undefined>;

/** Packs the trials by id. If they are too large together, journals are left out: of passed trials first, then of those that failed. */
export async function packTrials(
  rows: readonly TrialRow[],
  readJournal: ReadJournal,
  most: number = mostCharacters,
): Promise<ReadonlyMap<string, string>> {
  const packed = new Map<string, string>();
  const order = { no: 0, void: 1, yes: 2 };
  let characters = 0;
  for (const row of [...rows].sort((a, b) => order[a.result] - order[b.result])) {
    const lines = await readJournal(row.id);
    const whole = pack({ ...factsOf(row), lines: lines ?? [] });
    const isTooMuch = characters + whole.length > most;
    const text = isTooMuch ? pack({ ...factsOf(row), lines: [], left: lines?.length ?? 0 }) : whole;
    characters += text.length;
    packed.set(row.id, text);
  }
  return packed;
}

/** The data of one trial in the page. */
interface Packed {
  readonly result: string;
  readonly why: string;
  /** Names and values in words. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly lines: readonly JournalLine[];
  /** The lines that were left out. Absent if all are there. */
  readonly left?: number;
}

function pack(trial: Packed): string {
  return deflateRawSync(JSON.stringify(trial), { level: 6 }).toString("base64");
}

function factsOf(row: TrialRow): Omit<Packed, "lines"> {
  const { result, why, ending, truth, verified, declared, claims, changed, answered, attempts, served } = row;
  const facts: readonly (readonly [string, string | undefined])[] = [
    ["ending", ending],
    ["truth at the end", truth],
    ["verified", verified],
    ["claims", claims.length === 0 ? undefined : claims.map(claimWords).join("; ")],
    ["declared unverified", declared === 0 ? undefined : String(declared)],
    ["watched files changed", changed.length === 0 ? undefined : changed.join(", ")],
    ["questions answered", answered === 0 ? undefined : String(answered)],
    ["iterations", String(row.iterations)],
    ["tokens", `${String(row.inputTokens)} in, ${String(row.outputTokens)} out`],
    ["cost", row.cost === 0 ? undefined : amount(row.cost)],
    ["time", timeWords(row.duration)],
    ["served by", served.length === 0 ? undefined : served.join(", ")],
    ["void attempts before", attempts === 0 ? undefined : String(attempts)],
  ];
  return {
    result: resultNames[result],
    why,
    facts: facts.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  };
}

function claimWords({ truth, isRefused }: TrialRow["claims"][number]): string {
  const was = { yes: "true", no: "false", void: "not to be judged", unknown: "not judged" }[truth];
  return `${isRefused ? "refused" : "accepted"}, and ${was}`;
}
