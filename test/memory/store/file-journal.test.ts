import { appendFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fileJournal, readJournal } from "../../../src/memory/store/file-journal.js";
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

const store = (words: string) => ({ code: "store", message: expect.stringContaining(words) });

describe("an append", () => {
  test("is a line of the file when it resolves, behind all others", async () => {
    await using place = await bench();
    await place.log.append("one", true);
    expect(await place.text()).toBe("one\n");
    await place.log.append("zwei: ü", false);
    expect(await place.text()).toBe("one\nzwei: ü\n");
    expect(await readJournal(place.file)).toEqual(["one", "zwei: ü"]);
  });

  test("keeps its place if it is not waited for", async () => {
    await using place = await bench();
    const lines = Array.from({ length: 30 }, (_none, index) => `line ${String(index)}`);
    await Promise.all(lines.map((line, index) => place.log.append(line, index % 2 === 0)));
    expect(await readJournal(place.file)).toEqual(lines);
  });

  test.each(["a\nb", "a\0b"])("of %j is refused: not every store could give it back", async (line) => {
    await using place = await bench();
    await expect(place.log.append(line, true)).rejects.toMatchObject({ code: "store" });
    expect(await readJournal(place.file)).toBeUndefined();
  });

  test("without the lock leaves the file as it is, and does not stand in the way of the next", async () => {
    await using place = await bench();
    await place.log.append("one", true);
    place.lock.isHeld = false;
    await expect(place.log.append("two", true)).rejects.toMatchObject(store("the lock is lost"));
    expect(await place.text()).toBe("one\n");
    place.lock.isHeld = true;
    await place.log.append("three", true);
    expect(await place.text()).toBe("one\nthree\n");
  });

  test.skipIf(process.platform === "win32")(
    "to a file that was deleted is refused: it would be in no folder",
    async () => {
      await using place = await bench();
      await place.log.append("one", true);
      await rm(place.file);
      await expect(place.log.append("two", false)).rejects.toMatchObject(store("deleted"));
      expect(await readJournal(place.file)).toBeUndefined();
    },
  );

  test("behind a line that was not written to its end is refused, until that is cut off", async () => {
    await using place = await bench();
    await writeFile(place.file, 'one\n{"seq":');
    await expect(place.log.append("two", true)).rejects.toMatchObject(store("not written to its end"));
    expect(await place.text()).toBe('one\n{"seq":');
    await place.log.cut(1);
    await place.log.append("two", true);
    expect(await place.text()).toBe("one\ntwo\n");
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
    for (const line of ["one", "two", "three"]) await place.log.append(line, false);
    await place.log.cut(lines);
    expect(await place.text()).toBe(text);
    await place.log.append("next", true);
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
    for (let line = 0; line < 3; line += 1) await place.log.append(long, false);
    await place.log.cut(2);
    expect((await readJournal(place.file))?.map(({ length }) => length)).toEqual([100_000, 100_000]);
  });

  test("without the lock is refused", async () => {
    await using place = await bench();
    await place.log.append("one", true);
    place.lock.isHeld = false;
    await expect(place.log.cut(0)).rejects.toMatchObject(store("the lock is lost"));
    expect(await place.text()).toBe("one\n");
  });
});

describe("a log", () => {
  test("is none while it has no line", async () => {
    await using place = await bench();
    expect(await readJournal(place.file)).toBeUndefined();
    await writeFile(place.file, "");
    expect(await readJournal(place.file)).toBeUndefined();
  });

  test("has a last line also if that was not written to its end", async () => {
    await using place = await bench();
    await place.log.append("one", true);
    await appendFile(place.file, "tw");
    expect(await readJournal(place.file)).toEqual(["one", "tw"]);
  });

  test("that was closed is opened again by the next append", async () => {
    await using place = await bench();
    await place.log.append("one", true);
    await place.log.close();
    await place.log.append("two", true);
    expect(await place.text()).toBe("one\ntwo\n");
  });
});
