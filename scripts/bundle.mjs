// Bundles the sources into one file per layer, because loading a file costs Node about a millisecond regardless of its size (docs/adr/0008).
// `--to FOLDER` is another folder than dist, `--maps` adds source maps; the bench's profile uses both.

import { copyFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build } from "rolldown";
import { bundleWeb, forTheWeb, injectedGlobals } from "./bundle-web.mjs";
import { transportPlugins } from "./over-fetch.mjs";

const { values } = parseArgs({
  options: { to: { type: "string", default: "dist" }, maps: { type: "boolean", default: false } },
});

const layers = [
  "core",
  "schema",
  "model",
  "ai-sdk",
  "tools",
  "checks",
  "memory",
  "permission",
  "testing",
  "otel",
  "mcp",
  "server",
  "jwt",
  "postgres",
  "host",
  "dbos",
  "restate",
  "evals",
];

const prompt = /src\/memory\/prompt\//;

rmSync(join(values.to, "chunks"), { recursive: true, force: true });
const { output } = await build({
  input: {
    index: "src/index.ts",
    ...Object.fromEntries(layers.map((layer) => [`${layer}/index`, `src/${layer}/index.ts`])),
    "core/internal": "src/core/internal.ts",
    "cli/bin": "src/cli/bin.ts",
    "cli/log": "src/cli/log.ts",
    "cli/modules/agent-module": "src/cli/modules/agent-module.ts",
  },
  platform: "node",
  plugins: transportPlugins(),
  external: /^[^./]/,
  tsconfig: "tsconfig.json",
  output: {
    dir: values.to,
    sourcemap: values.maps,
    chunkFileNames: "chunks/[name].js",
    // The declarations carry the docstrings; in the code they would only make each import larger.
    comments: { jsdoc: false },
    // Every agent loads the code for prompts, so it is part of `core`. The stores, which load the file system, are used only with sessions.
    codeSplitting: { groups: [{ name: "core", test: prompt }] },
  },
});

const webChunks = await bundleWeb(values.to);

// The bundler writes calls of its own helpers for some syntax, and imports them from a package that users do not have.
const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const known = [manifest.name, ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })];
const isKnown = (name) =>
  /^(?:node:|[./]|chunks\/)/.test(name) || known.some((own) => name === own || name.startsWith(`${own}/`));
const chunks = [...output, ...webChunks];
const files = new Set(chunks.map(({ fileName }) => fileName));
for (const { fileName, imports = [], dynamicImports = [] } of chunks)
  for (const name of [...imports, ...dynamicImports])
    if (!files.has(name) && !isKnown(name))
      throw new Error(
        `${fileName} imports ${name}, which package.json does not have: write the source without the syntax that needs it.`,
      );

// The studio is a page: one script for browsers, with all that it needs. So is the page of one session, whose script stands in it.
for (const [name, parts] of Object.entries({
  app: {},
  page: {
    plugins: [forTheWeb],
    transform: { inject: injectedGlobals() },
    external: /^node:/,
    treeshake: { moduleSideEffects: [{ test: /^node:/, sideEffects: false }] },
  },
}))
  await build({
    input: { [name]: `src/studio/${name}.tsx` },
    platform: "browser",
    ...parts,
    tsconfig: "src/studio/tsconfig.json",
    output: { dir: join(values.to, "studio"), minify: true, sourcemap: values.maps },
  });
const pageScript = readFileSync(join(values.to, "studio/page.js"), "utf8");
if (/<\/script|<!--/i.test(pageScript))
  throw new Error("The script of a session's page would end itself: no text of it may have </script or <!--.");
if (/\b(?:from|import)\s*\(?["']/.test(pageScript))
  throw new Error("The script of a session's page imports something, and the page is one file.");
const plotStyle = createRequire(import.meta.url).resolve("uplot/dist/uPlot.min.css");
const styles = [plotStyle, "src/studio/style.css"].map((file) => readFileSync(file, "utf8"));
writeFileSync(join(values.to, "studio/app.css"), styles.join("\n"));
copyFileSync("src/studio/index.html", join(values.to, "studio/index.html"));
