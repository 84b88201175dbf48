// Templates: the projects in the folder `templates` of the package, as they are made.

import { readdirSync, readFileSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
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
  return {
    manifest: {
      ...manifest,
      dependencies: { ...manifest.dependencies, lastcall: rangeOf(fileURLToPath(ownFolder()), ownVersion()) },
    },
    files,
  };
}

/**
 * The range that finds the package in this folder: its version. A copy that no package manager installed is named by its folder, and one
 * that a project has from a file or an address, by these: a registry need not have that package.
 */
export function rangeOf(folder: string, version: string): string {
  const parts = folder.replace(/[\\/]$/, "").split(sep);
  const depth = parts.indexOf("node_modules");
  if (depth < 0) return `file:${parts.join(sep)}`;
  const project = parts.slice(0, depth).join(sep) || sep;
  const stated = statedIn(join(project, "package.json"));
  if (stated.startsWith("file:")) return `file:${resolve(project, stated.slice("file:".length))}`;
  return /^(?:[\w+]+:\/\/|git(?:hub|lab)?:)/.test(stated) ? stated : `^${version}`;
}

/** The words by which a package.json names lastcall; none if it does not. */
function statedIn(path: string): string {
  try {
    const manifest = JSON.parse(readFileSync(path, "utf8")) as Partial<Manifest>;
    return manifest.dependencies?.["lastcall"] ?? manifest.devDependencies?.["lastcall"] ?? "";
  } catch {
    // A global package, and a package that npx brought, stand below no package.json that can be read.
    return "";
  }
}
