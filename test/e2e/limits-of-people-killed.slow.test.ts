// Limits of each principal over a run whose process is killed with SIGKILL: the run that goes on counts for the same person.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { built } from "../dist.js";

/** Begins a run for Ann, or goes on with it for Ben, with an agent below. Kills itself in the call that is named. */
const program = `
import { createAgent, sharedLimits, tool } from "${built()}";
import { fileStore, openSession } from "${built("memory")}";
import { call, scriptedModel } from "${built("testing")}";
import { delegate, taskCompletion } from "${built("tools")}";
const [folder, mode, dies] = process.argv.slice(1);
const input = { type: "object", properties: {} };
const made = (name) => tool({ name, description: "Works.", input, effect: "none", run: () => {
  if (name === dies) process.kill(process.pid, "SIGKILL");
  return "worked";
} });
const agentOf = (name, tools, steps) => createAgent({
  model: scriptedModel(steps), tools: [made(name), taskCompletion(), ...tools], circuit: { stall: false },
});
const below = agentOf("paint", [], () => [call("paint", {})]);
const tools = [delegate(below, { name: "research", description: "Looks." })];
const steps = mode === "start" ? [[call("note", {})], [call("research", { task: "look" })]] : () => [call("note", {})];
const agent = agentOf("note", tools, steps);
const session = openSession({ store: fileStore(folder), id: "s" });
const budget = sharedLimits({ maxIterations: 3, per: "principal" });
const outcome = mode === "start" ? await agent.run("go", { session, budget, by: { id: "ann", tenant: "acme" } })
  : await agent.resume(session, { budget, by: { id: "ben", tenant: "acme" } });
const of = (id) => budget.spentBy({ id, tenant: "acme" }).iterations;
console.log(JSON.stringify({ status: outcome.status, spent: [of("ann"), of("ben"), budget.spentBy().iterations] }));
`;

async function live(folder: string, mode: string, dies = "never"): Promise<unknown> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, folder, mode, dies], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  return signal ?? (code === 0 ? JSON.parse(text) : code);
}

test.each(["note", "paint"])(
  "a run that was killed in the call %s counts for the same person in the next process",
  async (dies) => {
    const folder = mkdtempSync(join(tmpdir(), "lastcall-limits-of-people-killed-"));
    onTestFinished(() => {
      rmSync(folder, { recursive: true, force: true });
    });
    expect(await live(folder, "start", dies)).toBe("SIGKILL");
    // Ben only wishes that the run goes on. It follows from Ann's words, so three replies are Ann's, as many as her limit allows.
    expect(await live(folder, "resume")).toEqual({ status: "stopped", spent: [3, 0, 0] });
  },
);
