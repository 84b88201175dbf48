// Files of pages and clients: their bytes reach the model, are kept once, and come back to the page.

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createAgent } from "../../../src/index.js";
import { hostInProcess } from "../../../src/host/index.js";
import { fileStore, openSession, type Store } from "../../../src/memory/index.js";
import { createHandler, type Handler } from "../../../src/server/index.js";
import { readFile, readFileAt } from "../../../src/server/hub/posted-file.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";

const pdf = Buffer.from("%PDF-1.4\n1 0 obj << /Type /Page >> endobj\n%%EOF\n");
const base64 = pdf.toString("base64");
const dataUrl = `data:application/pdf;base64,${base64}`;
const done = [call("task_completion", { result: "Read." })];

interface Served {
  readonly handler: Handler;
  readonly store: Store;
  readonly folder: string;
  /** The files of the messages that the model got, as `name: mediaType`. */
  readonly files: string[];
}

async function served(): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), "lastcall-posted-"));
  const store = fileStore(folder);
  const files: string[] = [];
  const model = scriptedModel(() => done);
  const noting: typeof model = {
    ...model,
    respond(request, ...rest) {
      for (const message of request.messages)
        if ("attachments" in message)
          for (const attachment of message.attachments ?? []) {
            const bytes = request.bytesOf?.(attachment);
            files.push(
              `${attachment.name ?? ""}: ${attachment.mediaType} ${String(bytes && Buffer.from(bytes).equals(pdf))}`,
            );
          }
      return model.respond(request, ...rest);
    },
  };
  const handler = createHandler({
    agents: { reader: createAgent({ model: noting, tools: [taskCompletion()] }) },
    store,
    authenticate: () => true,
  });
  onTestFinished(async () => {
    await handler.close({ timeout: 100 });
    await rm(folder, { recursive: true, force: true });
  });
  return { handler, store, folder, files };
}

function post(path: string, body: object): Request {
  const headers = { "content-type": "application/json", host: "localhost" };
  return new Request(`http://localhost${path}`, { method: "POST", headers, body: JSON.stringify(body) });
}

function get(path: string): Request {
  return new Request(`http://localhost${path}`, { headers: { host: "localhost" } });
}

test("a file of a chat reaches the model, and the page gets it back", async () => {
  const { handler, files, folder } = await served();
  const parts = [
    { type: "text", text: "What does it say?" },
    { type: "file", mediaType: "application/pdf", filename: "bill.pdf", url: dataUrl },
  ];
  const request = { id: "c", messages: [{ id: "u1", role: "user", parts }] };
  expect(await (await handler(post("/chat", request))).text()).toContain("Read.");
  // The page sends the same message again, as it does after a lost answer.
  await (await handler(post("/chat", request))).text();
  expect(files).toEqual(["bill.pdf: application/pdf true"]);
  expect(await readdir(join(folder, "c", "attachments"))).toHaveLength(1);
  const messages = await handler(get("/chat/c/messages"));
  const { messages: shown } = (await messages.json()) as {
    messages: readonly { readonly parts: readonly { readonly type: string; readonly url: string }[] }[];
  };
  const file = shown[0]!.parts[1]!;
  expect(file).toMatchObject({ type: "file", mediaType: "application/pdf", filename: "bill.pdf" });
  const got = await handler(get(file.url));
  expect(Buffer.from(await got.arrayBuffer()).equals(pdf)).toBe(true);
  expect(got.headers.get("content-disposition")).toBe("attachment; filename*=UTF-8''bill.pdf");
  expect((await handler(get("/sessions/c/attachments/0000"))).status).toBe(404);
});

test("a file over AG-UI reaches the model, in the form of each version", async () => {
  const { handler, files } = await served();
  const contents = [
    {
      type: "document",
      source: { type: "data", value: base64, mimeType: "application/pdf" },
      metadata: { filename: "a.pdf" },
    },
    { type: "document", source: { type: "url", value: dataUrl } },
    { type: "binary", mimeType: "application/pdf", data: base64, filename: "b.pdf" },
  ];
  for (const [index, part] of contents.entries()) {
    const content = [{ type: "text", text: "Read it." }, part];
    const body = { threadId: `t${String(index)}`, runId: "r", messages: [{ id: "u", role: "user", content }] };
    expect(await (await handler(post("/agui", body))).text()).toContain("RUN_FINISHED");
  }
  expect(files).toEqual(["a.pdf", "", "b.pdf"].map((name) => `${name}: application/pdf true`));
});

test("a file beside an input, and one over a host, are kept before their delivery is", async () => {
  const { handler, files, store } = await served();
  const attachments = [{ data: base64, name: "c.pdf" }];
  expect((await handler(post("/sessions/s/runs", { input: "Read it.", attachments }))).status).toBe(202);
  await expect.poll(async () => JSON.stringify(await openSession({ store, id: "s" }).toJSON())).toContain("completed");
  const run = await handler.host.give({
    session: "s",
    input: "And this.",
    attachments: [{ bytes: pdf, name: "d.pdf" }],
  });
  expect(await run.ended()).toEqual({ status: "completed" });
  expect(files).toContain("c.pdf: application/pdf true");
  expect(files).toContain("d.pdf: application/pdf true");
  const { records } = await openSession({ store, id: "s" }).toJSON();
  const inputs = records.flatMap((record) => (record.type === "input" ? [record.attachments?.[0]?.digest] : []));
  expect(inputs).toHaveLength(2);
  expect(new Set(inputs).size).toBe(1);
});

test("files that lie in the inbox of a session go on with their words in the next process", async () => {
  const { store, files } = await served();
  const lease = await openSession({ store, id: "s", about: { agent: "reader" } }).lease();
  await openSession({ store, id: "s" }).send({
    id: "1",
    text: "Read it.",
    attachments: [{ bytes: pdf, name: "e.pdf" }],
  });
  await lease!.release();
  const seen: unknown[] = [];
  const model = scriptedModel(() => done);
  const noting: typeof model = {
    ...model,
    respond(request, ...rest) {
      seen.push(request.messages);
      return model.respond(request, ...rest);
    },
  };
  const host = await hostInProcess({
    agents: { reader: createAgent({ model: noting, tools: [taskCompletion()] }) },
    store,
  });
  await expect.poll(async () => JSON.stringify(await openSession({ store, id: "s" }).toJSON())).toContain("completed");
  expect(JSON.stringify(seen)).toContain("e.pdf");
  expect(files).toEqual([]);
  await host.close({ timeout: 100 });
});

test("a file that is no file is refused in words, and nothing is fetched", async () => {
  const { handler } = await served();
  const parts = [
    { type: "text", text: "Look." },
    { type: "file", mediaType: "image/png", url: "http://127.0.0.1:9/secret.png" },
  ];
  const answer = await handler(post("/chat", { id: "c", messages: [{ id: "u1", role: "user", parts }] }));
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining("fetches none")]);
  for (const attachments of ["x", [1], [{ data: "§" }], [{ data: "" }], [{}], [{ data: base64, name: 3 }]]) {
    const refused = await handler(post("/sessions/s/runs", { input: "go", attachments }));
    expect(refused.status, JSON.stringify(attachments)).toBe(400);
  }
  expect(readFile({ data: base64, mediaType: "application/pdf" })).toEqual({
    bytes: pdf,
    mediaType: "application/pdf",
  });
  expect(() => readFileAt("data:text/plain,words")).toThrow("Base64");
});
