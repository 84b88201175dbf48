// Files on the wires of Anthropic and Gemini after kill -9: the next process sends those of the user and of a result again.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { fromAiSdk } from "../../src/ai-sdk/index.js";
import { createAgent, tool } from "../../src/index.js";
import { fileStore, openSession } from "../../src/memory/index.js";
import { call } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { built } from "../dist.js";
import { wireProvider } from "./wire-provider.js";
import { anthropicWire, googleWire } from "./wires.js";

const root = resolve(import.meta.dirname, "../..");
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
  "base64",
);
const pdf = Buffer.from("%PDF-1.4\n1 0 obj << /Type /Page >> endobj\n%%EOF\n");
const done = [call("task_completion", { result: "seen" })];

/** Runs with a picture of the user, and a tool that attaches the PDF. */
const program = (maker: string, make: string): string => `
import { ${make} } from "@ai-sdk/${maker}";
import { z } from "zod";
import { fromAiSdk } from "${built("ai-sdk")}";
import { createAgent, tool } from "${built()}";
import { fileStore, openSession } from "${built("memory")}";
import { taskCompletion } from "${built("tools")}";
const [folder, baseURL, png, pdf] = process.argv.slice(1);
const scan = tool({
  name: "scan", description: "Scans", input: z.object({}), effect: "read",
  run: (_input, { attach }) => (attach({ bytes: Buffer.from(pdf, "base64"), name: "paper.pdf" }), "a page"),
});
const model = fromAiSdk(${make}({ baseURL, apiKey: "none" })("scripted"));
const session = openSession({ store: fileStore(folder), id: "s" });
const agent = createAgent({ model, tools: [scan, taskCompletion()] });
await agent.run("What is this?", { session, attachments: [{ bytes: Buffer.from(png, "base64"), name: "dot.png" }] });
`;

test.each([
  { maker: "anthropic", make: "createAnthropic", path: "/v1", wire: anthropicWire },
  { maker: "google", make: "createGoogleGenerativeAI", path: "/v1beta", wire: googleWire },
] as const)("$maker: files of a killed process are sent again by the next one", async ({ maker, make, path, wire }) => {
  const folder = mkdtempSync(join(tmpdir(), "lastcall-killed-"));
  onTestFinished(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  // The second request is not answered before the process is gone.
  await using first = await wireProvider(wire, [[call("scan")], { calls: done, delay: 10_000 }]);
  const args = [folder, `${first.origin}${path}`, png.toString("base64"), pdf.toString("base64")];
  const child = spawn(process.execPath, ["--input-type=module", "-e", program(maker, make), ...args], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  await expect.poll(() => first.requests.length, { timeout: 30_000 }).toBe(2);
  child.kill("SIGKILL");
  await once(child, "exit");

  await using next = await wireProvider(wire, [done]);
  const baseURL = `${next.origin}${path}`;
  const made = maker === "anthropic" ? createAnthropic : createGoogleGenerativeAI;
  const model = fromAiSdk(made({ baseURL, apiKey: "none" })("scripted"));
  const scan = tool({ name: "scan", description: "Scans", input: z.object({}), effect: "read", run: () => "never" });
  const agent = createAgent({ model, tools: [scan, taskCompletion()] });
  const outcome = await agent.resume(openSession({ store: fileStore(folder), id: "s" }));
  expect(outcome.status).toBe("completed");
  // Nothing but a note about the interruption may be new, so the messages of the killed process are the beginning.
  const field = maker === "anthropic" ? "messages" : "contents";
  const [before, after] = [first.requests[1]?.body[field], next.requests[0]?.body[field]] as readonly unknown[][];
  expect(after?.slice(0, before?.length)).toEqual(before);
  for (const bytes of [png, pdf]) expect(JSON.stringify(after).split(bytes.toString("base64"))).toHaveLength(2);
  const kept = readdirSync(join(folder, "s/attachments")).map((name) =>
    readFileSync(join(folder, "s/attachments", name)),
  );
  expect(kept.map((bytes) => bytes.length).sort((a, b) => a - b)).toEqual(
    [pdf.length, png.length].sort((a, b) => a - b),
  );
});
