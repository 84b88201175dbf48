import { describe, expect, it } from "vitest";
import { assemble } from "../../../src/core/agent/assemble.js";
import { Run } from "../../../src/core/run/run.js";
import { WorkTime } from "../../../src/core/time/work-time.js";
import { transcript } from "../../../src/memory/index.js";
import { compile } from "../../../src/schema/index.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { input } from "../journal.js";

function runOn(signal: AbortSignal, compact = false): Run {
  const parts = assemble({ model: scriptedModel([]), tools: [taskCompletion()] }, compile);
  return new Run(parts, {
    id: "s",
    memory: transcript({ version: 1, id: "s", records: [] }),
    signal,
    budget: undefined,
    permission: undefined,
    time: new WorkTime(parts.runtime),
    lease: undefined,
    compact,
  });
}

describe("a view of a run", () => {
  it("has its own signal: its abort leaves the run as it was", async () => {
    const [whole, part] = [new AbortController(), new AbortController()];
    const run = runOn(whole.signal);
    const view = run.within(part.signal);
    part.abort(new Error("the time is up"));
    expect(run.signal).toBe(whole.signal);
    await expect(view.turn()).rejects.toThrow("the time is up");
    await expect(run.turn()).resolves.toBeUndefined();
  });

  it("shares the journal, the ledger and the purse with the run", async () => {
    const { signal } = new AbortController();
    const run = runOn(signal);
    const view = run.within(signal).within(signal);
    await view.append(input(1, "Go."));
    expect(run.state).toMatchObject({ run: 1, seq: 1 });
    expect(view.state).toBe(run.state);
    expect(view.session).toEqual(run.session);
    expect(view.key("call:1:0")).toBe("s/1/call:1:0");
    expect(view.ledger).toBe(run.ledger);
    expect(view.purse).toBe(run.purse);
  });

  it("takes the short first prompt for the run, once", () => {
    const { signal } = new AbortController();
    const run = runOn(signal, true);
    expect(run.within(signal).takeCompact()).toBe(true);
    expect(run.within(signal).takeCompact()).toBe(false);
    expect(run.takeCompact()).toBe(false);
    expect(runOn(signal).takeCompact()).toBe(false);
  });
});
