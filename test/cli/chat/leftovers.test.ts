import { expect, test } from "vitest";
import { takeBack } from "../../../src/cli/chat/leftovers.js";
import { memoryStore, openSession, removeAttachment } from "../../../src/memory/index.js";

const bytes = Buffer.from("%PDF-1.4\n%%EOF\n");

test("messages that no run has read come back with their files, and are gone from the inbox", async () => {
  const store = memoryStore();
  const session = openSession({ store, id: "s" });
  const { id } = await session.send({ text: "read this", attachments: [{ bytes, name: "paper.pdf" }] });
  await session.send({ text: "from another terminal" });
  const { texts, files } = await takeBack(session, [id]);
  expect(texts).toEqual(["read this"]);
  expect(files.map((file) => ({ ...file, bytes: Buffer.from(file.bytes) }))).toEqual([
    { bytes, mediaType: "application/pdf", name: "paper.pdf" },
  ]);
  expect(await takeBack(session, [id])).toEqual({ texts: [], files: [] });
});

test("a file whose bytes are gone is left out, and the words come back", async () => {
  const store = memoryStore();
  const session = openSession({ store, id: "s" });
  const { id, attachments } = await session.send({ text: "read this", attachments: [{ bytes }] });
  await removeAttachment({ store, id: "s", digest: attachments![0]!.digest });
  expect(await takeBack(session, [id])).toEqual({ texts: ["read this"], files: [] });
});
