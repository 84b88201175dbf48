// A run that asks to go on at its limit, over processes that are killed with SIGKILL: one yes counts once, in any process.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fileStore, openSession } from "../../src/memory/index.js";
import { built } from "../dist.js";

/** Paints, asks at three iterations for two more, and kills itself at the moment that is named. */
const program = `
import { createAgent, tool } from "${built()}";
import { fileStore, openSession } from "${built("memory")}";
import { call, scriptedModel } from "${built("testing")}";
import { taskCompletion } from "${built("tools")}";
const [folder, mode, dies] = process.argv.slice(1);
const die = (moment) => { if (moment === dies) process.kill(process.pid, "SIGKILL"); };
const input = { type: "object", properties: {} };
const paint = tool({ name: "paint", description: "Paints.", input, run: () => (die("paint"), "painted") });
const agent = createAgent({
  model: scriptedModel(() => [call("paint", {})]),
  tools: [paint, taskCompletion()],
  limits: { maxIterations: 3, ask: { maxIterations: 2 } },
});
const session = openSession({ store: fileStore(folder), id: "s" });
const onEvent = ({ type }) => { if (type === "call-parked") die("asking"); };
const due = await agent.waiting(session);
const outcome = mode === "start" ? await agent.run("Paint", { session, onEvent })
  : mode === "yes" ? await agent.run({ allowed: true }, { session, answers: due.id, onEvent })
  : await agent.resume(session, { onEvent });
console.log(JSON.stringify({ status: outcome.status, id: outcome.id, input: outcome.input }));
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

test("the question and its yes outlive their processes, and the yes counts once", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lastcall-limit-killed-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  expect(await live(folder, "start", "asking")).toBe("SIGKILL");
  // A session whose process died while it asked still waits, for the same question.
  const left = await openSession({ store: fileStore(folder), id: "s" }).waiting();
  expect(left).toMatchObject({ by: "raise_limit", input: { used: 3, allowed: 3, more: 2 } });
  expect(await live(folder, "yes", "paint")).toBe("SIGKILL");
  const goneOn = await live(folder, "resume", "asking");
  expect(goneOn).toBe("SIGKILL");
  const again = await openSession({ store: fileStore(folder), id: "s" }).waiting();
  expect(again).toMatchObject({ by: "raise_limit", input: { used: 5, allowed: 5, more: 2 } });
  expect(again?.id).not.toBe(left?.id);
  const { records } = await openSession({ store: fileStore(folder), id: "s" }).toJSON();
  expect(records.filter(({ type }) => type === "reply")).toHaveLength(5);
  expect(records.filter(({ type }) => type === "approval")).toHaveLength(1);
});
