// The API reference: one page for each entry of the package. TypeDoc writes Markdown into `.api`, and this file makes pages of it.

import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { base } from "./address.mjs";

const root = resolve(import.meta.dirname, "..");
const folder = join(import.meta.dirname, ".api");
const packages = join(import.meta.dirname, "node_modules");

/** Entries whose module has another name than the entry. */
const entries = { index: "lastcall", "cli.log": "lastcall/log", "core.internal": "lastcall/internal" };

/** The settings that make the reference a page of the site. All others are in the repository's typedoc.json. */
const options = {
  extends: join(root, "typedoc.json"),
  plugin: [join(packages, "typedoc-plugin-markdown/dist/index.js")],
  out: folder,
  readme: "none",
  projectDocuments: [],
  disableSources: true,
  groupOrder: ["Functions", "Variables", "Classes", "Interfaces", "Type Aliases", "*"],
  router: "module",
  flattenOutputFiles: true,
  hideBreadcrumbs: true,
  hidePageHeader: true,
  hidePageTitle: true,
  useCodeBlocks: true,
  expandParameters: true,
  parametersFormat: "table",
  interfacePropertiesFormat: "table",
  classPropertiesFormat: "table",
  typeAliasPropertiesFormat: "table",
  typeDeclarationFormat: "table",
  propertyMembersFormat: "table",
  tableColumnSettings: { hideSources: true, hideInherited: true, hideOverrides: true, leftAlignHeaders: true },
  logLevel: "Warn",
};

/** Runs TypeDoc with the options of the repository. It takes a quarter of a minute. */
function write() {
  rmSync(folder, { recursive: true, force: true });
  const file = join(import.meta.dirname, ".api.json");
  writeFileSync(file, JSON.stringify(options));
  execFileSync(process.execPath, [join(packages, "typedoc/bin/typedoc"), "--options", file], { stdio: "inherit" });
  rmSync(file);
}

/** The pages of the entries, `lastcall` first. */
export function apiPages() {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder)
    .filter((file) => file.endsWith(".md") && file !== "README.md")
    .map((file) => file.replace(/\.md$/, ""));
  const texts = new Map(names.map((name) => [name, calm(readFileSync(join(folder, `${name}.md`), "utf8"))]));
  const anchors = new Map([...texts].map(([name, text]) => [name, anchorsOf(text)]));
  /** TypeDoc counts names that stand twice in the program, and once on the page. */
  const anchorIn = (name, anchor) => (anchors.get(name).has(anchor) ? anchor : anchor.replace(/-\d+$/, ""));
  return names.map((name) => {
    const entry = entries[name] ?? `lastcall/${name}`;
    return {
      id: idOf(name),
      fields: {
        title: entry,
        above: "API",
        // Types are made of many pieces of code, so each piece has no ground of its own.
        head: [
          {
            tag: "style",
            content: ".sl-markdown-content code:not(pre *){background:none!important;padding:0!important}",
          },
        ],
        description: `Every export of ${entry}, with its types.`,
        sidebar: { order: name === "index" ? 0 : 1 },
      },
      body: texts.get(name).replace(/\]\((?:([\w.-]+)\.md)?(?:#([^)]*))?\)/g, (_link, to = name, anchor) => {
        const address = to === name ? "" : `${base}${idOf(to)}/`;
        return `](${address}${anchor === undefined ? "" : `#${anchorIn(to, anchor)}`})`;
      }),
    };
  });
}

/** The anchors that the headings of a text get. */
function anchorsOf(text) {
  const seen = new Map();
  const headings = [...text.matchAll(/^#{2,6} (.*)$/gm)].map(([, title]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );
  return new Set(
    headings.map((slug) => {
      const times = seen.get(slug) ?? 0;
      seen.set(slug, times + 1);
      return times === 0 ? slug : `${slug}-${String(times)}`;
    }),
  );
}

/** The text with fewer headings and no rules: a signature and a table need no words above them. */
function calm(text) {
  return text
    .replace(/^\*\*\*\n\n/gm, "")
    .replace(/^#{3,6} Type Parameters\n\n(?:\|.*\n)+\n?/gm, "")
    .replace(/^#{3,6} (?:Parameters|Properties)\n\n/gm, "")
    .replace(/^#{3,6} (Returns|Throws|Default|Extends|Extended by)\n\n(?!\|)/gm, "**$1** ");
}

const idOf = (name) => `reference/api/${(entries[name] ?? name).replace(/^lastcall\//, "")}`;

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) write();
