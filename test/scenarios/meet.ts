// Shared by the scenarios of files and processes: runs an agent with the workspace tools behind a gate to its end.

import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import {
  createAgent,
  type Event,
  type JournalRecord,
  type JournalResult,
  type Outcome,
  type Permission,
  type Tool,
} from "../../src/index.js";
import { gate, type GateOptions } from "../../src/permission/index.js";
import { assertWellFormed, call, scriptedModel, type ScriptedCall } from "../../src/testing/index.js";
import { taskCompletion, workspaceTools, type WorkspaceOptions } from "../../src/tools/index.js";

/** A folder for the work, and one beside it that is outside the workspace. Both are removed after the test. */
export async function makeWorld(): Promise<{ readonly root: string; readonly outside: string }> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "lastcall-scenario-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [root, outside] = [join(folder, "project"), join(folder, "outside")];
  await mkdir(root);
  await mkdir(outside);
  return { root, outside };
}

export interface Met {
  readonly outcome: Outcome;
  readonly records: readonly JournalRecord[];
  readonly decisions: readonly Extract<JournalRecord, { readonly type: "decision" }>[];
  /** The results of the calls, in order, except the last call, which ends the run. */
  readonly results: readonly JournalResult[];
  readonly events: readonly Event[];
  /** Milliseconds. */
  readonly time: number;
}

/** The parts of an agent besides its gate. */
export interface Making {
  readonly tools?: readonly Tool[];
  readonly workspace?: Omit<WorkspaceOptions, "root">;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: Event) => void;
  /** Wraps the gate. */
  readonly around?: (gate: Permission) => Permission;
}

const asItIs = (permission: Permission): Permission => permission;

/** Makes the calls, one in each reply, with the workspace tools behind a gate, and then ends the run. */
export async function meet(calls: readonly ScriptedCall[], options: GateOptions, making: Making = {}): Promise<Met> {
  const { tools = [], workspace = {}, signal, onEvent, around = asItIs } = making;
  const agent = createAgent({
    model: scriptedModel([...calls.map((one) => [one]), [call("task_completion", { result: "ok" })]]),
    tools: [...workspaceTools({ root: options.root, ...workspace }), taskCompletion(), ...tools] as Tool[],
    permission: around(gate(options)),
    // Attacks fail one after another, which must not stop the run.
    circuit: { identical: 100, inARow: 100, stall: false },
  });
  const events: Event[] = [];
  const began = performance.now();
  const outcome = (await agent.run("Go.", {
    ...(signal && { signal }),
    onEvent: (event) => {
      events.push(event);
      onEvent?.(event);
    },
  })) as Outcome;
  const time = performance.now() - began;
  const { records } = outcome.session;
  assertWellFormed(records);
  if (signal === undefined) expect(outcome.status).toBe("completed");
  const results = records.flatMap((record) => (record.type === "result" ? [record.result] : []));
  return {
    outcome,
    records,
    decisions: records.filter((record) => record.type === "decision"),
    results: results.slice(0, calls.length),
    events,
    time,
  };
}
