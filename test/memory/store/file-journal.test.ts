import { appendFile, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import fs, { statSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { fileJournal } from "../../../src/memory/store/file-journal.js";
import { readJournal } from "../../../src/memory/store/read-journal.js";
import { temporaryFolder } from "../store-places.js";

/** A log in a folder of its own; whether its writer holds the lock can be switched. */
async function bench() {
  const folder = await temporaryFolder();
  const file = join(folder.path, "journal.jsonl");
  const lock = { isHeld: true };
  const log = fileJournal(file, () => {
    if (!lock.isHeld) throw new Error("the lock is lost");
  });
  return {
    file,
    lock,
    log,
    text: () => readFile(file, "utf8"),
    async [Symbol.asyncDispose]() {
      await log.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Waits until the next append checks the lock and the file before it writes. */
const aMoment = () => setTimeout(20);

type Done = (error: NodeJS.ErrnoException | null) => void;

/** Puts something in the place of the function that flushes a file, until it is disposed of. */
function onFlush(flushed: (done: Done, flush: (done: Done) => void) => void): Disposable {
  const original = fs.fdatasync;
  const change = (to: unknown): void => {
    Object.assign(fs, { fdatasync: to });
    syncBuiltinESMExports();
  };
  change((descriptor: number, done: Done) => {
    flushed(done, (then) => {
      original(descriptor, then);
    });
  });
  return {
    [Symbol.dispose]: () => {
      change(original);
    },
  };
}

const store = (words: string) => ({ code: "store", message: expect.stringContaining(words) });

describe("an append", () => {
  test("is a line of the file when it resolves, behind all others", async () => {
    await using place = await bench();
    await place.log.append(["one"], true);
    expect(await place.text()).toBe("one\n");
    await place.log.append(["zwei: ü"], false);
    expect(await place.text()).toBe("one\nzwei: ü\n");
    expect(await readJournal(place.file)).toEqual(["one", "zwei: ü"]);
  });

  test("keeps its place if it is not waited for", async () => {
    await using place = await bench();
    const lines = Array.from({ length: 30 }, (_none, index) => `line ${String(index)}`);
    await Promise.all(lines.map((line, index) => place.log.append([line], index % 2 === 0)));
    expect(await readJournal(place.file)).toEqual(lines);
  });

  test.each(["a\nb", "a\0b"])("of %j is refused: not every store could give it back", async (line) => {
    await using place = await bench();
    await expect(place.log.append([line], true)).rejects.toMatchObject({ code: "store" });
    expect(await readJournal(place.file)).toBeUndefined();
  });

  test("without the lock leaves the file as it is, and does not stand in the way of the next", async () => {
    await using place = await bench();
    place.lock.isHeld = false;
    await expect(place.log.append(["none"], true)).rejects.toMatchObject(store("the lock is lost"));
    expect(await readJournal(place.file)).toBeUndefined();
    place.lock.isHeld = true;
    await place.log.append(["one"], true);
    place.lock.isHeld = false;
    await aMoment();
    await expect(place.log.append(["two"], true)).rejects.toMatchObject(store("the lock is lost"));
    expect(await place.text()).toBe("one\n");
    place.lock.isHeld = true;
    await place.log.append(["three"], true);
    expect(await place.text()).toBe("one\nthree\n");
  });

  test("that is flushed is not reported as done if the lock was lost or the file changed immediately before", async () => {
    await using place = await bench();
    await place.log.append(["one"], true);
    place.lock.isHeld = false;
    await expect(place.log.append(["two"], true)).rejects.toMatchObject(store("the lock is lost"));
    place.lock.isHeld = true;
    await appendFile(place.file, "three\n");
    await expect(place.log.append(["four"], true)).rejects.toMatchObject(store("changed by another program"));
  });

  test.skipIf(process.platform === "win32")(
    "to a file that was deleted is refused: it would be in no folder (left out: Windows deletes no open file)",
    async () => {
      await using place = await bench();
      await place.log.append(["one"], true);
      await rm(place.file);
      await aMoment();
      await expect(place.log.append(["two"], false)).rejects.toMatchObject(store("deleted"));
      expect(await readJournal(place.file)).toBeUndefined();
    },
  );

  test("behind a line that was not written to its end begins a line of its own", async () => {
    await using place = await bench();
    await writeFile(place.file, 'one\n{"seq":');
    expect(await place.log.begin()).toBe(true);
    await place.log.append(["two"], true);
    expect(await place.text()).toBe('one\n{"seq":\ntwo\n');
    await place.log.cut(1);
    await place.log.append(["two"], true);
    expect(await place.text()).toBe("one\ntwo\n");
  });

  test.each([
    ["truncated", ""],
    ["shortened by a byte", "on"],
    ["lengthened by a blank line", "one\n\n"],
  ])("to a log that another program has %s is refused, and the bytes are told", async (_what, text) => {
    await using place = await bench();
    await place.log.append(["one"], true);
    await writeFile(place.file, text);
    await aMoment();
    await expect(place.log.append(["two"], false)).rejects.toMatchObject(store("changed by another program"));
    expect(await place.text()).toBe(text);
  });

  test("after a flush that failed is refused, and the refusal names and holds the first cause", async () => {
    await using place = await bench();
    await place.log.append(["one"], true);
    const cause = Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" });
    using flushes = onFlush((done) => {
      done(cause);
    });
    await expect(place.log.append(["two"], true)).rejects.toMatchObject({
      cause,
      message: expect.stringContaining("EIO"),
    });
    flushes[Symbol.dispose]();
    for (let time = 0; time < 2; time += 1)
      await expect(place.log.append(["three"], true)).rejects.toMatchObject({
        code: "store",
        cause,
        message: expect.stringMatching(/could not be taken back: EIO: i\/o error, fdatasync\. Open it anew/),
      });
    expect(await place.text()).toBe("one\n");
  });

  test("is flushed before it resolves if that is asked for, with all lines before it, and not otherwise", async () => {
    await using place = await bench();
    const sizes: number[] = [];
    using _flushes = onFlush((done, flush) => {
      flush((error) => {
        sizes.push(statSync(place.file).size);
        done(error);
      });
    });
    await place.log.append(["one"], false);
    expect(sizes).toEqual([]);
    await place.log.append(["two"], true);
    expect(sizes).toEqual([8]);
  });
});

describe("a cut", () => {
  test.each([
    [0, ""],
    [1, "one\n"],
    [2, "one\ntwo\n"],
    [9, "one\ntwo\nthree\n"],
  ])("to %i lines keeps %j", async (lines, text) => {
    await using place = await bench();
    for (const line of ["one", "two", "three"]) await place.log.append([line], false);
    await place.log.cut(lines);
    expect(text === "" ? "" : await place.text()).toBe(text);
    expect(await readJournal(place.file)).toEqual(text === "" ? undefined : text.trimEnd().split("\n"));
    await place.log.append(["next"], true);
    expect(await place.text()).toBe(`${text}next\n`);
  });

  test("that keeps a last line without its end ends it", async () => {
    await using place = await bench();
    await writeFile(place.file, "one\ntwo");
    await place.log.cut(2);
    expect(await place.text()).toBe("one\ntwo\n");
  });

  test("finds the end of a line in a file that is read in many pieces", async () => {
    await using place = await bench();
    const long = "x".repeat(100_000);
    for (let line = 0; line < 3; line += 1) await place.log.append([long], false);
    await place.log.cut(2);
    expect((await readJournal(place.file))?.map(({ length }) => length)).toEqual([100_000, 100_000]);
  });

  test("without the lock is refused", async () => {
    await using place = await bench();
    await place.log.append(["one"], true);
    place.lock.isHeld = false;
    await expect(place.log.cut(0)).rejects.toMatchObject(store("the lock is lost"));
    expect(await place.text()).toBe("one\n");
  });
});

describe("a log", () => {
  test("is none while there is no file, and has no lines in a file that was just made", async () => {
    await using place = await bench();
    expect(await readJournal(place.file)).toBeUndefined();
    fs.closeSync(fs.openSync(place.file, "a"));
    expect(await readJournal(place.file)).toEqual([]);
  });

  test("that somebody has emptied is refused: what it had may have happened", async () => {
    await using place = await bench();
    await place.log.append(["one"], true);
    await truncate(place.file);
    await expect(readJournal(place.file)).rejects.toMatchObject(store("another program has emptied it"));
  });

  test.skipIf(process.platform === "win32")(
    "that is a link is not read, and what it leads to is not written (left out: links need rights on Windows)",
    async () => {
      await using place = await bench();
      for (const text of ["my only line", '{"precious":true}', "one\ntwo\n", ""]) {
        const target = `${place.file}.target`;
        await writeFile(target, text);
        await symlink(target, place.file);
        await expect(readJournal(place.file)).rejects.toMatchObject(store("is a link, which is not followed"));
        await expect(place.log.append(["two"], true)).rejects.toMatchObject(store("is a link, which is not followed"));
        await expect(place.log.cut(0)).rejects.toMatchObject(store("is a link, which is not followed"));
        expect(await readFile(target, "utf8")).toBe(text);
        await rm(place.file);
      }
    },
  );

  test("has a last line also if that was not written to its end", async () => {
    await using place = await bench();
    await place.log.append(["one"], true);
    await appendFile(place.file, "tw");
    expect(await readJournal(place.file)).toEqual(["one", "tw"]);
  });

  test("that was closed is opened again by the next append", async () => {
    await using place = await bench();
    await place.log.append(["one"], true);
    await place.log.close();
    await place.log.append(["two"], true);
    expect(await place.text()).toBe("one\ntwo\n");
  });
});
