import { mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { pathIn } from "../../src/files/index.js";

describe("pathIn", () => {
  it.each<[string, string | undefined]>([
    ["a.ts", "a.ts"],
    ["./x//y/../a.ts", "x/a.ts"],
    ["/srv/x/a.ts", "x/a.ts"],
    ["..a", "..a"],
    ["-rf", "-rf"],
    ["/srv", undefined],
    ["", undefined],
    [".", undefined],
    ["../a.ts", undefined],
    ["x/../../work-evil/a.ts", undefined],
    ["/work-evil/a.ts", undefined],
    ["a\0b", undefined],
  ])("of %j in /work is %j", async (path, way) => {
    expect(await pathIn("/srv", path)).toBe(way);
  });

  it("knows the folder by its real path, too", async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "lastcall-files-")));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await mkdir(join(folder, "real"));
    await symlink("real", join(folder, "link"));
    expect(await pathIn(join(folder, "link"), join(folder, "real/a.ts"))).toBe("a.ts");
    expect(await pathIn(join(folder, "link"), join(folder, "link/a.ts"))).toBe("a.ts");
  });
});
