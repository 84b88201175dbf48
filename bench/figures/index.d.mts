// The types of the parts of the bench that measure nothing, for the tests.

/** Figures by row, client and name: a number for each round. */
export type Measured = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, readonly number[]>>>>>>;

/** The part of a row that these functions read. */
export interface Row {
  readonly name: string;
  readonly title: string;
  readonly mode: string;
  readonly judged: readonly string[];
  readonly limits?: Readonly<Record<string, number>>;
  readonly isSlow?: boolean;
}

/** A median with the smallest and the largest number. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Ratios with their noise, by row, client and figure. */
export type Kept = Readonly<
  Record<string, Readonly<Record<string, Readonly<Record<string, { readonly ratio: number; readonly band: number }>>>>>
>;

/** A profile of V8. */
export interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: Frame;
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  /** Microseconds. */
  readonly timeDeltas: readonly number[];
}

/** A function in a profile. */
export interface Frame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

type SourceOf = (url: string, line: number, column: number) => string | undefined;

/** A part of an iteration and its milliseconds. */
export interface Group {
  readonly group: string;
  readonly ms: number;
}

/** The options, or a sentence about the first mistake. */
export interface Options {
  readonly error?: string;
  readonly rows: readonly Row[];
  readonly rounds: number;
  readonly openai: readonly string[];
  readonly quick: boolean;
  readonly check: boolean;
  readonly [flag: string]: unknown;
}

export const help: string;
export function readOptions(args: readonly string[], rows: readonly Row[]): Options;
export function median(numbers: readonly number[]): number;
export function spread(numbers: readonly number[]): Spread | undefined;
export function ratios(numbers?: readonly number[], baseline?: readonly number[]): Spread | undefined;
export function short(value: number): string;
export function withRange(value: Spread | undefined): string;
export function keptRatios(measured: Measured, rows: readonly Row[]): Kept;
export function check(
  measured: Measured,
  kept: Kept,
  rows: readonly Row[],
): { readonly problems: readonly string[]; readonly notes: readonly string[] };
export function missedLimits(measured: Measured, rows: readonly Row[]): readonly string[];
export function tables(
  measured: Measured,
  words: {
    readonly rows: readonly Row[];
    readonly clients: Readonly<Record<string, { readonly title: string }>>;
    readonly metrics: Readonly<Record<string, { readonly title: string; readonly unit: string }>>;
  },
): string;
export function plot(measured: Measured, rows: readonly Row[], title: string): string;
export function groupOf(frame: Frame, sourceOf: SourceOf): string;
export function waterfall(profile: Profile, iterations: number, sourceOf: SourceOf): readonly Group[];
export function waterfallTable(groups: readonly Group[], cpu: number, least?: number): string;
