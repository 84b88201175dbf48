// Bundles the entries that need no operating system for browsers, Cloudflare's workerd and edge functions, into dist/web (docs/adr/0106).
//
// The sources are the same as for Node, with two replacements. A file `x.web.ts` stands in for `x.ts` beside it. Node's modules and globals are
// the small files of src/web, which have what the sources use and no more.

import { existsSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { build } from "rolldown";

/** The entries. `index` is `lastcall` itself. */
const webEntries = [
  "index",
  "schema",
  "model",
  "ai-sdk",
  "tools",
  "checks",
  "memory",
  "testing",
  "evals",
  "host",
  "server",
  "jwt",
];

/** Node's modules, by the file of src/web that stands in for each. */
const modules = {
  "node:crypto": "crypto",
  "node:events": "events",
  events: "events",
  "node:fs": "fs",
  "node:http": "http",
  "node:os": "os",
  "node:string_decoder": "string-decoder",
  "node:timers/promises": "timers-promises",
  "node:util": "util",
};

/** Node's globals. */
const globals = {
  Buffer: "buffer",
  process: "process",
  ...Object.fromEntries(
    ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "setImmediate", "clearImmediate"].map((name) => [
      name,
      "timers",
    ]),
  ),
};

/** Packages that become part of the bundle: they are not installed with lastcall, or ask for Node's modules themselves. */
const inlined = ["@noble/hashes/sha2.js", "dequal", "events/events.js", "opossum"];

/** The file that stands in for one of Node's. */
export const standIn = (name) => resolve("src/web", `${name}.ts`);

/** The stand-ins for Node's globals, as the bundler takes them. */
export const injectedGlobals = () =>
  Object.fromEntries(Object.entries(globals).map(([name, file]) => [name, [standIn(file), name]]));

/** The plug-in that replaces files and modules. */
export const forTheWeb = {
  name: "for the web",
  resolveId(source, importer) {
    if (Object.hasOwn(modules, source)) return standIn(modules[source]);
    if (importer === undefined || !source.startsWith(".")) return null;
    const own = resolve(dirname(importer), source).replace(/\.js$/, ".web.ts");
    return existsSync(own) ? own : null;
  },
};

/** Bundles into `web` below the folder. Returns the chunks. */
export async function bundleWeb(to) {
  rmSync(join(to, "web"), { recursive: true, force: true });
  const fileOf = (entry) => (entry === "index" ? "src/index.ts" : `src/${entry}/index.ts`);
  const { output } = await build({
    input: Object.fromEntries(
      webEntries.map((entry) => {
        const own = fileOf(entry).replace(/\.ts$/, ".web.ts");
        return [entry === "index" ? entry : `${entry}/index`, existsSync(own) ? own : fileOf(entry)];
      }),
    ),
    platform: "neutral",
    plugins: [forTheWeb],
    external: (name) =>
      /^[^./]/.test(name) && !/^\0/.test(name) && !inlined.includes(name) && !Object.hasOwn(modules, name),
    transform: { inject: injectedGlobals() },
    // Of what stays in a bundle, no module of Node does anything by being loaded.
    treeshake: { moduleSideEffects: [{ test: /^node:/, sideEffects: false }] },
    tsconfig: "tsconfig.json",
    output: { dir: join(to, "web"), chunkFileNames: "chunks/[name].js", comments: { jsdoc: false } },
  });
  return output;
}
