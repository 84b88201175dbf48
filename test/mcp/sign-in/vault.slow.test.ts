// Vaults: one change after the other, in this process and in others; files that nobody else reads, encrypted, bound to their keys.

import { execFile } from "node:child_process";
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { createAgent } from "../../../src/index.js";
import { fileVault, mcpTools, memoryVault, signIns, type SignInQuestion, type Vault } from "../../../src/mcp/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { temporaryFolder } from "../../memory/store-places.js";
import { guardedServer } from "./guarded-server.js";
import "../../dist.js";

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

const keep = (vault: Vault, key: string, text: string): Promise<void> =>
  vault.change(key, () => Promise.resolve({ text }));

describe.each<[string, () => Promise<Vault>]>([
  ["in memory", () => Promise.resolve(memoryVault())],
  ["in files", async () => fileVault({ folder: await folderHere() })],
  ["in encrypted files", async () => fileVault({ folder: await folderHere(), key: "ab".repeat(32) })],
])("a vault %s", (_kind, make) => {
  test("keeps texts by key, and removes them", async () => {
    const vault = await make();
    expect(await vault.read("a")).toBeUndefined();
    await keep(vault, "a", "ä 1");
    await keep(vault, "b", "2");
    expect([await vault.read("a"), await vault.read("b")]).toEqual(["ä 1", "2"]);
    await vault.change("a", (now) => Promise.resolve(now === "ä 1" ? undefined : { text: "wrong" }));
    expect([await vault.read("a"), await vault.read("b")]).toEqual([undefined, "2"]);
  });

  test("changes a text once at a time, and keeps it if a change throws", async () => {
    const vault = await make();
    const add = async (now: string | undefined): Promise<{ text: string }> => {
      await sleep(1);
      return { text: String(Number(now ?? 0) + 1) };
    };
    await Promise.all(Array.from({ length: 20 }, () => vault.change("n", add)));
    await expect(vault.change("n", () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await vault.read("n")).toBe("20");
  });

  test("forgets a text whose time is over", async () => {
    const vault = await make();
    await vault.change("a", () => Promise.resolve({ text: "x", until: Date.now() + 60 }));
    await sleep(80);
    expect(await vault.read("a")).toBeUndefined();
    await vault.change("a", (now) => Promise.resolve({ text: String(now) }));
    expect(await vault.read("a")).toBe("undefined");
  });
});

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
    await Promise.all(["30", "30", "30"].map((times) => node("vault-writer.mjs", folder, times)));
    expect(await fileVault({ folder }).read("count")).toBe("90");
  });
});

test("two processes at once refresh a token once, and both calls are made", async () => {
  const guarded = await guardedServer({ listsFreely: true, life: 1, refreshTakes: 300 });
  open.push(() => guarded.close());
  const folder = await folderHere();
  const redirect = "http://127.0.0.1:9/oauth/callback";
  const signIn = signIns({ vault: fileVault({ folder }), redirect });
  await using server = await mcpTools({ name: "bank", url: guarded.url, signIn });
  const agent = createAgent({
    model: scriptedModel([[call("bank__whoami")]]),
    permission: () => true,
    tools: [taskCompletion()],
    toolSources: [server],
  });
  const outcome = await agent.run("Go.", { by: { id: "ann" } });
  if (outcome.status !== "waiting") throw new Error(outcome.status);
  await signIn.complete(await guarded.open((outcome.value as SignInQuestion).address, "ann"), { id: "ann" });
  await sleep(1100);
  const settings = JSON.stringify({ folder, url: guarded.url, redirect });
  const ends = await Promise.all([1, 2].map(() => node("sign-in-caller.mjs", settings)));
  for (const { stdout, stderr } of ends) {
    expect(stdout).toMatch(/You are ann\.[^]*completed/);
    for (const secret of guarded.secrets) expect(stdout + stderr).not.toContain(secret);
  }
  expect(guarded.counts.refreshes).toBe(1);
  expect(guarded.calls).toEqual(["whoami ann", "whoami ann"]);
});
