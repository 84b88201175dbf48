// The types of the runs with real models, for the tests.

import type { createAgent, tool } from "../../src/index.js";
import type { command } from "../../src/checks/index.js";
import type { openai, OpenAIOptions } from "../../src/model/index.js";
import type { giveUp, taskCompletion } from "../../src/tools/index.js";

/** The parts of the library that the tasks need. */
export interface RealLibrary {
  readonly createAgent: typeof createAgent;
  readonly tool: typeof tool;
  readonly openai: typeof openai;
  readonly command: typeof command;
  readonly giveUp: typeof giveUp;
  readonly taskCompletion: typeof taskCompletion;
}

/** A way in which a model is made to call tools. */
export interface Way {
  readonly way: string;
  readonly rung: string;
  readonly forcing: NonNullable<OpenAIOptions["forcing"]>;
  /** The number of tasks for this way. Default: all. */
  readonly tasks?: number;
}

export interface RealModel {
  readonly name: string;
  readonly ways: readonly Way[];
  readonly params: Readonly<Record<string, unknown>>;
}

export interface RealTask {
  readonly id: string;
  readonly family: string;
  readonly input: string;
  readonly isSolvable: boolean;
}

/** A request and its answer, as they were on the wire. */
export interface Exchange {
  readonly request: unknown;
  readonly status: number;
  readonly body: string;
  readonly end: "whole" | "broken" | "left";
}

/** A line of the file of raw replies: one run. */
export interface KeptRun {
  readonly model: string;
  readonly rung: string;
  readonly task: string;
  readonly outcome: Readonly<Record<string, unknown>>;
  readonly records: readonly object[];
  readonly exchanges: readonly Exchange[];
}

export type Counts = Readonly<Record<string, number>>;

export interface Row {
  readonly model: string;
  readonly way: string;
  readonly rung: string;
  readonly counts: Counts;
  readonly runs: readonly KeptRun[];
  readonly steps: readonly string[];
  readonly left: number;
}

/** The result of a second look at raw replies. */
export interface Looked {
  readonly replies: number;
  readonly apart: number;
  readonly suspects: readonly { readonly why: string; readonly text: string; readonly isCertain: boolean }[];
}

export interface RunOfDay {
  readonly at: string;
  readonly minutes: number;
  readonly rows: readonly Row[];
  readonly leftOut: readonly string[];
  readonly looked: Looked;
}

export const models: readonly RealModel[];
export function chooseTasks(number?: number): readonly RealTask[];
export function runModel(
  model: RealModel,
  options: {
    readonly library: RealLibrary;
    readonly baseURL: string;
    readonly tasks: readonly RealTask[];
    readonly until: number;
    readonly say: (line: string) => void;
    readonly keep: (line: KeptRun) => void;
  },
): Promise<void>;
export function rowsOf(lines: readonly KeptRun[], models: readonly RealModel[], tasks: number): readonly Row[];
export function lookAgain(run: Pick<KeptRun, "exchanges" | "records">): Looked;
export function lookedAt(lines: readonly KeptRun[]): Looked;
export function tableOf(rows: readonly Row[]): string;
export function withRun(page: string, run: RunOfDay): string;
export function openCache(folder?: string): Readonly<Record<"root" | "models" | "servers" | "replies", string>>;
