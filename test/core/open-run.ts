// A run for the tests of one stage: real parts, a journal in memory, a scripted model and a clock that stands still.

import { z } from "zod";
import {
  noUsage,
  tool,
  type AgentOptions,
  type Effect,
  type JournalRecord,
  type Json,
  type Reply,
  type Tool,
  type ToolContext,
} from "../../src/core/index.js";
import { askFirst } from "../../src/approval/index.js";
import { assemble } from "../../src/core/agent/assemble.js";
import type { RecordBody } from "../../src/core/internal.js";
import { Run, type RunSetup } from "../../src/core/run/run.js";
import { WorkTime } from "../../src/core/time/work-time.js";
import { transcript } from "../../src/memory/index.js";
import { allowAll } from "../../src/permission/index.js";
import { compile } from "../../src/schema/index.js";
import { scriptedModel, virtualClock, type ScriptedCall, type VirtualClock } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { journal } from "./journal.js";

/** A run on the session `s`. */
export interface OpenedRun {
  readonly run: Run;
  readonly clock: VirtualClock;
  readonly abort: AbortController;
  /** The records that were appended since the run was opened. */
  added(): readonly JournalRecord[];
  /** The types of these records. */
  types(): readonly string[];
}

/** Opens a run whose journal has these records. Every call is allowed, unless the options say otherwise. */
export function openRun(
  options: Partial<AgentOptions<readonly Tool[]>> = {},
  bodies: readonly RecordBody[] = [],
  setup: Partial<RunSetup> = {},
): OpenedRun {
  const clock = virtualClock({ start: 5000 });
  const abort = new AbortController();
  const defaults = { model: scriptedModel([]), tools: [taskCompletion()], permission: allowAll(), runtime: clock };
  const parts = assemble({ ...defaults, ...options }, { compile, askFirst });
  const memory = (options.memory ?? transcript)({ version: 1, id: "s", records: journal(bodies) });
  const time = new WorkTime(clock);
  time.start();
  const run = new Run(parts, {
    id: "s",
    memory,
    signal: abort.signal,
    budget: undefined,
    permission: undefined,
    approvals: [],
    time,
    lease: undefined,
    attachments: undefined,
    compact: false,
    path: [],
    isWatched: true,
    children: undefined,
    context: { given: undefined, bySchema: new Map() },
    ...setup,
  });
  const added = (): readonly JournalRecord[] => run.session.records.slice(bodies.length);
  return { run, clock, abort, added, types: () => added().map(({ type }) => type) };
}

/** The id of a call in the first run of the session `s`. */
export function idOf(iteration: number, index = 0): string {
  return `s/1/call:${String(iteration)}:${String(index)}`;
}

/** A reply with these calls. */
export function replied(iteration: number, calls: readonly ScriptedCall[], more: Partial<Reply> = {}): RecordBody {
  const written = calls.map(({ name, input }, index) => {
    return { type: "call" as const, id: idOf(iteration, index), name, input: input as Json };
  });
  return {
    type: "reply",
    iteration,
    reply: { text: "", calls: written, finish: "complete", usage: noUsage, ...more },
  };
}

/** A tool that works. */
export function worker(
  name: string,
  effect: Effect,
  run: (input: { readonly n?: number | undefined }, context: ToolContext) => unknown = () => `${name} is done`,
): Tool {
  return tool({ name, description: "Works.", input: z.object({ n: z.number().optional() }), effect, run });
}

/** The results among the records: the call, and `ok` or the kind of its failure. */
export function resultsIn(records: readonly JournalRecord[]): readonly (readonly [string, string])[] {
  return records.flatMap((record) =>
    record.type === "result" ? [[record.result.callId, record.result.failure?.kind ?? "ok"] as const] : [],
  );
}
