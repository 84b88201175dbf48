// Vaults: one change after the other, in this process and in others; files that nobody else reads, encrypted, bound to their keys.

import { execFile } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { fileVault, memoryVault } from "../../src/mcp/index.js";
import { expectOneRefresh } from "../mcp/sign-in/one-refresh.js";
import { temporaryFolder } from "../memory/store-places.js";
import { itIsAVault, keep } from "./contract.js";
import "../dist.js";

const run = promisify(execFile);
const node = (script: string, ...args: readonly string[]): Promise<{ stdout: string; stderr: string }> =>
  run(process.execPath, [join(import.meta.dirname, script), ...args]);

const open: (() => PromiseLike<unknown>)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

async function folderHere(): Promise<string> {
  const folder = await temporaryFolder();
  open.push(() => folder[Symbol.asyncDispose]());
  return join(folder.path, "vault");
}

itIsAVault("in memory", () => Promise.resolve(memoryVault()));
itIsAVault("in files", async () => fileVault({ folder: await folderHere() }));
itIsAVault("in encrypted files", async () => fileVault({ folder: await folderHere(), key: "ab".repeat(32) }));

describe("a vault in files", () => {
  test("is its owner's alone, and removes files whose time is over", async () => {
    const folder = await folderHere();
    const vault = fileVault({ folder });
    await vault.change("a", () => Promise.resolve({ text: "x", until: Date.now() + 1 }));
    await sleep(5);
    await keep(vault, "b", "y");
    const files = readdirSync(folder).filter((name) => name.endsWith(".json"));
    expect(files).toHaveLength(1);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, files[0] ?? "")).mode & 0o777).toBe(0o600);
  });

  test("an old file was removed while somebody was about to write it anew", async () => {
    const folder = await folderHere();
    const vault = fileVault({ folder });
    await vault.change("a", () => Promise.resolve({ text: "x", until: Date.now() + 1 }));
    await sleep(5);
    const files = (): number => readdirSync(folder).filter((name) => name.endsWith(".json")).length;
    let during = 0;
    await vault.change("a", async () => {
      await keep(fileVault({ folder }), "b", "y");
      during = files();
      return { text: "new" };
    });
    expect([during, files(), await vault.read("a")]).toEqual([2, 2, "new"]);
  });

  test("removes the tokens that a process left which died while it wrote", async () => {
    const folder = await folderHere();
    const vault = fileVault({ folder });
    await keep(vault, "a", "1");
    const [file = ""] = readdirSync(folder).filter((name) => name.endsWith(".json"));
    const left = ["0123456789ab", "ba9876543210"].map((word) => join(folder, `${file}.${word}.new`));
    for (const one of left) writeFileSync(one, '{"text":"a token"}');
    const [old = "", fresh = ""] = left;
    utimesSync(old, Date.now() / 1000 - 120, Date.now() / 1000 - 120);
    await keep(vault, "b", "2");
    expect([existsSync(old), existsSync(fresh)]).toEqual([false, true]);
    expect(await vault.read("a")).toBe("1");
  });

  test("opens an encrypted file with its key and under its name alone", async () => {
    const folder = await folderHere();
    const key = "cd".repeat(32);
    const vault = fileVault({ folder, key });
    await keep(vault, "a", "the token");
    const [file = ""] = readdirSync(folder).filter((name) => name.endsWith(".json"));
    expect(readFileSync(join(folder, file), "utf8")).not.toContain("token");
    await expect(fileVault({ folder, key: "ef".repeat(32) }).read("a")).rejects.toThrow(
      "can't be opened with this key",
    );
    await expect(fileVault({ folder }).read("a")).rejects.toThrow("is encrypted");
    await keep(vault, "b", "another");
    const [other = ""] = readdirSync(folder).filter((name) => name.endsWith(".json") && name !== file);
    copyFileSync(join(folder, file), join(folder, other));
    await expect(vault.read("b")).rejects.toThrow("can't be opened with this key");
    expect(await vault.read("a")).toBe("the token");
  });

  test("tells damage, files without encryption, and a key that is none", async () => {
    const folder = await folderHere();
    await keep(fileVault({ folder }), "a", "x");
    await expect(fileVault({ folder, key: "cd".repeat(32) }).read("a")).rejects.toThrow("is not encrypted");
    const [file = ""] = readdirSync(folder).filter((name) => name.endsWith(".json"));
    writeFileSync(join(folder, file), "{");
    await expect(fileVault({ folder }).read("a")).rejects.toThrow("is damaged");
    expect(() => fileVault({ folder, key: "short" })).toThrow("not 32 bytes");
  });

  test("has its changes come one after the other in three processes", async () => {
    const folder = await folderHere();
    await Promise.all(["30", "30", "30"].map((times) => node("vault-writer.mjs", JSON.stringify({ folder }), times)));
    expect(await fileVault({ folder }).read("count")).toBe("90");
  });
});

test("two processes at once refresh a token once, and both calls are made", async () => {
  const folder = await folderHere();
  await expectOneRefresh({ vault: fileVault({ folder }), settings: { folder } });
});
