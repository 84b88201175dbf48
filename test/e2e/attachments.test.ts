import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createAgent, LastcallError, tool, type Session, type Tool } from "../../src/index.js";
import {
  fileStore,
  forkSession,
  memoryStore,
  openSession,
  removeAttachment,
  windowed,
} from "../../src/memory/index.js";
import { openai, type OpenAIOptions } from "../../src/model/index.js";
import {
  assertWellFormedRequest,
  call,
  scriptedProvider,
  type Script,
  type ScriptedProvider,
} from "../../src/testing/index.js";
import { askQuestion, readFile, readResult, taskCompletion } from "../../src/tools/index.js";

const done = call("task_completion", { result: "seen" });

/** A PNG of one red pixel. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC",
  "base64",
);
const pdf = Buffer.from("%PDF-1.4\n1 0 obj << /Type /Page >> endobj\n2 0 obj << /Type /Pages >> endobj\n%%EOF\n");
const imageUrl = `data:image/png;base64,${png.toString("base64")}`;
const pdfUrl = `data:application/pdf;base64,${pdf.toString("base64")}`;

const camera = tool({
  name: "camera",
  description: "Takes a picture",
  input: z.object({ name: z.string() }),
  effect: "read",
  run({ name }, { attach }) {
    attach({ bytes: png, name: `${name}.png` });
    return `a picture of ${name}`;
  },
});

const tools = [camera, readResult(), askQuestion(), taskCompletion()] as const;

async function provided(script: Script): Promise<ScriptedProvider> {
  const provider = await scriptedProvider(script);
  onTestFinished(() => provider.close());
  return provider;
}

function modelOn(provider: ScriptedProvider, options: OpenAIOptions = {}): ReturnType<typeof openai> {
  return openai({ baseURL: provider.url, model: "scripted", apiKey: "none", steady: false, ...options });
}

/** The messages or items of the last request but `back`. */
function sentIn(provider: ScriptedProvider, back = 0): readonly Readonly<Record<string, unknown>>[] {
  const { body } = provider.requests.at(-1 - back)!;
  assertWellFormedRequest(body);
  return body.input ?? body.messages;
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "lastcall-attached-"));
  onTestFinished(() => {
    rmSync(made, { recursive: true, force: true });
  });
  return made;
}

const files = [
  { bytes: png, name: "dot.png" },
  { bytes: pdf, name: "page.pdf" },
] as const;

describe("files that go with the input", () => {
  test("are parts of the user's message over chat completions", async () => {
    const provider = await provided([[done]]);
    await createAgent({ model: modelOn(provider), tools }).run("What is this?", { attachments: files });
    expect(sentIn(provider)[1]).toEqual({
      role: "user",
      content: [
        { type: "text", text: "What is this?" },
        { type: "image_url", image_url: { url: imageUrl } },
        { type: "file", file: { filename: "page.pdf", file_data: pdfUrl } },
      ],
    });
  });

  test("are input parts over the Responses API", async () => {
    const provider = await provided([[done]]);
    const model = modelOn(provider, { api: "responses" });
    await createAgent({ model, tools }).run("What is this?", { attachments: files });
    expect(sentIn(provider)[0]).toEqual({
      role: "user",
      content: [
        { type: "input_text", text: "What is this?" },
        { type: "input_image", image_url: imageUrl, detail: "auto" },
        { type: "input_file", filename: "page.pdf", file_data: pdfUrl },
      ],
    });
  });

  test("are parts beside the text in the XML dialect", async () => {
    const provider = await provided([
      { text: '<tool_call>{"name": "task_completion", "arguments": {"result": "seen"}}</tool_call>' },
    ]);
    const model = modelOn(provider, { forcing: "xml" });
    const outcome = await createAgent({ model, tools }).run("What is this?", { attachments: files });
    expect(outcome.status).toBe("completed");
    expect(sentIn(provider)[1]!["content"]).toHaveLength(3);
  });

  test("are named in the journal, and their bytes stand once in a session that is plain data", async () => {
    const provider = await provided([[done], [done]]);
    const agent = createAgent({ model: modelOn(provider), tools });
    const first = await agent.run("What is this?", { attachments: [{ bytes: png }, { bytes: png }] });
    const input = first.session.records.find(({ type }) => type === "input");
    expect(input).toMatchObject({ attachments: [{ mediaType: "image/png", size: png.length, tokens: 1 }, {}] });
    expect(JSON.stringify(input)).not.toContain(png.toString("base64"));
    expect(Object.values(first.session.attachments ?? {})).toEqual([png.toString("base64")]);
    const session = JSON.parse(JSON.stringify(first.session)) as Session;
    await agent.run("And now?", { session, attachments: [{ bytes: pdf }] });
    expect(sentIn(provider)[1]).toMatchObject({ content: [{}, { image_url: { url: imageUrl } }, {}] });
    expect(JSON.stringify(sentIn(provider).at(-1))).toContain(pdfUrl);
  });

  test("go with an answer too", async () => {
    const provider = await provided([[call("ask_question", { question: "Which?" })], [done]]);
    const agent = createAgent({ model: modelOn(provider), tools });
    const asked = await agent.run("Find it.");
    if (asked.status !== "waiting") throw new Error(asked.status);
    const answered = { session: asked.session, answers: asked.id, attachments: [{ bytes: png }] };
    expect((await agent.run("This one.", answered)).status).toBe("completed");
    expect(sentIn(provider).at(-1)).toMatchObject({ role: "user", content: [{}, { image_url: { url: imageUrl } }] });
  });

  test.each<[string, object, string]>([
    ["empty", { bytes: new Uint8Array() }, "The attachment is empty."],
    ["no bytes", { bytes: "x" }, "give a Uint8Array"],
    ["of a type that nothing tells", { bytes: Buffer.from("hello"), name: "a.txt" }, "The attachment a.txt is no PNG"],
    ["of a type that is none", { bytes: png, mediaType: "png" }, 'the mediaType "png"'],
    ["too large", { bytes: new Uint8Array(33 * 1024 * 1024), mediaType: "image/png" }, "at most 33554432"],
  ])("are refused before anything happens if one is %s", async (_what, file, message) => {
    const provider = await provided([]);
    const agent = createAgent({ model: modelOn(provider), tools });
    const running = agent.run("Look.", { attachments: [file as { bytes: Uint8Array }] });
    await expect(running).rejects.toThrow(message);
    await expect(running).rejects.toMatchObject({ code: "configuration" });
  });

  test("are refused with advice if the model says that it takes none", async () => {
    const provider = await provided([]);
    const agent = createAgent({ model: modelOn(provider, { attachments: ["image/*"] }), tools });
    const attachments = [{ bytes: pdf, name: "page.pdf" }];
    await expect(agent.run("Look.", { attachments })).rejects.toThrow(
      "scripted takes image/* only, and page.pdf is application/pdf: choose another model",
    );
  });

  test("that the server refuses are told in words, and the session lives in later runs and in other processes", async () => {
    const refusal = { status: 400, message: "This model does not support image input." };
    const provider = await provided([refusal, [done], [done], refusal, [done]]);
    const session = openSession({ store: memoryStore() });
    const agent = createAgent({ model: modelOn(provider), tools });
    const seen = (): string => JSON.stringify(sentIn(provider)[1]);
    for (const requests of [2, 3]) {
      const outcome = await agent.run("Look.", { session, ...(requests === 2 && { attachments: files }) });
      expect(outcome.status).toBe("completed");
      expect(provider.requests).toHaveLength(requests);
      expect(seen()).toContain(
        "[dot.png: image/png, 69 bytes: you can't see it, because the model's server refuses it",
      );
      expect(seen()).not.toContain(imageUrl);
      expect(seen()).toContain(pdfUrl);
    }
    // The model of another process knows nothing of the refusal yet.
    const other = createAgent({ model: modelOn(provider), tools });
    expect((await other.run("Go on.", { session })).status).toBe("completed");
    expect(provider.requests).toHaveLength(5);
  });

  test("that make a request too large go, and the run is not told that its context is full", async () => {
    const provider = await provided([{ status: 413, message: "Request Entity Too Large" }, [done]]);
    const large = Buffer.concat([png, Buffer.alloc(90_000)]);
    const reasons: string[] = [];
    const outcome = await createAgent({ model: modelOn(provider), tools }).run("Look.", {
      attachments: [
        { bytes: png, name: "dot.png" },
        { bytes: large, name: "large.png" },
      ],
      onEvent: (event) => {
        if (event.type === "request-adjusted") reasons.push(event.reason);
      },
    });
    expect(outcome.status).toBe("completed");
    expect(reasons).toEqual([
      "the server refuses files, so these are told in words: [large.png: image/png, 90,069 bytes]. It says: 413 Request Entity Too Large",
    ]);
    expect(JSON.stringify(sentIn(provider)[1])).toContain(imageUrl);
  });
});

describe("files that go with a result", () => {
  test("follow all results of the reply over chat completions", async () => {
    const both = [call("camera", { name: "cat" }), call("camera", { name: "dog" })];
    const provider = await provided([both, [done]]);
    await createAgent({ model: modelOn(provider), tools }).run("Look.");
    const [first, second, after] = sentIn(provider).slice(-3);
    expect([first!["role"], second!["role"], after!["role"]]).toEqual(["tool", "tool", "user"]);
    expect(after!["content"]).toEqual([
      { type: "text", text: "[The files of the result of camera:]" },
      { type: "image_url", image_url: { url: imageUrl } },
      { type: "text", text: "[The files of the result of camera:]" },
      { type: "image_url", image_url: { url: imageUrl } },
    ]);
  });

  test("are in the result over the Responses API", async () => {
    const provider = await provided([[call("camera", { name: "cat" })], [done]]);
    await createAgent({ model: modelOn(provider, { api: "responses" }), tools }).run("Look.");
    const { output } = sentIn(provider).at(-1) as { readonly output: readonly object[] };
    expect(output).toMatchObject([{ type: "input_text" }, { type: "input_image", image_url: imageUrl }]);
  });

  test("extend the prompt and never change what was sent before", async () => {
    const provider = await provided([[call("camera", { name: "cat" })], [call("camera", { name: "dog" })], [done]]);
    await createAgent({ model: modelOn(provider), tools }).run("Look.");
    const [before, after] = [JSON.stringify(sentIn(provider, 1)), JSON.stringify(sentIn(provider))];
    expect(after.startsWith(before.slice(0, -1))).toBe(true);
  });

  test("are told in words to a model that takes none", async () => {
    const provider = await provided([[call("camera", { name: "cat" })], [done]]);
    const model = modelOn(provider, { attachments: [] });
    const outcome = await createAgent({ model, tools }).run("Look.");
    expect(outcome.status).toBe("completed");
    expect(sentIn(provider).at(-1)!["content"]).toContain(
      "[cat.png: image/png, 69 bytes: not shown, because scripted takes no such files]",
    );
  });

  test("are told in words from then on if the server refuses them, and the run goes on", async () => {
    const provider = await provided([
      [call("camera", { name: "cat" })],
      { status: 500, message: "image input is not supported - hint: provide the mmproj" },
      [call("camera", { name: "dog" })],
      [done],
    ]);
    const events: string[] = [];
    const outcome = await createAgent({ model: modelOn(provider), tools }).run("Look.", {
      onEvent: (event) => {
        if (event.type === "request-adjusted") events.push(event.reason);
      },
    });
    expect(outcome.status).toBe("completed");
    expect(events).toEqual([
      expect.stringContaining("these are told in words: [cat.png: image/png, 69 bytes]. It says:"),
    ]);
    expect(JSON.stringify(sentIn(provider))).not.toContain("base64");
    expect(sentIn(provider).at(-1)!["content"]).toContain("you can't see it, because the model's server refuses it");
  });

  test("are those of read_file for an image and a PDF", async () => {
    const root = folder();
    writeFileSync(join(root, "dot.png"), png);
    writeFileSync(join(root, "page.pdf"), pdf);
    const reads = [call("read_file", { path: "dot.png" }), call("read_file", { path: "page.pdf" })];
    const provider = await provided([reads, [done]]);
    await createAgent({ model: modelOn(provider), tools: [readFile({ root }), taskCompletion()] }).run("Look.");
    const last = JSON.stringify(sentIn(provider).at(-1));
    expect(last).toContain(imageUrl);
    expect(last).toContain(pdfUrl);
  });

  test("are not those of read_file for an image of more than ten megabytes, which says so", async () => {
    const root = folder();
    writeFileSync(join(root, "big.png"), Buffer.concat([png, Buffer.alloc(10 * 1024 * 1024)]));
    const provider = await provided([[call("read_file", { path: "big.png" })], [done]]);
    await createAgent({ model: modelOn(provider), tools: [readFile({ root }), taskCompletion()] }).run("Look.");
    expect(sentIn(provider).at(-1)).toMatchObject({ role: "tool" });
    expect(sentIn(provider).at(-1)!["content"]).toContain("It is not shown, because it has more than 10485760 bytes.");
  });

  test("come with read_result again when the prompt no longer shows them", async () => {
    const provider = await provided([
      [call("camera", { name: "cat" })],
      [call("read_result", { call: "call:1:0" })],
      [done],
    ]);
    await createAgent({ model: modelOn(provider), tools }).run("Look.");
    const shown = JSON.stringify(sentIn(provider)).split(imageUrl);
    expect(shown).toHaveLength(3);
  });

  test("leave the prompt with their result, whose stub names them", async () => {
    const looks = Array.from({ length: 12 }, (_, at) => [call("shoot", { at })]);
    const shoot = tool({
      name: "shoot",
      description: "Takes a large picture",
      input: z.object({ at: z.number() }),
      effect: "read",
      run({ at }, { attach }) {
        const large = Buffer.from(png);
        large.writeUInt32BE(4000 + at, 16);
        large.writeUInt32BE(3000, 20);
        attach({ bytes: large, name: `${String(at)}.png` });
        return "a picture";
      },
    });
    const provider = await provided([...looks, [done]]);
    const memory = windowed({ window: 16_000 });
    const agent = createAgent({
      model: modelOn(provider),
      memory,
      tools: [shoot, taskCompletion()] as readonly Tool[],
    });
    expect((await agent.run("Look.")).status).toBe("completed");
    const last = JSON.stringify(sentIn(provider));
    expect(last.split("data:image/png").length - 1).toBeLessThan(8);
    expect(last).toContain("[result of shoot, 9 characters, 0.png, left out]");
  });

  test("have no secret in their names", async () => {
    const key = `sk-${"a1B2".repeat(12)}`;
    const provider = await provided([[call("camera", { name: key })], [done]]);
    const outcome = await createAgent({ model: modelOn(provider), tools }).run("Look.");
    const result = outcome.session.records.find(({ type }) => type === "result");
    expect(JSON.stringify(result)).not.toContain(key);
  });
});

describe("in a store", () => {
  const open = (root: string): ReturnType<typeof openSession> => openSession({ store: fileStore(root), id: "s" });

  test("a file that is sent twenty times stands once on the disk, and the lines stay short", async () => {
    const root = folder();
    const provider = await provided(Array.from({ length: 20 }, () => [done]));
    const agent = createAgent({ model: modelOn(provider), tools });
    for (let run = 0; run < 20; run += 1)
      await agent.run("Look.", { session: open(root), attachments: [{ bytes: png }] });
    const [name, ...others] = readdirSync(join(root, "s/attachments"));
    expect(others).toEqual([]);
    expect(readFileSync(join(root, "s/attachments", name!))).toEqual(png);
    expect(readFileSync(join(root, "s/journal.jsonl"), "utf8")).not.toContain(png.toString("base64"));
    expect(JSON.stringify(sentIn(provider)).split(imageUrl)).toHaveLength(21);
  });

  test("files go on with the session in another process's hands, as plain data, in a fork, and with steering words", async () => {
    const root = folder();
    const provider = await provided([[done], [done], [done], [done]]);
    const agent = createAgent({ model: modelOn(provider), tools });
    await agent.run("Look.", { session: open(root), attachments: [{ bytes: png }] });
    await open(root).send({ text: "And this.", attachments: [{ bytes: pdf }] });
    await agent.run("Again.", { session: open(root) });
    expect(JSON.stringify(sentIn(provider))).toContain(imageUrl);
    expect(JSON.stringify(sentIn(provider))).toContain(pdfUrl);
    await agent.run("As data.", { session: await open(root).toJSON() });
    expect(JSON.stringify(sentIn(provider))).toContain(pdfUrl);
    const fork = await forkSession({ store: fileStore(root), id: "s" });
    await fileStore(root).delete("s");
    await agent.run("Forked.", { session: openSession({ store: fileStore(root), id: fork }) });
    expect(JSON.stringify(sentIn(provider))).toContain(imageUrl);
    expect(readdirSync(root)).toEqual([fork]);
  });

  test("a file that was removed, or changed on the disk, is told to be gone", async () => {
    const root = folder();
    const provider = await provided([[done], [done], [done]]);
    const agent = createAgent({ model: modelOn(provider), tools });
    await agent.run("Look.", { session: open(root), attachments: [{ bytes: png, name: "a.png" }, { bytes: pdf }] });
    const { records } = await open(root).toJSON();
    const input = records.find((record) => record.type === "input");
    const [image, page] = input!.attachments!;
    writeFileSync(join(root, "s/attachments", page!.digest), "something else");
    await removeAttachment({ store: fileStore(root), id: "s", digest: image!.digest });
    await agent.run("Again.", { session: open(root) });
    expect(sentIn(provider)[1]!["content"]).toBe(
      "Look.\n[a.png: image/png, 69 bytes: not shown, because its bytes are gone]\n[application/pdf, 82 bytes: not shown, because its bytes are gone]",
    );
  });

  test("a store without attachments refuses a file and says so, and the run is not begun", async () => {
    const { attachments: _none, ...store } = memoryStore();
    const provider = await provided([]);
    const agent = createAgent({ model: modelOn(provider), tools });
    const outcome = await agent.run("Look.", { session: openSession({ store }), attachments: [{ bytes: png }] });
    if (outcome.status !== "failed") throw new Error(outcome.status);
    expect(outcome.fault).toBeInstanceOf(LastcallError);
    expect(outcome.fault.message).toContain("keeps no attachments");
  });
});
