// Two real models, if the user's cache has them: the short form of `npm run real`. Nothing is downloaded.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { models } from "../scripts/real/index.mjs";
import "./dist.js";

const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "lastcall-real");

for (const { name } of models) {
  const isHere = existsSync(join(cache, "models", name));
  const why = isHere ? "" : ` (left out: ${name} is not in the cache; npm run real brings it)`;
  test.skipIf(!isHere)(
    `a real model answers, and each of its replies is read as it was written: ${name}${why}`,
    { timeout: 600_000 },
    () => {
      const args = ["scripts/real.mjs", "--short", "--offline", "--minutes", "2", "--model", name];
      const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
      expect(stdout + stderr).toMatch(/\n[1-9]\d* replies looked at again, 0 to look at\./);
      expect(status).toBe(0);
    },
  );
}
