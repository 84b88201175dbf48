// A long log is read in two threads. It must say what reading its lines one by one says, or nothing.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, truncate, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { promisify } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JournalRecord } from "../../../src/index.js";
import { readLong } from "../../../src/memory/session/read-long.js";
import { noSum, readLog, writeLine } from "../../../src/memory/session/record-lines.js";
import { fileStore, openSession } from "../../../src/memory/index.js";
import type { LogBytes } from "../../../src/memory/store/store.js";
import { temporaryFolder } from "../store-places.js";
import { built } from "../../dist.js";

const place = { id: "s", where: "It", isTorn: false };

/** The lines of a log with these texts. */
function linesOf(texts: readonly string[], id = "s"): readonly string[] {
  let sum = noSum;
  const records = texts.map((text, seq): JournalRecord => ({ type: "steer", text, sent: "m", seq, at: seq }));
  return [{ lastcall: "session", version: 1, id } as const, ...records].map((value) => {
    const next = writeLine(value, sum);
    ({ sum } = next);
    return next.line;
  });
}

/** The bytes of a log, of which so many are read at once. */
function bytesOf(content: string | Uint8Array, atOnce = Infinity): LogBytes {
  const bytes = Buffer.from(content);
  const memory = new SharedArrayBuffer(bytes.length);
  async function* read(): AsyncGenerator<number> {
    for (let end = 0; end < bytes.length;) {
      const next = Math.min(end + atOnce, bytes.length);
      bytes.copy(Buffer.from(memory), end, end, next);
      end = next;
      yield end;
    }
  }
  return { memory, ends: read() };
}

const whole = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");
const texts = ["Grüße 👋", 'a "quoted"\n text\\', "<|im_end|>\u2028", "plain ".repeat(50)];

describe("a long log", () => {
  test("is read as its lines are, in pieces of any length", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom(...texts)), { maxLength: 12 }),
        fc.integer({ min: 1, max: 700 }),
        async (some, atOnce) => {
          const lines = linesOf(some);
          expect(await readLong(bytesOf(whole(lines), atOnce), place)).toEqual(readLog(lines, place));
        },
      ),
      { numRuns: 40 },
    );
  }, 60_000);

  test("is read if it is decoded in pieces, one of its lines is longer than a piece, and others are not of one byte for each character", async () => {
    const long = "x".repeat(2_500_000);
    const lines = linesOf([
      ...texts,
      long,
      ...Array.from({ length: 3000 }, (_none, index) => `${String(index)} ${"é".repeat(300)}`),
      long,
    ]);
    expect(await readLong(bytesOf(whole(lines), 4_000_000), place)).toEqual(readLog(lines, place));
  }, 60_000);
});

describe("a log that is in doubt is left to the reader of lines", () => {
  const lines = linesOf(texts);
  const bytes = Buffer.from(whole(lines));

  test("with any byte of it changed", async () => {
    const numbers = Array.from({ length: bytes.length }, (_none, index) => index).filter((index) => index % 11 === 0);
    for (const index of numbers) {
      const damaged = Buffer.from(bytes);
      damaged[index] = (damaged[index] ?? 0) ^ (1 << (index % 7));
      expect(await readLong(bytesOf(damaged), place).catch((thrown: unknown) => thrown)).toBeUndefined();
    }
  }, 60_000);

  test.each<[string, string | Uint8Array]>([
    ["cut in its last line", bytes.subarray(0, -5)],
    ["without its last line feed", bytes.subarray(0, -1)],
    ["with a blank line at its end", `${whole(lines)}\n`],
    ["with a blank line in it", whole([...lines.slice(0, 2), "", ...lines.slice(2)])],
    ["with NULs at its end", Buffer.concat([bytes, Buffer.alloc(40)])],
    ["with NULs in it", Buffer.concat([bytes.subarray(0, 300), Buffer.alloc(10), bytes.subarray(310)])],
    ["without a line", whole(lines.toSpliced(2, 1))],
    ["with two lines exchanged", whole([...lines.slice(0, 2), lines[3] ?? "", lines[2] ?? "", ...lines.slice(4)])],
    ["with a line of another log", whole(lines.with(2, linesOf(["other", "another"])[2] ?? ""))],
    ["without a header", whole(lines.slice(1))],
    ["of other text", "no log\n".repeat(20)],
    ["of nothing", ""],
  ])("%s", async (_name, content) => {
    for (const atOnce of [Infinity, 50]) expect(await readLong(bytesOf(content, atOnce), place)).toBeUndefined();
  });

  test("whose bytes are no UTF-8, even if a checksum was made of them", async () => {
    const { hash } = process.getBuiltinModule("node:crypto");
    const header = '{"lastcall":"session","version":1,"id":"s","about":{"x":"\u00ff"}}';
    const body = Buffer.from(header, "latin1");
    const sum = hash("sha256", body, "hex").slice(0, 16);
    const line = Buffer.concat([body.subarray(0, -1), Buffer.from(`,"sum":"${sum}"}\n`)]);
    expect(await readLong(bytesOf(line), place)).toBeUndefined();
  });

  test("with a record whose number is not its place, though its checksum is right", async () => {
    const first = writeLine({ lastcall: "session", version: 1, id: "s" }, noSum);
    const second = writeLine({ type: "steer", text: "x", sent: "m", seq: 7, at: 1 }, first.sum);
    expect(await readLong(bytesOf(whole([first.line, second.line])), place)).toBeUndefined();
  });
});

test("a log of another session is refused with the words of the reader of lines", async () => {
  const lines = linesOf(texts, "other");
  const refusal = (): unknown => readLog(lines, place);
  expect(refusal).toThrow("holds another session, other");
  await expect(readLong(bytesOf(whole(lines)), place)).rejects.toThrow("It holds another session, other");
});

test("a failure to read is thrown, and no thread is left behind", async () => {
  const { memory } = bytesOf(whole(linesOf(texts)));
  async function* fail(): AsyncGenerator<number> {
    yield 100;
    throw new Error("the disk failed");
  }
  await expect(readLong({ memory, ends: fail() }, place)).rejects.toThrow("the disk failed");
});

test("where Node forbids threads, a long session is opened without one", async () => {
  await using folder = await temporaryFolder();
  const lines = linesOf(Array.from({ length: 30 }, () => "x".repeat(300_000)));
  await mkdir(join(folder.path, "s"));
  await writeFile(join(folder.path, "s/journal.jsonl"), whole(lines));
  const program = `
    import { Worker } from "node:worker_threads";
    import { fileStore, openSession } from "${built("memory")}";
    let isForbidden = false;
    try { new Worker("", { eval: true }); } catch { isForbidden = true; }
    const lease = await openSession({ store: fileStore(${JSON.stringify(folder.path)}), id: "s" }).lease();
    console.log(isForbidden, lease.records.length);
    await lease.release();`;
  const script = join(folder.path, "open.mjs");
  await writeFile(script, program);
  const [major = 0] = process.versions.node.split(".").map(Number);
  const permission = major < 23 ? "--experimental-permission" : "--permission";
  const { stdout } = await promisify(execFile)(process.execPath, [
    permission,
    "--allow-fs-read=*",
    "--allow-fs-write=*",
    script,
  ]);
  expect(stdout.trim()).toBe("true 30");
}, 60_000);

describe("a long session in files", () => {
  const lines = linesOf(Array.from({ length: 3000 }, (_none, index) => `${String(index)} ${"line\n".repeat(650)}`));
  const records = readLog(lines, place).records;

  /** The session in a folder of its own, and the path of its log. */
  async function stored(content: string | Uint8Array = whole(lines)) {
    const folder = await temporaryFolder();
    const file = join(folder.path, "s/journal.jsonl");
    await mkdir(join(folder.path, "s"));
    await writeFile(file, content);
    const told: string[] = [];
    const session = openSession({
      store: fileStore(folder.path),
      id: "s",
      onTorn: (_count, message) => told.push(message),
    });
    return { folder, file, told, session, [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
  }

  test("is opened and gone on with, and its lines stay one chain", async () => {
    await using place = await stored();
    expect(Buffer.byteLength(whole(lines))).toBeGreaterThan(8 * 1024 * 1024);
    const store = {
      ...fileStore(place.folder.path),
      read: () => Promise.reject(new Error("its lines were asked for")),
    };
    expect((await openSession({ store, id: "s" }).toJSON()).records).toEqual(records);
    const lease = await place.session.lease();
    expect(lease?.records).toEqual(records);
    const next: JournalRecord = { type: "input", run: 1, text: "more", seq: 3000, at: 3000 };
    await lease?.append(next);
    await lease?.release();
    const text = await readFile(place.file, "utf8");
    expect(readLog(text.trimEnd().split("\n"), { id: "s", where: "It", isTorn: false }).records).toEqual([
      ...records,
      next,
    ]);
    expect((await place.session.toJSON()).records).toEqual([...records, next]);
    expect(place.told).toEqual([]);
  }, 60_000);

  test("with one bit changed is refused, and the line is named", async () => {
    const bytes = Buffer.from(whole(lines));
    const at = Math.floor(bytes.length * 0.7);
    bytes[at] = (bytes[at] ?? 0) ^ 1;
    const number = bytes.subarray(0, at).toString().split("\n").length;
    await using place = await stored(bytes);
    const refusal = `is damaged: line ${String(number)} of 3001 does not have its checksum`;
    await expect(place.session.lease()).rejects.toThrow(refusal);
    await expect(place.session.toJSON()).rejects.toThrow(refusal);
    expect((await readFile(place.file)).equals(bytes)).toBe(true);
  }, 60_000);

  test("whose last line was not written whole goes on from the line before, and that is told", async () => {
    await using place = await stored();
    await truncate(place.file, Buffer.byteLength(whole(lines)) - 7);
    const lease = await place.session.lease();
    expect(lease?.records).toEqual(records.slice(0, -1));
    expect(place.told).toEqual([expect.stringContaining("had a last line that was not written whole")]);
    await lease?.release();
    expect(await readFile(place.file, "utf8")).toBe(whole(lines.slice(0, -1)));
  }, 60_000);

  test("has every record that was acknowledged, however often its process is killed", async () => {
    await using place = await stored();
    const script = join(place.folder.path, "write.mjs");
    await writeFile(
      script,
      `import { fileStore, openSession } from "${built("memory")}";
      const lease = await openSession({ store: fileStore(${JSON.stringify(place.folder.path)}), id: "s" }).lease();
      for (let seq = lease.records.length; ; seq += 1) {
        await lease.append({ type: "steer", text: "x".repeat(seq % 5000), sent: "m", seq, at: seq });
        process.stdout.write(seq + "\\n");
      }`,
    );
    let kept = records.length;
    for (let life = 0; life < 4; life += 1) {
      const child = spawn(process.execPath, [script], { stdio: ["ignore", "pipe", "inherit"] });
      let acknowledged = kept;
      for await (const line of createInterface(child.stdout)) {
        acknowledged = Number(line) + 1;
        if (acknowledged >= kept + 20 + 7 * life) child.kill("SIGKILL");
      }
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
      const lease = await place.session.lease();
      expect(lease?.records.length).toBeGreaterThanOrEqual(acknowledged);
      expect(lease?.records.slice(0, records.length)).toEqual(records);
      kept = lease?.records.length ?? 0;
      await lease?.release();
    }
    expect(kept).toBeGreaterThan(records.length + 80);
  }, 60_000);
});
