import type { createAgent } from "../../src/index.js";
import type { gate } from "../../src/permission/index.js";
import type { call, scriptedModel } from "../../src/testing/index.js";
import type { taskCompletion, workspaceTools } from "../../src/tools/index.js";

/** A case, as its file has it. */
export type Attack = Readonly<Record<string, unknown>>;

/** The parts of the library that are attacked, and those that attack. */
export interface AttackLibrary {
  readonly createAgent: typeof createAgent;
  readonly scriptedModel: typeof scriptedModel;
  readonly call: typeof call;
  readonly gate: typeof gate;
  readonly workspaceTools: typeof workspaceTools;
  readonly taskCompletion: typeof taskCompletion;
}

/** What came of a case. */
export interface AttackResult {
  readonly id: string;
  readonly wanted: string;
  readonly got?: string;
  readonly reason?: string;
  /** Undefined where the case holds. */
  readonly problem?: string;
}

export function readAttacks(files: readonly string[]): readonly Attack[];
export function tryAll(cases: readonly Attack[], library: AttackLibrary): Promise<readonly AttackResult[]>;
export function lineOf(result: AttackResult): string;
export function countsOf(results: readonly AttackResult[]): string;
