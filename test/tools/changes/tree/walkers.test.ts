// A tree sees what is there, also if threads walk through its folders, whatever happens to the files and to the threads.

import { appendFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import workers from "node:worker_threads";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { Packs } from "../../../../src/tools/changes/tree/packs.js";
import { walkInThreads } from "../../../../src/tools/changes/tree/walkers.js";
import { TooLarge, Tree, type Difference } from "../../../../src/tools/changes/tree/workspace-tree.js";
import { randomFrom } from "../../../chaos/scale.js";
import { fill, newFolder } from "../world.js";

const { Worker } = workers;

/** The threads that the tests started. */
const threads: InstanceType<typeof Worker>[] = [];

class Counted extends Worker {
  constructor(...given: ConstructorParameters<typeof Worker>) {
    super(...given);
    threads.push(this);
  }
}

beforeEach(() => {
  threads.length = 0;
  Object.assign(workers, { Worker: Counted });
  syncBuiltinESMExports();
});

afterEach(() => {
  Object.assign(workers, { Worker });
  syncBuiltinESMExports();
});

function treeAt(root: string, limits?: { readonly entries: number; readonly bytes: number }): Tree {
  const tree = new Tree(root, new Packs(newFolder()), { limits });
  onTestFinished(() => {
    tree.rest();
  });
  return tree;
}

const seen = (differences: readonly Difference[]): readonly string[] =>
  differences.map(({ path, before, after }) => `${path}: ${before.kind} -> ${after.kind}`).sort();

test("random changes of files and folders are all seen", async () => {
  const random = randomFrom(7);
  const root = newFolder();
  fill(root, 120, random);
  const [alone, spread] = [treeAt(root), treeAt(root)];
  await Promise.all([alone.refresh(), spread.refresh()]);
  spread.useThreads();
  expect(threads.length).toBeGreaterThan(0);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  let moved: string | undefined;
  for (let round = 0; round < 60; round += 1) {
    const paths = [...alone.known].filter(([, { entry }]) => entry.kind !== "other").map(([path]) => path);
    const files = paths.filter((path) => alone.known.get(path)?.entry.kind === "file");
    const folders = paths.filter((path) => alone.known.get(path)?.entry.kind === "folder");
    for (let step = Math.floor(4 * random()); step >= 0; step -= 1)
      try {
        [
          () => {
            appendFileSync(join(root, pick(files)), "more");
          },
          () => {
            writeFileSync(join(root, pick(folders), `new ${String(round)}.${String(step)}`), "new");
          },
          () => {
            mkdirSync(join(root, pick(folders), `folder ${String(round)}.${String(step)}`));
          },
          () => {
            rmSync(join(root, pick(files)));
          },
          () => {
            rmSync(join(root, pick(folders)), { recursive: true });
          },
          // A folder that goes and comes back has the stamps that it had.
          () => {
            if (moved === undefined) renameSync(join(root, (moved = pick(folders))), join(root, "..", "away"));
            else renameSync(join(root, "..", "away"), join(root, moved));
          },
          () => seen(spread.refreshAt([pick(paths)])),
        ][Math.floor(7 * random())]!();
      } catch {
        // It is gone already, or its folder is.
      }
    // A tree that has seen nothing yet sees what is there.
    const fresh = treeAt(root);
    await Promise.all([alone.refresh(), spread.refresh(), fresh.refresh()]);
    const shown = (tree: Tree): unknown => [...tree.known].map(([path, { entry }]) => [path, entry]).sort();
    expect(shown(alone), `by itself, round ${String(round)}`).toEqual(shown(fresh));
    expect(shown(spread), `with threads, round ${String(round)}`).toEqual(shown(fresh));
  }
  rmSync(join(root, "..", "away"), { recursive: true, force: true });
});

test("a file that an edit made, and that somebody removed before the next look, is gone", async () => {
  const root = newFolder();
  writeFileSync(join(root, "a"), "a");
  const tree = treeAt(root);
  await tree.refresh();
  tree.useThreads();
  await tree.refresh();
  mkdirSync(join(root, "made"));
  writeFileSync(join(root, "made/file"), "made");
  expect(seen(tree.refreshAt(["made/file"]))).toEqual(["made/file: none -> file", "made: none -> folder"]);
  rmSync(join(root, "made"), { recursive: true });
  expect(seen(await tree.refresh())).toEqual(["made/file: file -> none", "made: folder -> none"]);
});

test("threads that die lose nothing: the look is done without them", async () => {
  const root = newFolder();
  fill(root, 60, randomFrom(1));
  const tree = treeAt(root);
  await tree.refresh();
  tree.useThreads();
  await tree.refresh();
  writeFileSync(join(root, "src/new"), "new");
  rmSync(join(root, "docs"), { recursive: true });
  for (const thread of threads) await thread.terminate();
  const found = seen(await tree.refresh());
  expect(found).toContain("src/new: none -> file");
  expect(found).toContain("docs: folder -> none");
  expect(found.filter((line) => line.startsWith("docs/")).length).toBeGreaterThan(5);
  expect(await tree.refresh()).toEqual([]);
});

test("a look that found too much is done once more by whoever may find more", async () => {
  const root = newFolder();
  writeFileSync(join(root, "a"), "a");
  const limits = { entries: 3, bytes: 1000 };
  const tree = treeAt(root, limits);
  await tree.refresh();
  tree.useThreads();
  for (const name of ["b", "c", "d"]) writeFileSync(join(root, name), name);
  await expect(tree.refresh()).rejects.toThrow(TooLarge);
  rmSync(join(root, "d"));
  expect(seen(await tree.refresh())).toEqual(["b: none -> file", "c: none -> file"]);
});

test("where no thread can be started, the tree looks by itself", async () => {
  const root = newFolder();
  const place = { root, leftOut: new Set<string>(), largest: 100, broken: () => undefined };
  // A function can't be given to a thread.
  expect(walkInThreads(place, new Map())).toBeUndefined();
});

test("many workspaces at once share few threads, and each is looked at", async () => {
  const trees = await Promise.all(
    Array.from({ length: 12 }, async () => {
      const root = newFolder();
      const tree = treeAt(root);
      await tree.refresh();
      tree.useThreads();
      return { root, tree };
    }),
  );
  expect(threads.length).toBeGreaterThan(0);
  expect(threads.length).toBeLessThanOrEqual(8);
  for (const { root } of trees) writeFileSync(join(root, "a"), "a");
  const found = await Promise.all(trees.map(({ tree }) => tree.refresh()));
  expect(found.map(seen)).toEqual(trees.map(() => ["a: none -> file"]));
});

test("threads end with the run, and hold no process up", async () => {
  const root = newFolder();
  const tree = treeAt(root);
  await tree.refresh();
  tree.useThreads();
  tree.useThreads();
  const ended = threads.map((thread) => new Promise((resolve) => thread.once("exit", resolve)));
  tree.rest();
  await Promise.all(ended);
  writeFileSync(join(root, "a"), "a");
  expect(seen(await tree.refresh())).toEqual(["a: none -> file"]);
});
