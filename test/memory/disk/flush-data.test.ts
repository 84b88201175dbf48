import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { flushElsewhere, promptFlush } from "../../../src/memory/disk/flush-data.js";
import { temporaryFolder } from "../store-places.js";

/** Flushes on a disk that takes so many milliseconds for each of them. Returns for each flush where it was made. */
async function flushes(times: readonly number[]): Promise<string> {
  let [now, made] = [0, ""];
  const [first = 0, ...rest] = times;
  let took = first;
  const pass = (where: string): void => {
    now += took;
    made += where;
  };
  const flush = promptFlush({
    here: () => {
      pass("h");
    },
    elsewhere: () => {
      pass("e");
    },
    now: () => now,
  });
  await flush(1);
  for (const next of rest) {
    took = next;
    await flush(1);
  }
  return made;
}

const times = (count: number, took: number): readonly number[] => Array.from({ length: count }, () => took);

test("a fast disk is flushed on this thread, after some flushes have shown that it is fast", async () => {
  expect(await flushes(times(20, 0.2))).toMatch(/^e{5,15}h+$/);
});

test("a slow disk blocks this thread never", async () => {
  expect(await flushes(times(30, 5))).toBe("e".repeat(30));
});

test("a disk that becomes slow blocks this thread once, and until it was fast for a while", async () => {
  const made = await flushes([...times(20, 0.2), ...times(5, 40), ...times(20, 0.2), ...times(40, 0.2)]);
  expect(made.slice(19, 25)).toBe("hheeee".slice(0, 6));
  expect(made.slice(25)).toMatch(/^e{10,30}h+$/);
});

test.each([
  ["here or elsewhere", promptFlush()],
  ["elsewhere", flushElsewhere],
])("a file that can't be flushed is an error, %s", async (_where, flush) => {
  await using folder = await temporaryFolder();
  const file = openSync(join(folder.path, "file"), "w");
  for (let time = 0; time < 20; time += 1) await flush(file);
  closeSync(file);
  for (let time = 0; time < 3; time += 1)
    await expect((async () => flush(file))()).rejects.toMatchObject({ code: "EBADF" });
});
