// The choice of a sandbox: the first that works, or what each one lacks.

import { mkdirSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { findSandbox } from "../../../src/tools/index.js";
import { candidates, finding, folder, run, why } from "../sandboxes.js";
import { noLinux } from "../../no-linux.js";

const order = process.platform === "darwin" ? ["sandbox-exec"] : ["bubblewrap", "Landlock"];
const working = order.filter((name) => candidates.find((one) => one.name === name)?.finding.ok === true);
const none = " (left out: no sandbox works here)";

function path(folders: string): void {
  vi.stubEnv("PATH", folders);
  onTestFinished(() => void vi.unstubAllEnvs());
}

test.skipIf(working.length === 0)(
  `the first sandbox that works is given${working.length === 0 ? none : ""}`,
  async () => {
    const root = folder();
    const found = await findSandbox({ root, writable: true });
    expect(found.ok && found.shell.description).toContain(`A sandbox (${String(working[0])})`);
    expect(found.ok && (await run(found.shell, root, "echo in it")).output).toBe("in it\n");
  },
);

const hasLandlock = working.includes("Landlock");
test.skipIf(!hasLandlock)(
  `without bubblewrap it is Landlock, and its walls are fewer${hasLandlock ? "" : " (left out: Landlock does not work here)"}`,
  async () => {
    const bin = folder();
    writeFileSync(join(bin, "bwrap"), "#!/bin/sh\necho 'bwrap: no namespaces' >&2\nexit 1\n", { mode: 0o755 });
    path(`${bin}:${process.env["PATH"] ?? ""}`);
    const found = await findSandbox({ root: folder(), writable: true });
    expect(found.ok && found.shell.walls).toEqual(["files", "home"]);
  },
);

test.skipIf(noLinux !== "")(`the reason says what each one lacks${noLinux}`, async () => {
  path(folder());
  const found = await findSandbox({ root: folder(), writable: true });
  const arch = ["x64", "arm64"].includes(process.arch) ? "Landlock needs perl" : "Landlock is not used";
  expect(found.ok || found.reason).toMatch(new RegExp(`^bubblewrap is not installed .*\\. ${arch}.*\\.$`));
});

/** Tries the sandboxes of a workspace, while another program works in it: once at the beginning, and again and again until they were tried. */
async function tryWhile(root: string, work: (round: number) => void): Promise<void> {
  let isTried = false;
  const trial = findSandbox({ root, writable: true }).finally(() => (isTried = true));
  for (let round = 0; !isTried; round += 1) {
    work(round);
    await sleep(1);
  }
  expect((await trial).ok).toBe(true);
}

// A trial treated what others made meanwhile as what its own command had made, and renamed it. Tests of walls met this in other tests.
test.skipIf(!finding.ok).each<readonly [what: string, make: (place: string) => void, name: string]>([
  ["a repository that is cloned", (place) => mkdirSync(join(place, ".git/hooks"), { recursive: true }), ".git"],
  [
    "a file of settings that an editor makes",
    (place) => {
      writeFileSync(join(place, ".mcp.json"), "{}");
    },
    ".mcp.json",
  ],
  [
    "a folder of hooks that an install makes",
    (place) => {
      mkdirSync(join(place, ".husky"));
    },
    ".husky",
  ],
])(`%s while a sandbox is tried keeps its name${why}`, async (_what, make, name) => {
  const root = folder();
  await tryWhile(root, (round) => {
    const place = join(root, `p${String(round)}`);
    mkdirSync(place);
    make(place);
  });
  const renamed = readdirSync(root).filter((place) => !readdirSync(join(root, place)).includes(name));
  expect(renamed).toEqual([]);
});

test.skipIf(!finding.ok)(`a link that a person changes while a sandbox is tried stays changed${why}`, async () => {
  const root = folder();
  const link = join(root, ".mcp.json");
  symlinkSync("old.json", link);
  await tryWhile(root, () => {
    rmSync(link);
    symlinkSync("new.json", link);
  });
  expect([readlinkSync(link), readdirSync(root)]).toEqual(["new.json", [".mcp.json"]]);
});
