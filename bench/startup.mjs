// Startup: measures the time that importing lastcall adds to an empty module, and the time of `lastcall --help`.

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { median } from "./figures/statistics.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const module = (text) => ["--input-type=module", "--eval", text];

/** An environment without NODE_OPTIONS, NODE_EXTRA_CA_CERTS and the like, which slow down the start of every Node process. */
const env = { PATH: process.env.PATH };

/** The time from the start of a process to its end, in milliseconds. */
function time(args) {
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return performance.now() - began;
}

/** Medians over `count` processes of each kind, which are started alternately. */
export function startup(count) {
  const programs = { empty: module(""), library: module('import "lastcall";'), help: ["dist/cli/bin.js", "--help"] };
  const times = { empty: [], library: [], help: [] };
  for (let round = -1; round < count; round += 1) {
    for (const [name, args] of Object.entries(programs)) {
      const taken = time(args);
      if (round >= 0) times[name].push(taken); // the first round only warms the disk cache
    }
  }
  const empty = median(times.empty);
  return { import: median(times.library) - empty, help: median(times.help) };
}
