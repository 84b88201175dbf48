// The API reference: one page for each entry of the package. TypeDoc writes Markdown into `.api`, and this file makes pages of it.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const root = resolve(import.meta.dirname, "..");
const folder = join(import.meta.dirname, ".api");

/** Runs TypeDoc with the options of the repository. It takes a quarter of a minute. */
function write() {
  rmSync(folder, { recursive: true, force: true });
  const typedoc = join(import.meta.dirname, "node_modules/typedoc/bin/typedoc");
  const plugin = join(import.meta.dirname, "node_modules/typedoc-plugin-markdown/dist/index.js");
  const options = {
    options: "typedoc.json",
    plugin,
    out: folder,
    outputFileStrategy: "modules",
    readme: "none",
    hideBreadcrumbs: "true",
    hidePageHeader: "true",
    logLevel: "Warn",
  };
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  execFileSync(process.execPath, [typedoc, ...words], { cwd: root, stdio: "inherit" });
}

export function apiPages() {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(".md") && file !== "README.md")
    .map((file) => ({
      id: `reference/api/${file.replace(/\.md$/, "")}`,
      fields: { title: file.replace(/\.md$/, "") },
      body: readFileSync(join(folder, file), "utf8"),
    }));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) write();
