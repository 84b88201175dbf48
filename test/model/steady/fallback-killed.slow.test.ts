// A run whose second model answers is killed with kill -9. The next process goes on with it, and the first model comes back.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createAgent, tool } from "../../../src/index.js";
import { fileStore, openSession } from "../../../src/memory/index.js";
import { fallback, openai } from "../../../src/model/index.js";
import { call, scriptedProvider } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { loopback } from "../loopback.js";
import { built } from "../../dist.js";

const root = resolve(import.meta.dirname, "../../..");
const prices = { a: { input: 10, output: 10 }, b: { input: 1, output: 1 } };

const program = `
import { z } from "zod";
import { createAgent, tool } from "${built()}";
import { fileStore, openSession } from "${built("memory")}";
import { fallback, openai } from "${built("model")}";
import { taskCompletion } from "${built("tools")}";
const [folder, ...urls] = process.argv.slice(1);
const models = urls.map((baseURL, at) => openai({ baseURL, apiKey: "none", model: "ab"[at], api: "chat", steady: false }));
const look = tool({ name: "look", description: "Looks", input: z.object({}), effect: "read", run: () => "a page" });
const agent = createAgent({ model: fallback(models), tools: [look, taskCompletion()], limits: { maxCost: 1, prices: ${JSON.stringify(prices)} } });
await agent.run("go", { session: openSession({ store: fileStore(folder), id: "s" }) });
`;

test("the next process goes on after the replies of both models, and drifts in nothing", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lastcall-killed-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  await using down = await loopback(() => ({ status: 503, body: { error: { message: "down" } } }));
  // The second request is not answered before the process is gone.
  await using second = await scriptedProvider([[call("look")], { calls: [call("look")], delay: 10_000 }]);
  const child = spawn(process.execPath, ["--input-type=module", "-e", program, folder, down.url, second.url], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  await expect.poll(() => second.requests.length, { timeout: 30_000 }).toBe(2);
  child.kill("SIGKILL");
  await once(child, "exit");

  await using back = await scriptedProvider([[call("task_completion", { result: "done" })]]);
  const models = [back.url, second.url].map((baseURL, at) =>
    openai({ baseURL, apiKey: "none", model: at === 0 ? "a" : "b", api: "chat", steady: false }),
  );
  const look = tool({ name: "look", description: "Looks", input: z.object({}), effect: "read", run: () => "a page" });
  const limits = { maxCost: 1, prices };
  const agent = createAgent({ model: fallback(models), tools: [look, taskCompletion()], limits });
  const types: string[] = [];
  const outcome = await agent.resume(openSession({ store: fileStore(folder), id: "s" }), {
    onEvent: ({ type }) => void types.push(type),
  });
  expect(outcome.status).toBe("completed");
  expect(types).not.toContain("definition-drift");
  const stored = await openSession({ store: fileStore(folder), id: "s" }).toJSON();
  const replies = stored.records.flatMap((record) => (record.type === "reply" ? [record] : []));
  expect(replies.map(({ reply }) => reply.model)).toEqual(["b", "a"]);
  const perToken = replies.map(({ spent }) => Math.round(((spent?.cost ?? 0) / (spent?.tokens ?? 1)) * 1e6));
  expect(perToken).toEqual([prices.b.input, prices.a.input]);
  expect(down.requests.length).toBe(1);
});
