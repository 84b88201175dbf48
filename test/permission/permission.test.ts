// Permission: who is asked, and which answers count as a yes.

import { describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { createAgent, tool, type Effect, type FrozenCall } from "../../src/index.js";
import { allowAll } from "../../src/permission/index.js";
import { askFirst } from "../../src/approval/index.js";
import type { Approver } from "../../src/index.js";
import { call, scriptedModel } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";

const deciding = { signal: new AbortController().signal, session: "s", preview: () => Promise.resolve(undefined) };

function frozen(effect: Effect | undefined): FrozenCall {
  return Object.freeze({ id: "call_1", name: "some_tool", effect, input: { path: "a.txt" } });
}

const gated: readonly Effect[] = ["write", "execute", "network"];
const open: readonly (Effect | undefined)[] = ["none", "read", undefined];

describe("allowAll", () => {
  test.each([...gated, ...open])("allows a call whose effect is %s", async (effect) => {
    expect(await allowAll().decide(frozen(effect), deciding)).toMatchObject({ allowed: true });
  });
});

describe("askFirst", () => {
  test.each(open)("allows a call whose effect is %s without asking", async (effect) => {
    const approver = vi.fn<Approver>();
    expect(await askFirst(approver).decide(frozen(effect), deciding)).toMatchObject({ allowed: true });
    expect(approver).not.toHaveBeenCalled();
  });

  test.each(gated)("asks about exactly the call whose effect is %s", async (effect) => {
    const approver = vi.fn<Approver>().mockReturnValue(true);
    const call = frozen(effect);
    expect(await askFirst(approver).decide(call, deciding)).toEqual({
      allowed: true,
      reason: "it was approved",
      basis: "approver",
    });
    expect(approver.mock.calls).toEqual([[call, expect.objectContaining({ session: "s" })]]);
    expect(approver.mock.calls[0]?.[0]).toBe(call);
  });

  test.each<[string, unknown, boolean, string]>([
    ["true", true, true, "it was approved"],
    ["a promise of true", Promise.resolve(true), true, "it was approved"],
    ["a decision to allow", { allowed: true, reason: "the rule says so" }, true, "the rule says so"],
    ["a decision to allow without a reason", { allowed: true }, true, "it was approved"],
    ["false", false, false, "it was not approved"],
    ["a decision to deny", { allowed: false, reason: "not on a Friday" }, false, "not on a Friday"],
    ["a decision to deny without a reason", { allowed: false }, false, "it was not approved"],
    ["a decision that is nearly true", { allowed: "yes", reason: "sure" }, false, "the approver gave no clear answer"],
    ["the text yes", "yes", false, "the approver gave no clear answer"],
    ["the number 1", 1, false, "the approver gave no clear answer"],
    ["nothing", undefined, false, "the approver gave no clear answer"],
    ["null", null, false, "the approver gave no clear answer"],
  ])("takes %s for what it is", async (_what, answer, allowed, reason) => {
    const approver = (() => answer) as Approver;
    expect(await askFirst(approver).decide(frozen("write"), deciding)).toEqual({ allowed, reason, basis: "approver" });
  });
});

describe("in a run", () => {
  const wipe = tool({ name: "wipe", description: "Wipes", input: z.object({}), effect: "write", run: () => "wiped" });
  const agentWith = (approver: Approver) =>
    createAgent({
      model: scriptedModel([[call("wipe")], [call("task_completion", { result: "done" })]]),
      tools: [wipe, taskCompletion()],
      permission: approver,
    });

  test("an approver that throws or rejects is a no, with the reason", async () => {
    for (const approver of [
      (): never => {
        throw new Error("the terminal is gone");
      },
      async (): Promise<boolean> => Promise.reject(new Error("the terminal is gone")),
    ]) {
      const { session } = await agentWith(approver).run("go");
      const reason = "permission could not be asked (the terminal is gone)";
      expect(session.records).toContainEqual(expect.objectContaining({ type: "decision", allowed: false, reason }));
      expect(JSON.stringify(session.records)).not.toContain("wiped");
    }
  });

  test("an approver that never answers is given up as soon as the run is aborted", async () => {
    const abort = new AbortController();
    const outcome = await agentWith(() => {
      setTimeout(() => {
        abort.abort();
      }, 10);
      return new Promise(() => undefined);
    }).run("go", { signal: abort.signal });
    expect(outcome.status).toBe("aborted");
    expect(JSON.stringify(outcome.session.records)).not.toContain("wiped");
  });
});
