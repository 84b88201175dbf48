// Following a session: every record once and in order, from any store, while any process writes.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, copyFile, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createAgent, type JournalRecord } from "../../../src/index.js";
import { fileStore, followSession, memoryStore, openSession, type Store } from "../../../src/memory/index.js";
import { call, scriptedModel, type StoreMaker } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { hasSqlite, inFiles, inMemory, inSqlite, noSqlite, temporaryFolder } from "../store-places.js";

const done = [call("task_completion", { result: "Done." })];

/** Runs tasks on the session, one after the other. */
async function work(store: Store, id: string, tasks: number): Promise<readonly JournalRecord[]> {
  const agent = createAgent({ model: scriptedModel(Array(tasks).fill(done)), tools: [taskCompletion()] });
  const session = openSession({ store, id });
  for (let task = 0; task < tasks; task += 1) await agent.run(`task ${String(task)}`, { session });
  return (await session.toJSON()).records;
}

/** Collects the records after a number, until there are so many. */
function following(store: Store, id: string, until: number, after?: number) {
  const stop = new AbortController();
  const seen: JournalRecord[] = [];
  const end = (async () => {
    for await (const records of followSession({ store, id, after, signal: stop.signal })) {
      seen.push(...records);
      if (seen.length >= until) break;
    }
  })();
  return { seen, end, stop };
}

const perTask = 6;

const places: readonly (readonly [string, StoreMaker])[] = [
  ["memory", inMemory],
  ["files", inFiles],
];

/** The cases of one kind of store. */
function cases(make: StoreMaker): void {
  test("gives what is there, what is added, and what one has not", async () => {
    await using place = { [Symbol.asyncDispose]: async () => undefined, ...(await make({ now: Date.now })) };
    const [reader, writer] = [await place.open(), await place.open()];
    const early = following(reader, "s", 3 * perTask);
    await work(writer, "s", 2);
    const late = following(reader, "s", 2 * perTask, perTask - 1);
    const records = await work(writer, "s", 1);
    await Promise.all([early.end, late.end]);
    expect(early.seen).toEqual(records);
    expect(late.seen).toEqual(records.slice(perTask));
  });

  test("ends with its signal, also where the session never comes to be", async () => {
    await using place = { [Symbol.asyncDispose]: async () => undefined, ...(await make({ now: Date.now })) };
    const { end, stop, seen } = following(await place.open(), "never", 1);
    setTimeout(() => {
      stop.abort();
    }, 20);
    await end;
    expect(seen).toEqual([]);
  });
}

describe.each(places)("following a session in %s", (_name, make) => {
  cases(make);
});

describe.skipIf(!hasSqlite)(`following a session in SQLite${noSqlite}`, () => {
  cases(inSqlite);
});

describe("following a session that another process writes", () => {
  test("misses nothing and repeats nothing, while the process is killed and followed by others", async () => {
    await using folder = await temporaryFolder();
    const writer = `
      import { createAgent } from "lastcall";
      import { fileStore, openSession } from "lastcall/memory";
      import { call, scriptedModel } from "lastcall/testing";
      import { taskCompletion } from "lastcall/tools";
      const script = Array(200).fill([call("task_completion", { result: "Done." })]);
      const agent = createAgent({ model: scriptedModel(script), tools: [taskCompletion()] });
      for (;;) await agent.run("go", { session: openSession({ store: fileStore(process.argv[1]), id: "s" }) });
    `;
    const store = fileStore(folder.path);
    const { seen, end, stop } = following(store, "s", Infinity);
    for (let life = 0; life < 4; life += 1) {
      const before = seen.length;
      const child = spawn(process.execPath, ["--input-type=module", "-e", writer, folder.path], { stdio: "ignore" });
      while (seen.length < before + 10) await new Promise((resolve) => setTimeout(resolve, 5));
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    const { records } = await openSession({ store, id: "s" }).toJSON();
    while (seen.length < records.length) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort();
    await end;
    expect(seen).toEqual(records);
  });
});

/** Puts another session of the same id in the place of the log. */
async function replace(file: string): Promise<void> {
  await using folder = await temporaryFolder();
  await work(fileStore(folder.path), "s", 2);
  // A copy onto the file itself is empty for a moment, which is told as another fault.
  await copyFile(join(folder.path, "s/journal.jsonl"), `${file}.copy`);
  await rename(`${file}.copy`, file);
}

describe("following a log", () => {
  test("leaves out a last line that is being written, until it is whole", async () => {
    await using folder = await temporaryFolder();
    const store = fileStore(folder.path);
    const records = await work(store, "s", 1);
    const file = join(folder.path, "s/journal.jsonl");
    const text = await readFile(file, "utf8");
    const cut = text.length - 30;
    await truncate(file, cut);
    const { seen, end } = following(store, "s", perTask);
    while (seen.length < perTask - 1) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(seen).toEqual(records.slice(0, -1));
    await appendFile(file, text.slice(cut));
    await end;
    expect(seen).toEqual(records);
  });

  test("that was damaged says so", async () => {
    await using folder = await temporaryFolder();
    const store = fileStore(folder.path);
    await work(store, "s", 2);
    const file = join(folder.path, "s/journal.jsonl");
    await writeFile(file, (await readFile(file, "utf8")).replace("task 1", "task 2"));
    await expect(following(store, "s", 3 * perTask, 1).end).rejects.toThrow("is damaged");
  });

  test.each<[string, (file: string) => Promise<void>]>([
    ["cut", (file) => truncate(file, 400)],
    ["deleted", (file) => rm(file)],
    ["replaced by a longer one", replace],
  ])("that was %s behind the last record is told as a fault", async (_what, change) => {
    await using folder = await temporaryFolder();
    const store = fileStore(folder.path);
    await work(store, "s", 1);
    const { seen, end } = following(store, "s", 2 * perTask);
    while (seen.length < perTask) await new Promise((resolve) => setTimeout(resolve, 5));
    const told = expect(end).rejects.toThrow(`no longer has record ${String(perTask - 1)} as it was`);
    await Promise.all([told, change(join(folder.path, "s/journal.jsonl"))]);
  });

  test("reads the new lines alone, however long the log is", async () => {
    await using folder = await temporaryFolder();
    const store = fileStore(folder.path);
    await work(store, "s", 1);
    const file = join(folder.path, "s/journal.jsonl");
    const whole = await readFile(file, "utf8");
    expect(await store.read("s", perTask)).toHaveLength(1);
    // The bytes before the last line are not read again: other bytes there are not noticed.
    await writeFile(file, whole.replace("task 0", "task 9"));
    expect(await store.read("s", perTask)).toEqual([whole.trimEnd().split("\n").at(-1)]);
    expect((await store.read("s", 0))?.join("")).toContain("task 9");
  });
});

test.each([-2, 0.5, Number.NaN])("a number that no record has is refused: %s", async (after) => {
  await expect(following(memoryStore(), "s", 1, after).end).rejects.toThrow("give the seq of a record");
});
