// Templates: the projects in the folder `templates` of the package, as they are made.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { TemplateName } from "../args/values.js";
import { ownFolder, ownVersion } from "../../packages/index.js";

/** The parts of a package.json that a project is made from. */
export interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** A template. */
export interface Template {
  readonly manifest: Manifest;
  /** The texts of its files by their paths in the project, in the order of the alphabet. The manifest is not among them. */
  readonly files: ReadonlyMap<string, string>;
}

/** Reads a template of the package. */
export function readTemplate(name: TemplateName): Template {
  const folder = fileURLToPath(new URL(`templates/${name}`, ownFolder()));
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const texts = entries.map((entry): [string, string] => {
    const path = join(entry.parentPath, entry.name);
    // npm packs no file of the name .gitignore.
    const named = relative(folder, path)
      .split(sep)
      .join("/")
      .replace(/^gitignore$/, ".gitignore");
    return [named, readFileSync(path, "utf8")];
  });
  const files = new Map(texts.sort(([one], [other]) => (one < other ? -1 : 1)));
  const manifest = JSON.parse(files.get("package.json") ?? "") as Manifest;
  files.delete("package.json");
  return { manifest: { ...manifest, dependencies: { ...manifest.dependencies, lastcall: ownRange() } }, files };
}

/** The range that finds this very package: its version, or the folder of a copy that no package manager installed. */
function ownRange(): string {
  const folder = fileURLToPath(ownFolder());
  return folder.split(sep).includes("node_modules") ? `^${ownVersion()}` : `file:${folder.replace(/[\\/]$/, "")}`;
}
