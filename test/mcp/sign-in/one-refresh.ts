// Two processes with one vault, whose token is over: one of them refreshes it, and both make their calls.

import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { expect } from "vitest";
import { createAgent } from "../../../src/index.js";
import { mcpTools, signIns, type SignInQuestion, type Vault } from "../../../src/mcp/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { guardedServer } from "./guarded-server.js";

const run = promisify(execFile);
const redirect = "http://127.0.0.1:9/oauth/callback";

/** Signs Ann in, waits until her token is over, and has two processes call as Ann. `settings` lead them to the vault. */
export async function expectOneRefresh({ vault, settings }: { vault: Vault; settings: object }): Promise<void> {
  const behaviour = { listsFreely: true, life: 1, refreshTakes: 300 };
  const guarded = await guardedServer(behaviour);
  try {
    const signIn = signIns({ vault, redirect });
    await using server = await mcpTools({ name: "bank", url: guarded.url, signIn });
    const agent = createAgent({
      model: scriptedModel([[call("bank__whoami")]]),
      permission: () => true,
      tools: [taskCompletion()],
      toolSources: [server],
    });
    const outcome = await agent.run("Go.", { by: { id: "ann" } });
    if (outcome.status !== "waiting") throw new Error(outcome.status);
    await signIn.complete(await guarded.open((outcome.value as SignInQuestion).address, "ann"), { id: "ann" });
    await sleep(1100);
    // The refreshed token lives until the slower process has started.
    behaviour.life = 3600;
    const script = join(import.meta.dirname, "sign-in-caller.mjs");
    const given = JSON.stringify({ ...settings, url: guarded.url, redirect });
    const ends = await Promise.all([1, 2].map(() => run(process.execPath, [script, given])));
    for (const { stdout, stderr } of ends) {
      expect(stdout).toMatch(/You are ann\.[^]*completed/);
      for (const secret of guarded.secrets) expect(stdout + stderr).not.toContain(secret);
    }
    expect(guarded.counts.refreshes).toBe(1);
    expect(guarded.calls).toEqual(["whoami ann", "whoami ann"]);
  } finally {
    await guarded.close();
  }
}
