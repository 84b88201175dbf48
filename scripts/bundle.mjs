// Bundles the sources into one file for each layer: loading a file costs Node about a millisecond, whatever is in it (docs/adr/0008).

import { rmSync } from "node:fs";
import { build } from "rolldown";

const layers = ["core", "schema", "model", "tools", "checks", "memory", "permission", "testing"];

const prompt = /src\/memory\/prompt\//;

rmSync("dist/chunks", { recursive: true, force: true });
await build({
  input: {
    index: "src/index.ts",
    ...Object.fromEntries(layers.map((layer) => [`${layer}/index`, `src/${layer}/index.ts`])),
    "core/internal": "src/core/internal.ts",
    "cli/bin": "src/cli/bin.ts",
  },
  platform: "node",
  external: /^[^./]/,
  tsconfig: "tsconfig.json",
  output: {
    dir: "dist",
    chunkFileNames: "chunks/[name].js",
    // What makes the prompt is loaded by every agent; the stores, and the file system with them, only where sessions are kept.
    codeSplitting: { groups: [{ name: "core", test: prompt }] },
  },
});
