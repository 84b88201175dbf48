import { describe, it } from "vitest";
import { storeConformance } from "../../src/testing/index.js";
import { hasSqlite, inFiles, inMemory, inSqlite } from "./store-places.js";

describe("the store in memory", () => {
  it.each(storeConformance(inMemory))("$name", ({ run }) => run());
});

describe("the store in files", () => {
  it.each(storeConformance(inFiles))("$name", ({ run }) => run());
});

describe.skipIf(!hasSqlite)(
  `the store in SQLite${hasSqlite ? "" : ` (skipped: Node ${process.version} has none)`}`,
  () => {
    it.each(storeConformance(inSqlite))("$name", ({ run }) => run());
  },
);
