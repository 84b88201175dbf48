// Replacing a file: at any failure, and even if a folder becomes a link meanwhile, the old or the new file is there,
// and nothing outside changes.

import { mkdir, readdir, readFile as read, rename, rm, symlink, writeFile as write } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import {
  deleteFile,
  disk,
  editFile,
  listFiles,
  moveFile,
  readFile,
  searchFiles,
  writeFile,
  type WorkspaceFiles,
} from "../../../src/tools/index.js";
import { replaceFile, type ReplaceStep } from "../../../src/tools/workspace/replace-file.js";
import { call, makeFolder } from "../fixture.js";

const steps: readonly ReplaceStep[] = ["opened", "written", "synced"];

/** The disk, with an interruption at one step of a replacement. */
function breakingIn(at: ReplaceStep, happens: () => void | Promise<void>): WorkspaceFiles {
  const onStep = async (step: ReplaceStep): Promise<void> => {
    if (step === at) await happens();
  };
  return { ...disk(), replace: (path, content, how) => replaceFile(path, content, { ...how, onStep }) };
}

test.each(steps)("an error once the new file is %s leaves the old one, and no trace", async (step) => {
  const root = await makeFolder();
  await write(join(root, "a.txt"), "old");
  const files = breakingIn(step, () => {
    throw new Error("the disk is full");
  });
  const edits = [{ search: "old", replace: "new" }];
  await expect(call(editFile({ root, files }), { path: "a.txt", edits })).rejects.toThrow("the disk is full");
  await expect(call(writeFile({ root, files }), { path: "a.txt", content: "new" })).rejects.toThrow("the disk is full");
  expect(await readdir(root)).toEqual(["a.txt"]);
  expect(await read(join(root, "a.txt"), "utf8")).toBe("old");
});

const yes = (): boolean => true;
const no = (): boolean => false;

describe("a folder that becomes a link to the outside", () => {
  /** A root with `dir/deep/a.txt`, and a folder with the same structure beside it. */
  async function makeWorld(): Promise<{ root: string; outside: string; swap: () => Promise<void> }> {
    const world = await makeFolder();
    const [root, outside] = [join(world, "work"), join(world, "evil")];
    for (const [folder, text] of [
      [join(root, "dir/deep"), "inside"],
      [join(outside, "deep"), "secret"],
    ] as const) {
      await mkdir(folder, { recursive: true });
      await write(join(folder, "a.txt"), text);
      await write(join(dirname(folder), "a.txt"), text);
    }
    const swap = async (): Promise<void> => {
      await rename(join(root, "dir"), join(root, "held"));
      await symlink(outside, join(root, "dir"));
    };
    return { root, outside, swap };
  }

  async function expectUntouched(outside: string): Promise<void> {
    expect((await readdir(outside, { recursive: true })).sort()).toEqual(["a.txt", "deep", join("deep", "a.txt")]);
    for (const path of ["a.txt", "deep/a.txt"]) expect(await read(join(outside, path), "utf8")).toBe("secret");
  }

  const operations = ["replace", "move", "remove", "read", "list"] as const;

  /** The disk, with a swap right before the operation, after all checks. */
  function swappingBefore(operation: (typeof operations)[number], swap: () => Promise<void>): WorkspaceFiles {
    const real = disk();
    let isSwapped = false;
    const swapOnce = async (): Promise<void> => {
      if (!isSwapped) await swap();
      isSwapped = true;
    };
    const before =
      <Given extends readonly unknown[], Made>(work: (...given: Given) => Promise<Made>) =>
      async (...given: Given): Promise<Made> => {
        await swapOnce();
        return work(...given);
      };
    if (operation === "read") {
      return {
        ...real,
        async *read(path, signal) {
          await swapOnce();
          yield* real.read(path, signal);
        },
      };
    }
    return { ...real, [operation]: before(real[operation] as (...given: readonly unknown[]) => Promise<unknown>) };
  }

  test.each(["dir/a.txt", "dir/deep/a.txt", "dir/new/b.txt"])(
    "between look and use, %s is not touched there",
    async (path) => {
      for (const operation of operations) {
        const { root, outside, swap } = await makeWorld();
        const files = swappingBefore(operation, swap);
        const options = { root, files };
        const isNew = path.endsWith("b.txt");
        const calls: Readonly<Record<(typeof operations)[number], () => Promise<string>>> = {
          replace: () => call(writeFile(options), { path, content: "owned" }),
          move: () =>
            call(moveFile(options), isNew ? { from: "held/a.txt", to: path } : { from: path, to: "stolen.txt" }),
          remove: () => call(deleteFile(options), { path }),
          read: () => call(readFile(options), { path }),
          list: () => call(listFiles(options), { path: dirname(path) }),
        };
        const said = await calls[operation]().catch((thrown: unknown) => String(thrown));
        expect(said).not.toContain("secret");
        expect(said).not.toMatch(/^(?:Wrote|Moved|Deleted)/);
        await expectUntouched(outside);
        expect(await readdir(root)).not.toContain("stolen.txt");
      }
    },
  );

  test.each(steps)("once the new file is %s, it is made nowhere", async (step) => {
    const { root, outside, swap } = await makeWorld();
    const files = breakingIn(step, swap);
    const wanted = call(writeFile({ root, files }), { path: "dir/deep/a.txt", content: "owned" });
    await expect(wanted).rejects.toThrow("is not what it was a moment ago. Nothing was done; look again.");
    await expectUntouched(outside);
    // If no folder can be held open, a temporary file in it can no longer be removed.
    if (process.platform === "linux") expect(await readdir(join(root, "held/deep"))).toEqual(["a.txt"]);
    expect(await read(join(root, "held/deep/a.txt"), "utf8")).toBe("inside");
  });

  const elsewhere = process.platform === "linux" ? "" : " (left out: only Linux can hold a folder open)";
  test.skipIf(elsewhere)(
    `again and again, while all the tools are at work${elsewhere}`,
    async () => {
      const { root, outside, swap } = await makeWorld();
      let isOver = false;
      let swaps = 0;
      const swapping = (async () => {
        while (!isOver) {
          // A tool may make a folder with that name in the meantime; it is then removed.
          await swap().then(
            () => (swaps += 1),
            () => undefined,
          );
          await sleep(Math.random() < 0.5 ? 0 : 1);
          while (!(await rename(join(root, "held"), join(root, "dir")).then(yes, no)))
            await rm(join(root, "dir"), { recursive: true, force: true }).catch(no);
          await sleep(Math.random() < 0.5 ? 0 : 1);
        }
      })();
      const tools = [
        () => call(writeFile({ root }), { path: "dir/deep/b.txt", content: "owned" }),
        () => call(writeFile({ root }), { path: "dir/a.txt", content: "owned" }),
        () => call(editFile({ root }), { path: "dir/deep/a.txt", edits: [{ search: "i", replace: "I" }] }),
        () => call(readFile({ root }), { path: "dir/deep/a.txt" }),
        () => call(listFiles({ root }), { path: "dir/deep" }),
        () => call(moveFile({ root }), { from: "dir/deep/b.txt", to: "dir/c.txt", overwrite: true }),
        () => call(deleteFile({ root }), { path: "dir/c.txt" }),
        () => call(searchFiles({ root, searchWith: "javascript" }), { path: "dir", pattern: "e" }),
        () => call(searchFiles({ root }), { path: "dir", pattern: "e" }),
      ];
      let made = 0;
      const until = performance.now() + 3000;
      const isEnough = (): boolean => performance.now() >= until && swaps > 10 && made > 10;
      for (let turn = 0; !isEnough(); turn += 1) {
        const said = await tools[turn % tools.length]!().catch((thrown: unknown) => `Error: ${String(thrown)}`);
        expect(said).not.toContain("secret");
        if (!said.startsWith("Error")) made += 1;
      }
      isOver = true;
      await swapping;
      expect(swaps).toBeGreaterThan(10);
      expect(made).toBeGreaterThan(10);
      await expectUntouched(outside);
    },
    20_000,
  );
});
