// The contract of vaults, for every kind of vault.

import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Vault } from "../../src/mcp/index.js";

export const keep = (vault: Vault, key: string, text: string): Promise<void> =>
  vault.change(key, () => Promise.resolve({ text }));

/** Declares the tests of one kind of vault. */
export function itIsAVault(kind: string, make: () => Promise<Vault>): void {
  describe(`a vault ${kind}`, () => {
    test("keeps texts by key, and removes them", async () => {
      const vault = await make();
      expect(await vault.read("a")).toBeUndefined();
      await keep(vault, "a", "ä \0 \u{1f600} 1");
      await keep(vault, "b", "2");
      expect([await vault.read("a"), await vault.read("b")]).toEqual(["ä \0 \u{1f600} 1", "2"]);
      await vault.change("a", (now) => Promise.resolve(now?.startsWith("ä") === true ? undefined : { text: "wrong" }));
      expect([await vault.read("a"), await vault.read("b")]).toEqual([undefined, "2"]);
      await vault.change("a", (now) => Promise.resolve({ text: String(now) }));
      expect(await vault.read("a")).toBe("undefined");
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

    test("changes another text while it changes one", async () => {
      const vault = await make();
      await vault.change("a", async () => {
        await keep(vault, "b", "inside");
        return { text: String(await vault.read("b")) };
      });
      expect([await vault.read("a"), await vault.read("b")]).toEqual(["inside", "inside"]);
    });

    test("forgets a text whose time is over", async () => {
      const vault = await make();
      await vault.change("a", () => Promise.resolve({ text: "x", until: Date.now() + 2000 }));
      expect(await vault.read("a")).toBe("x");
      await vault.change("a", () => Promise.resolve({ text: "x", until: Date.now() + 60 }));
      await sleep(80);
      expect(await vault.read("a")).toBeUndefined();
      await vault.change("a", (now) => Promise.resolve({ text: String(now) }));
      expect(await vault.read("a")).toBe("undefined");
    });
  });
}
