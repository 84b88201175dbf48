// The agent of a conversation, whose model and tier change while it is being made.

import { expect, test } from "vitest";
import { readSettings } from "../../../src/cli/args/args.js";
import { parseOptions } from "../../../src/cli/args/options.js";
import { AgentInUse } from "../../../src/cli/chat/agent-in-use.js";
import { loadModules } from "../../../src/cli/modules/modules.js";
import { workplaceFor } from "../../../src/cli/task/workplace-for.js";
import { scriptedModel } from "../../../src/testing/index.js";
import { temporary } from "../command.js";

test("each of two changes at once counts, also while the first agent is made", async () => {
  await using folder = await temporary();
  const settings = readSettings(parseOptions(["x", "--no-sandbox"]));
  const needs = { root: folder.path, guarded: [], modules: await loadModules(settings) };
  let isRefused = false;
  const inUse = new AgentInUse(
    {
      settings,
      workdir: folder.path,
      model: { ...scriptedModel([]), name: "first" },
      ...{ guidance: "", limits: {}, window: undefined, approver: undefined, secrets: [], guarded: [], modules: [] },
      workplaceFor: (rights) =>
        isRefused ? Promise.reject(new Error("no room")) : workplaceFor({ ...settings, rights }, needs),
    },
    [],
  );
  const first = inUse.get();
  await Promise.all([inUse.useModel({ ...scriptedModel([]), name: "second" }), inUse.useTier("read-only")]);
  expect([inUse.model, inUse.tier]).toEqual(["second", "read-only"]);
  const made = await inUse.get();
  expect(made).not.toBe(await first);
  isRefused = true;
  await expect(inUse.useTier("full-access")).rejects.toThrow("no room");
  expect(inUse.tier).toBe("read-only");
  expect(await inUse.get()).toBe(made);
});
