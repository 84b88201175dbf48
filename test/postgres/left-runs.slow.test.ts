// Runs that went on after a word of a person and whose process was killed: the next process finds them by their row.

import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createAgent, tool } from "../../src/index.js";
import { hostInProcess } from "../../src/host/index.js";
import { openSession } from "../../src/memory/index.js";
import { allowAll } from "../../src/permission/index.js";
import { askFirst } from "../../src/approval/index.js";
import { pgStore } from "../../src/postgres/index.js";
import { assertWellFormed, call, scriptedModel, type Script } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { useDatabase } from "./database.js";
import { noPostgres } from "./server.js";
import "../dist.js";

describe.skipIf(noPostgres)(`a run that goes on after a word and is left by kill${noPostgres}`, () => {
  const database = useDatabase();

  test.each(["approval", "answer"] as const)("is gone on with if the word was an %s", async (how) => {
    const schema = await database.schema();
    const store = pgStore(database.pool, { schema });
    const pay = tool({
      name: "pay",
      description: "Pays",
      effect: "network",
      input: z.object({}),
      asks: z.string(),
      run: async (_input, { ask }) => {
        return how === "answer" ? `paid ${String(await ask("How?"))}` : "paid";
      },
    });
    const hostOf = (script: Script) => {
      const permission = how === "answer" ? allowAll() : askFirst(() => ({ later: true, reason: "money" }));
      const clerk = createAgent({ model: scriptedModel(script), tools: [pay, taskCompletion()], permission });
      return hostInProcess({ agents: { clerk }, store });
    };
    const first = await hostOf([[call("pay")]]);
    const { waiting } = await (await first.give({ session: "s", input: "go" })).ended();
    expect(waiting).toBeDefined();
    await first.close();

    const victim = fork(join(import.meta.dirname, "left-victim.mjs"), [database.server.url, schema, how]);
    expect(await once(victim, "exit")).toEqual([null, "SIGKILL"]);
    const left = await openSession({ store, id: "s" }).toJSON();
    expect(left.records.findLast(({ type }) => type === how || type === "outcome")?.type).toBe(how);
    expect(await store.sessionsIn("waiting")).toEqual([]);
    expect(await store.counts()).toMatchObject({ waiting: 0, oldestWait: 0 });

    const next = await hostOf([[call("task_completion", { result: "Done." })]]);
    await expect.poll(() => store.sessionsIn("completed"), { timeout: 10_000 }).toMatchObject([{ id: "s" }]);
    const { records } = await openSession({ store, id: "s" }).toJSON();
    assertWellFormed(records);
    expect(records.filter(({ type }) => type === "result")).toHaveLength(1);
    await next.close();
  });
});
