// The choice of a sandbox: the first that works, or what each one lacks.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { findSandbox } from "../../../src/tools/index.js";
import { candidates, folder, run } from "../sandboxes.js";

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

test.skipIf(process.platform !== "linux")(
  `the reason says what each one lacks${process.platform === "linux" ? "" : " (left out: this system is no Linux)"}`,
  async () => {
    path(folder());
    const found = await findSandbox({ root: folder(), writable: true });
    const arch = ["x64", "arm64"].includes(process.arch) ? "Landlock needs perl" : "Landlock is not used";
    expect(found.ok || found.reason).toMatch(new RegExp(`^bubblewrap is not installed .*\\. ${arch}.*\\.$`));
  },
);
