import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { fileStore, sqliteStore } from "../../src/memory/index.js";
import { taken } from "../../src/testing/conformance/store-place.js";
import { hasSqlite, temporaryFolder } from "../memory/store-places.js";
import { endings, fight } from "./many-writers.js";
import { counted } from "./counted.js";
import { isFull, randomFrom } from "./scale.js";
import { expectOneLog, startWriter, type Writer, type WriterOptions } from "../memory/writers.js";

test("a journal that is cut at any byte of its last two lines gives the lines before, is never glued to, and goes on", async () => {
  await using folder = await temporaryFolder();
  const store = fileStore(folder.path);
  const lines = ['{"seq":0}', '{"seq":1}', '{"text":"ä 语言 😀"}', '{"text":"\u2028 the last"}'];
  const first = await taken(store, "a");
  for (const line of lines) await first.append([line], true);
  await first.release();
  const file = join(folder.path, "a/journal.jsonl");
  const whole = await readFile(file);
  const from = Buffer.byteLength(`${lines.slice(0, 2).join("\n")}\n`);
  for (let end = from; end <= whole.length; end += 1) {
    await writeFile(file, whole.subarray(0, end));
    const kept = whole.subarray(0, end).toString().split("\n").length - 1;
    const isTorn = whole[end - 1] !== 10;
    const read = (await store.read("a")) ?? [];
    expect(read.slice(0, kept)).toEqual(lines.slice(0, kept));
    expect(read.length).toBe(kept + (isTorn ? 1 : 0));
    const lock = await taken(store, "a");
    expect(lock.isTorn).toBe(isTorn);
    await lock.append(["not glued"], true);
    expect((await store.read("a"))?.at(-1)).toBe("not glued");
    await lock.cut(kept);
    await lock.append(["next"], true);
    expect(await store.read("a")).toEqual([...lines.slice(0, kept), "next"]);
    await lock.release();
  }
  counted("fs-cut-journal", 1);
});

test("a last line that only lacks its line feed can be kept", async () => {
  await using folder = await temporaryFolder();
  const store = fileStore(folder.path);
  await mkdir(join(folder.path, "a"));
  await writeFile(join(folder.path, "a/journal.jsonl"), "one\ntwo");
  const lock = await taken(store, "a");
  await lock.cut(2);
  await lock.append(["three"], true);
  expect(await store.read("a")).toEqual(["one", "two", "three"]);
  counted("fs-missing-line-feed", 1);
});

test("killed again and again while it appends, a process has lost no line that it told of", async () => {
  const times = isFull(1) ? 50 : 8;
  const random = randomFrom(1);

  await using folder = await temporaryFolder();
  const options: WriterOptions = { kind: "files", path: folder.path, speed: 1, begin: Date.now(), most: 1e9 };
  const store = fileStore(folder.path);
  const writers: Writer[] = [];
  let before = 0;
  for (let time = 0; time < times; time += 1) {
    const writer = startWriter(options);
    writers.push(writer);
    await writer.begun;
    await wait(random() * 20);
    await writer.kill();
    const { length } = await expectOneLog(store, [writer]);
    expect(length).toBeGreaterThan(before);
    before = length - 1;
  }
  await expectOneLog(store, writers);
  counted("kill-while-appending", times);
}, 120_000);

describe.each<WriterOptions["kind"]>(hasSqlite ? ["files", "sqlite"] : ["files"])(
  "many processes over one session in %s",
  (kind) => {
    test.each(endings)(
      "%s",
      async (_what, speed, signal) => {
        await using folder = await temporaryFolder();
        const path = join(folder.path, "sessions");
        const store = kind === "files" ? fileStore(path) : sqliteStore(path);
        const options: WriterOptions = { kind, path, speed, begin: Date.now(), most: 20 };
        await fight({ options, processes: isFull(2) ? (kind === "files" ? 20 : 8) : 6, signal, store });
        expect.hasAssertions();
      },
      60_000,
    );
  },
);
