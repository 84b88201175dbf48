import { describe, expect, test } from "vitest";
import { input, reply } from "../journal.js";
import { openRun } from "../open-run.js";
import { toEnd } from "../../../src/core/time/stage.js";

const go = input(1, "go");

describe("a run", () => {
  test("on a session with records begins with their state and their last reply", () => {
    const { run } = openRun({}, [go, reply(1, ["a"]), reply(2, ["b"])]);
    expect(run.state).toMatchObject({ run: 1, iteration: 2 });
    expect(run.reply.calls).toMatchObject([{ id: "b" }]);
    expect(run.session).toMatchObject({ version: 1, id: "s", records: { length: 3 } });
  });

  test("without a reply has none to follow from: that is a bug", () => {
    expect(() => openRun({}, [go]).run.reply).toThrow(expect.objectContaining({ code: "bug" }));
  });

  test("names its effects by session, life, run and place", () => {
    const more = { ...input(2, "more"), life: "k3f9x2" } as const;
    expect(openRun({}, [go, more]).run.key("call:3:0")).toBe("s/k3f9x2/2/call:3:0");
  });

  test("of an older journal, without a life, names its effects as it did", () => {
    expect(openRun({}, [go, input(2, "more")]).run.key("call:3:0")).toBe("s/2/call:3:0");
  });

  test("knows the inputs that it has taken, as words and in its midst", async () => {
    const { run } = openRun({}, [{ type: "input", run: 1, text: "go", sent: "m1" }]);
    await run.append({ type: "steer", text: "faster", sent: "m2" });
    expect(["m1", "m2", "m3"].map((id) => run.hasTaken(id))).toEqual([true, true, false]);
  });

  test("within a run has to pass the permission of both", async () => {
    const no = { decide: () => ({ allowed: false, reason: "not in here" }) };
    const call = { id: "c", name: "look", effect: "read" as const, input: {} };
    const deciding = { signal: new AbortController().signal, session: "s", preview: async () => undefined };
    const { run } = openRun({}, [go], { permission: no });
    expect(await run.permission.decide(call, deciding)).toMatchObject({ allowed: false, reason: "not in here" });
    expect(await openRun({}, [go]).run.permission.decide(call, deciding)).toMatchObject({ allowed: true });
  });

  test("throws the reason of its signal when it takes its turn", async () => {
    const { run, abort } = openRun({}, [go]);
    await toEnd(run.turn());
    abort.abort(new Error("enough"));
    await expect(toEnd(run.turn())).rejects.toThrow("enough");
  });
});

describe("a view of a run", () => {
  test("has its own signal: its abort leaves the run as it was", async () => {
    const part = new AbortController();
    const { run, abort } = openRun({}, [go]);
    const view = run.within(part.signal);
    part.abort(new Error("the time is up"));
    expect(run.signal).toBe(abort.signal);
    await expect(toEnd(view.turn())).rejects.toThrow("the time is up");
    await expect(toEnd(run.turn())).resolves.toBeUndefined();
  });

  test("shares the journal, the ledger and the purse with the run", async () => {
    const { run, abort } = openRun();
    const view = run.within(abort.signal).within(abort.signal);
    await view.append(go);
    expect(run.state).toMatchObject({ run: 1, seq: 1 });
    expect(view.state).toBe(run.state);
    expect(view.session).toEqual(run.session);
    expect(view.key("call:1:0")).toBe("s/1/call:1:0");
    expect(view.ledger).toBe(run.ledger);
    expect(view.purse).toBe(run.purse);
  });

  test("takes the short first prompt for the run, once", () => {
    const { run, abort } = openRun({}, [go], { compact: true });
    expect(run.within(abort.signal).takeCompact()).toBe(true);
    expect(run.within(abort.signal).takeCompact()).toBe(false);
    expect(run.takeCompact()).toBe(false);
    expect(openRun({}, [go]).run.takeCompact()).toBe(false);
  });
});
