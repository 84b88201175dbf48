import { describe, it } from "vitest";
import { storeConformance } from "../../src/testing/index.js";
import { inFiles, inMemory, inSqlite, noSqlite } from "./store-places.js";

describe("the store in memory", () => {
  it.each(storeConformance(inMemory))("$name", ({ run }) => run());
});

describe("the store in files", () => {
  it.each(storeConformance(inFiles))("$name", ({ run }) => run());
});

describe.skipIf(noSqlite)(`the store in SQLite${noSqlite}`, () => {
  it.each(storeConformance(inSqlite))("$name", ({ run }) => run());
});
