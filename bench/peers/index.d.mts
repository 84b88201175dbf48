// The types of the comparison's parts, for the tests.

import type { EvalTask, Evaluation, Report, TrialRow, TruthSuite } from "../../src/evals/index.js";

/** Another library, and the packages that its programs import. */
export interface Peer {
  readonly name: string;
  readonly title: string;
  readonly packages: Readonly<Record<string, string>>;
}

/** The counts of one harness with one model. */
export interface Counts {
  readonly harness: string;
  readonly model: string;
  readonly trials: number;
  readonly void: number;
  readonly completed: number;
  readonly false: number;
  readonly right: number;
  readonly honestStops: number;
  readonly falseRefused: number;
  readonly trueRefused: number;
  readonly falseBy: Readonly<Record<string, number>>;
}

/** The figures of a run. */
export interface Figures {
  readonly tasks: number;
  readonly versions: Readonly<Record<string, unknown>>;
  readonly counts: readonly Counts[];
}

/** The figures, and the times at which runs have shown them. */
export interface Result extends Figures {
  readonly seenAt: readonly string[];
}

/** A task that a character knows. */
export interface KnownTask {
  readonly input: string;
  readonly protect: readonly string[];
  readonly solution?: Readonly<Record<string, string>> | undefined;
}

export const characters: Readonly<Record<string, unknown>>;
export const ownArms: readonly { readonly name: string; readonly title: string }[];
export const peers: readonly Peer[];
export const comingFrom: readonly Peer[];
export function versionOf(peer: Peer): string;
export function findPeer(
  folder: string | undefined,
  peer: Peer,
): { readonly node: string; readonly place: string } | undefined;
export function knownTasks(suite: TruthSuite): Promise<readonly KnownTask[]>;
export function replyTo(
  body: { readonly model: string; readonly messages: readonly Readonly<Record<string, unknown>>[] },
  known: readonly KnownTask[],
): { readonly text?: string; readonly calls?: readonly { readonly name: string; readonly input: unknown }[] };
export function armOf(row: Pick<TrialRow, "variant" | "model">): { readonly harness: string; readonly model: string };
export function countsOf(report: Pick<Report, "rows" | "tasks">): readonly Counts[];
export function peersEvaluation(
  library: Readonly<Record<string, unknown>>,
  options: {
    readonly suite: { readonly tasks: readonly EvalTask[]; readonly checkOf: TruthSuite["checkOf"] };
    readonly url: string;
    readonly names: readonly string[];
    readonly node: string;
    readonly programs: readonly { readonly name: string; readonly program: string }[];
  },
): Evaluation;
export function withRun(before: Result | undefined, run: Figures & { readonly at: string }): Result;
export function withFigures(page: string, result: Result): string;
