// A change of the sources that `npm run test:fetch` needs is told by a fast test: that part of the check comes up in few commits only.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { transportPlugins } from "../scripts/over-fetch.mjs";

const id = resolve(import.meta.dirname, "../src/model/transport/transport-of.ts");

afterEach(() => {
  vi.unstubAllEnvs();
});

test("the tests over fetch find the line that they change, and no dispatcher is left there by default", () => {
  vi.stubEnv("TEST_TRANSPORT", "fetch");
  const [plugin] = transportPlugins();
  const source = readFileSync(id, "utf8");
  const { code } = plugin!.transform(source, id)!;
  expect(code).not.toBe(source);
  expect(code).toContain("fetch === undefined ? overFetch(globalThis.fetch) : overFetch(fetch)");
  expect(() => plugin!.transform("", id)).toThrow("scripts/over-fetch.mjs looks for");
});

test("without TEST_TRANSPORT the sources stay as they are", () => {
  vi.stubEnv("TEST_TRANSPORT", "");
  expect(transportPlugins()).toEqual([]);
});
