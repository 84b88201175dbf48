// Files on the wires of Anthropic and Gemini: an image and a PDF in the form of each, from the user and from a result.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { fromAiSdk } from "../../src/ai-sdk/index.js";
import { createAgent, tool } from "../../src/index.js";
import { fileStore, openSession } from "../../src/memory/index.js";
import { call } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { makerOf, type Running } from "./makers.js";

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
  "base64",
);
const pdf = Buffer.from("%PDF-1.4\n1 0 obj << /Type /Page >> endobj\n%%EOF\n");
const files = [
  { bytes: png, name: "dot.png" },
  { bytes: pdf, name: "paper.pdf" },
];
const done = [call("task_completion", { result: "seen" })];

const scan = tool({
  name: "scan",
  description: "Scans",
  input: z.object({}),
  effect: "read",
  run(_input, { attach }) {
    files.forEach(attach);
    return "two pages";
  },
});

interface Wired {
  readonly name: string;
  /** The two files as the wire has them. */
  readonly parts: readonly object[];
  /** The contents of the messages of a request, in order. */
  contents(request: Running["requests"][number] | undefined): readonly (readonly object[])[];
}

const anthropic: Wired = {
  name: "anthropic",
  parts: [
    { type: "image", source: { type: "base64", media_type: "image/png", data: png.toString("base64") } },
    {
      type: "document",
      source: { type: "base64", media_type: "application/pdf", data: pdf.toString("base64") },
      title: "paper.pdf",
    },
  ],
  contents: (request) =>
    (request?.body["messages"] as readonly { readonly content: readonly object[] }[]).map(({ content }) => content),
};

const google: Wired = {
  name: "google",
  parts: [
    { inlineData: { mimeType: "image/png", data: png.toString("base64") } },
    { inlineData: { mimeType: "application/pdf", data: pdf.toString("base64") } },
  ],
  contents: (request) =>
    (request?.body["contents"] as readonly { readonly parts: readonly object[] }[]).map(({ parts }) => parts),
};

const cases = [anthropic, google].flatMap((wire) => (["v3", "v4"] as const).map((version) => ({ ...wire, version })));

describe.each(cases)("$name at $version", ({ name, version, parts, contents }) => {
  test("gets the image and the PDF of the user behind the words", async () => {
    await using running = await makerOf(name, version).start([done]);
    const agent = createAgent({ model: fromAiSdk(running.model, { steady: false }), tools: [taskCompletion()] });
    expect((await agent.run("What is this?", { attachments: files })).status).toBe("completed");
    const [first] = contents(running.requests[0]);
    expect(first?.[0]).toMatchObject({ text: "What is this?" });
    expect(first?.slice(1)).toEqual(parts);
  });

  test("gets those of a result behind the results of the reply, and again in every later request", async () => {
    await using running = await makerOf(name, version).start([[call("scan"), call("scan")], [call("scan")], done]);
    const agent = createAgent({ model: fromAiSdk(running.model, { steady: false }), tools: [scan, taskCompletion()] });
    expect((await agent.run("Scan.")).status).toBe("completed");
    const all = contents(running.requests[1]).flat();
    const at = all.findIndex((part) => JSON.stringify(part) === JSON.stringify(parts[0]));
    const results = all.flatMap((part, index) =>
      /tool_result|functionResponse/.test(JSON.stringify(part)) ? [index] : [],
    );
    expect(results).toHaveLength(2);
    expect(at).toBeGreaterThan(results[1] ?? Infinity);
    for (const part of parts) expect(all.filter((one) => JSON.stringify(one) === JSON.stringify(part))).toHaveLength(2);
    expect(JSON.stringify(all)).toContain("[The files of the result of scan:]");
    const later = contents(running.requests[2]).flat();
    for (const part of parts)
      expect(later.filter((one) => JSON.stringify(one) === JSON.stringify(part))).toHaveLength(3);
    // The earlier messages are as they were, so that the provider finds its cache.
    expect(later.slice(0, all.length)).toEqual(all);
  });

  test("a file that is sent twenty times stands once on the disk, and the lines of the journal stay short", async () => {
    const root = mkdtempSync(join(tmpdir(), "lastcall-wires-"));
    onTestFinished(() => {
      rmSync(root, { recursive: true, force: true });
    });
    await using running = await makerOf(name, version).start(Array.from({ length: 20 }, () => done));
    const agent = createAgent({ model: fromAiSdk(running.model, { steady: false }), tools: [taskCompletion()] });
    const store = fileStore(root);
    for (let run = 0; run < 20; run += 1)
      await agent.run("Look.", { session: openSession({ store, id: "s" }), attachments: [files[0]!] });
    expect(readdirSync(join(root, "s/attachments"))).toHaveLength(1);
    const last = contents(running.requests[19]).flat();
    expect(last.filter((part) => JSON.stringify(part) === JSON.stringify(parts[0]))).toHaveLength(20);
    const log = readdirSync(join(root, "s")).find((file) => file.endsWith(".jsonl")) ?? "";
    expect(readFileSync(join(root, "s", log), "utf8")).not.toContain(png.toString("base64").slice(0, 40));
  });
});
