import type { createAgent, redactor } from "../../src/index.js";
import type { gate } from "../../src/permission/index.js";
import type { call, scriptedModel } from "../../src/testing/index.js";
import type { taskCompletion, workspaceTools } from "../../src/tools/index.js";

/** A case, in the format of its file. */
export type Attack = Readonly<Record<string, unknown>>;

/** The parts of the library that the attacks need. */
export interface AttackLibrary {
  readonly createAgent: typeof createAgent;
  readonly redactor: typeof redactor;
  readonly scriptedModel: typeof scriptedModel;
  readonly call: typeof call;
  readonly gate: typeof gate;
  readonly workspaceTools: typeof workspaceTools;
  readonly taskCompletion: typeof taskCompletion;
}

/** The result of a case. */
export interface AttackResult {
  readonly id: string;
  readonly wanted: string;
  readonly got?: string;
  readonly reason?: string;
  /** The reason why the case failed; undefined if it passed. */
  readonly problem?: string;
}

export function readAttacks(files: readonly string[]): readonly Attack[];
export function tryAll(cases: readonly Attack[], library: AttackLibrary): Promise<readonly AttackResult[]>;
export function lineOf(result: AttackResult): string;
export function countsOf(results: readonly AttackResult[]): string;
