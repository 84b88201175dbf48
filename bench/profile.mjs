// The CPU of an iteration at N = 200, by room of the sources, from a bundle with source maps.

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { waterfall, waterfallTable } from "./figures/index.mjs";
import { rows } from "./rows.mjs";
import { sample, startServer } from "./samples.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const library = resolve(root, "node_modules/.cache/lastcall-bench");

/** Makes a function that finds the source of a place in a bundle by the map beside it. */
function sources() {
  const maps = new Map();
  return (url, line, column) => {
    if (!url.startsWith("file:")) return undefined;
    const file = fileURLToPath(url);
    if (!maps.has(file)) {
      const map = `${file}.map`;
      maps.set(file, existsSync(map) ? new SourceMap(JSON.parse(readFileSync(map, "utf8"))) : undefined);
    }
    const source = maps.get(file)?.findEntry(line, column).originalSource;
    if (source === undefined || !file.startsWith(library)) return undefined;
    return relative(root, resolve(dirname(file), source));
  };
}

/** The waterfalls of the loop by hand and of lastcall, as tables. */
export async function profileOf() {
  execFileSync(process.execPath, ["scripts/bundle.mjs", "--to", library, "--maps"], { cwd: root, stdio: "ignore" });
  const [row] = rows.filter(({ name }) => name === "n200");
  const server = await startServer();
  try {
    const parts = [];
    for (const client of ["hand", "lastcall"]) {
      const task = { mode: "loop", rows: [{ ...row, runs: 15 }], library, isProfiled: true };
      const { profile, figures } = (await sample(server, client, task)).answer;
      const groups = waterfall(profile, row.n * 15, sources());
      const title = client === "hand" ? "The loop by hand" : "lastcall";
      parts.push(`${title}, ${figures.cpu.toFixed(2)} ms:\n\n${waterfallTable(groups, figures.cpu)}`);
    }
    return parts.join("\n\n");
  } finally {
    server.stop();
    rmSync(library, { recursive: true, force: true });
  }
}
