// Sessions in files, whose files are damaged, cut, of a newer version or deleted: what is said, and that nothing is skipped.

import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { JournalRecord, Outcome } from "../../src/index.js";
import { fileStore, openSession } from "../../src/memory/index.js";
import { noSum, readLog, writeLine } from "../../src/memory/session/record-lines.js";
import { temporaryFolder } from "../memory/store-places.js";
import { agentIn, freshWorld, recordsIn, session, survive, turn, type World } from "./scenario.js";
import { counted } from "./counted.js";
import { atEach, places } from "./scale.js";

/** A session in files that waits for an answer. */
async function waiting(): Promise<
  AsyncDisposable & { readonly world: World; readonly file: string; readonly bytes: Buffer }
> {
  const folder = await temporaryFolder();
  const world = freshWorld(fileStore(folder.path));
  await turn(world, agentIn(world), world.store);
  const file = join(folder.path, session, "journal.jsonl");
  return { world, file, bytes: await readFile(file), [Symbol.asyncDispose]: folder[Symbol.asyncDispose] };
}

/** What comes of going on with it. */
async function goOn({ store }: World, torn: number[] = []): Promise<Outcome> {
  const handle = openSession({ store, id: session, onTorn: (characters) => void torn.push(characters) });
  return agentIn(freshWorld()).run("The left one.", { session: handle, signal: AbortSignal.timeout(10_000) });
}

/** Why it failed; nothing was changed. */
async function faultOf(world: World, file: string, bytes: Buffer): Promise<string> {
  await writeFile(file, bytes);
  const outcome = await goOn(world);
  if (outcome.status !== "failed") throw new Error(`It was ${outcome.status}.`);
  expect((await readFile(file)).equals(bytes)).toBe(true);
  return `${outcome.fault.code}: ${outcome.fault.message}`;
}

test("cut at any byte of its last record, a session goes on from the one before, and that is told, and appends", async () => {
  await using stage = await waiting();
  const { world, file, bytes } = stage;
  const last = bytes.lastIndexOf("\n", bytes.length - 2) + 1;
  const all = places(bytes.length - last, 12);
  const before = (await recordsIn(world)).slice(0, -1);
  await atEach(all, async (place) => {
    await writeFile(file, bytes.subarray(0, last + place));
    const torn: number[] = [];
    const handle = openSession({ store: world.store, id: session, onTorn: (characters) => void torn.push(characters) });
    const lease = await handle.lease();
    const isWhole = last + place === bytes.length - 1;
    expect(lease?.records.length).toBe(before.length + (isWhole ? 1 : 0));
    expect(lease?.records.slice(0, before.length)).toEqual(before);
    expect(torn).toEqual(place === 0 || isWhole ? [] : [place]);
    await lease?.release();
    expect((await goOn(world)).status).not.toBe("failed");
    expect((await recordsIn(world)).slice(0, before.length)).toEqual(before);
    expect((await recordsIn(world)).length).toBeGreaterThan(before.length + 1);
  });
  counted("fs-torn-tail", all.length);
  await writeFile(file, bytes.subarray(0, -9));
  await survive(world);
});

test("without any one of its records but the last, a session is not gone on with, and the line is named", async () => {
  await using stage = await waiting();
  const { world, file, bytes } = stage;
  const lines = bytes.toString().trimEnd().split("\n");
  const all = places(lines.length - 1, 8);
  await atEach(all, async (place) => {
    const rest = lines.toSpliced(place, 1);
    const fault = await faultOf(world, file, Buffer.from(`${rest.join("\n")}\n`));
    expect(fault).toContain(
      `${place === 0 ? "is no log of a session" : "is damaged"}: line ${String(place + 1)} of ${String(rest.length)} does not have its checksum`,
    );
    if (place > 0)
      expect(fault).toContain("Restore it from a copy, fork it before that place, or see what a repair would drop");
  });
  counted("fs-missing-record", all.length);
});

test("with a bit changed in any byte but its last line feed, a session is not gone on with, and the line is named", async () => {
  await using stage = await waiting();
  const { world, file, bytes } = stage;
  const all = places(bytes.length - 1, 25);
  await atEach(all, async (place) => {
    const hurt = Buffer.from(bytes);
    hurt[place]! ^= 1 << (place % 8);
    await writeFile(file, hurt);
    const line = bytes.subarray(0, place).toString("latin1").split("\n").length;
    const handle = openSession({ store: world.store, id: session });
    await expect(handle.lease()).rejects.toThrow(
      `${line === 1 ? "is no log of a session" : "is damaged"}: line ${String(line)} of `,
    );
    expect((await readFile(file)).equals(hurt)).toBe(true);
  });
  counted("fs-corrupt-byte", all.length);
});

test("of a newer version, or with a record that only a newer one knows, a session is refused and left as it is", async () => {
  await using stage = await waiting();
  const { world, file, bytes } = stage;
  const { records } = readLog(bytes.toString().trimEnd().split("\n"), { id: session, where: "It", isTorn: false });
  const write = (values: readonly object[]): Buffer => {
    let sum = noSum;
    const lines = values.map((value) => {
      const next = writeLine(value as JournalRecord, sum);
      ({ sum } = next);
      return next.line;
    });
    return Buffer.from(`${lines.join("\n")}\n`);
  };
  const header = { lastcall: "session", version: 1, id: session };
  const newer = { type: "telepathy", seq: records.length, at: 9e12 };
  expect(await faultOf(world, file, write([{ ...header, version: 2 }, ...records]))).toMatch(
    /^store: .* has version 2; this lastcall reads version 1\. Use the one that wrote it\.$/,
  );
  expect(await faultOf(world, file, write([header, ...records, newer]))).toContain(
    'there is no record of the type "telepathy"',
  );
  counted("fs-newer-version", 2);
});

test.each([
  ["its journal", ["journal.jsonl"]],
  ["its lock", ["lock"]],
  ["all of it", []],
])(
  "a session whose files are deleted while it goes on, %s, fails with words about it and loses nothing unsaid",
  async (_what, names) => {
    await using folder = await temporaryFolder();
    const world = freshWorld(fileStore(folder.path));
    expect((await turn(world, agentIn(world), world.store))?.status).toBe("waiting");
    const place = join(folder.path, session);
    const deleting = agentIn(world, {
      tool: (tool) => ({
        ...tool,
        run: async (input, context) => {
          await rm(join(place, ...names), { recursive: true, force: true });
          return tool.run(input, context);
        },
      }),
    });
    const failed = await turn(world, deleting, world.store);
    if (failed?.status !== "failed") throw new Error(`It was ${String(failed?.status)}.`);
    expect(failed.fault.code).toBe("store");
    expect(failed.fault.message).toMatch(/deleted|gone|taken over|no such file/i);
    counted("fs-deleted-while-running", 1);
  },
);
