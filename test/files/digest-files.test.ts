import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { finished } from "node:stream/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { digestFiles } from "../../src/files/index.js";
import { without } from "../programs.js";

const { signal } = new AbortController();

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lastcall-files-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  return folder;
}

function sha256(text: string | Buffer): string {
  return createHash("sha256").update(text).digest("hex");
}

async function pathsOf(root: string, ...patterns: readonly string[]): Promise<readonly string[]> {
  return Object.keys(await digestFiles(root, patterns, signal));
}

describe("digestFiles", () => {
  it("gives the SHA-256 of each file that is meant, by its path, sorted", async () => {
    const root = await folderOf({ "b.txt": "b", "a/c.txt": "", "a/.d.txt": "d", "a/e.md": "e" });
    const digests = await digestFiles(root, ["*.txt"], signal);
    expect(Object.entries(digests)).toEqual([
      ["a/.d.txt", sha256("d")],
      ["a/c.txt", sha256("")],
      ["b.txt", sha256("b")],
    ]);
  });

  it("does not enter what tools brought or made, unless a pattern begins with it", async () => {
    const names = [".git", "node_modules", ".venv", "__pycache__"];
    const root = await folderOf(
      Object.fromEntries(["a", ...names.flatMap((name) => [`${name}/x/a`, `sub/${name}/a`])].map((path) => [path, ""])),
    );
    expect(await pathsOf(root, "**")).toEqual(["a"]);
    expect(await pathsOf(root, "a")).toEqual(["a"]);
    expect(await pathsOf(root, "node_modules/x/**")).toEqual(["node_modules/x/a"]);
    expect(await pathsOf(root, "./.git/")).toEqual([".git/x/a"]);
    expect(await pathsOf(root, "sub/__pycache__", "a")).toEqual(["a", "sub/__pycache__/a"]);
    expect(await pathsOf(root, "node_modules_too/**")).toEqual([]);
  });

  it("takes a link for what it is: where it leads, and what is in the file there", async () => {
    const root = await folderOf({ "real.txt": "one", "same.txt": "one", "folder/a": "" });
    await symlink("real.txt", join(root, "link"));
    const first = await digestFiles(root, ["link"], signal);
    await writeFile(join(root, "real.txt"), "two");
    const second = await digestFiles(root, ["link"], signal);
    await rm(join(root, "link"));
    await writeFile(join(root, "real.txt"), "one");
    await symlink("same.txt", join(root, "link"));
    const third = await digestFiles(root, ["link"], signal);
    expect(new Set([first["link"], second["link"], third["link"], sha256("one")]).size).toBe(4);
  });

  it("follows no link to a folder, and is not led round in circles", async () => {
    const root = await folderOf({ "folder/a": "" });
    await symlink(".", join(root, "folder/round"));
    await symlink("folder", join(root, "test"));
    await symlink("nowhere", join(root, "dangling"));
    expect(await pathsOf(root, "**")).toEqual(["dangling", "folder/a", "folder/round", "test"]);
    expect(await pathsOf(root, "test/**")).toEqual(["test"]);
  });

  const noPipe = without("mkfifo");
  it.skipIf(noPipe)(`says of what is no file that it is unreadable, and does not wait for it${noPipe}`, async () => {
    const root = await folderOf({ a: "a" });
    execFileSync("mkfifo", [join(root, "pipe")]);
    expect(await digestFiles(root, ["pipe"], signal)).toEqual({ pipe: "unreadable" });
  });

  it("keeps names that are odd, __proto__ and line breaks among them", async () => {
    const root = await folderOf({ ["__proto__"]: "p", "x/a\nb": "n", " ": "s", ü: "u" });
    const digests = await digestFiles(root, ["**"], signal);
    expect(Object.keys(JSON.parse(JSON.stringify(digests)) as object)).toEqual([" ", "__proto__", "x/a\nb", "ü"]);
  });

  it("of a folder that is not there has nothing, and without patterns does not look", async () => {
    expect(await digestFiles("/no/such/folder", ["**"], signal)).toEqual({});
    expect(await digestFiles(tmpdir(), [], AbortSignal.abort())).toEqual({});
  });

  it("reads large files piece by piece", async () => {
    const root = await folderOf({});
    const file = createWriteStream(join(root, "large"));
    const hash = createHash("sha256");
    for (let count = 0; count < 160; count += 1) {
      const piece = Buffer.alloc(1024 * 1024, count);
      hash.update(piece);
      if (!file.write(piece)) await once(file, "drain");
    }
    file.end();
    await finished(file);
    const before = process.memoryUsage.rss();
    expect(await digestFiles(root, ["large"], signal)).toEqual({ large: hash.digest("hex") });
    expect(process.memoryUsage.rss() - before).toBeLessThan(80 * 1024 * 1024);
  });

  it("stops soon after the signal aborts, with its reason", async () => {
    const files = Array.from({ length: 300 }, (_file, index) => [`${String(index % 10)}/${String(index)}`, "x"]);
    const root = await folderOf(Object.fromEntries(files) as Readonly<Record<string, string>>);
    const reason = new Error("enough");
    await expect(digestFiles(root, ["**"], AbortSignal.abort(reason))).rejects.toBe(reason);
    const abort = new AbortController();
    const digesting = digestFiles(root, ["**"], abort.signal);
    setImmediate(() => {
      abort.abort(reason);
    });
    await expect(digesting).rejects.toBe(reason);
    const large = await folderOf({});
    await writeFile(join(large, "large"), "");
    await truncate(join(large, "large"), 20 * 1024 ** 3);
    const began = performance.now();
    await expect(digestFiles(large, ["**"], AbortSignal.timeout(50))).rejects.toThrow("timeout");
    expect(performance.now() - began).toBeLessThan(10_000);
  });
});
