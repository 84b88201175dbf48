// Writes docs/README.md, the list of all pages, from llms.txt: `node scripts/all-pages.mjs`.

import { readFileSync, writeFileSync } from "node:fs";
import { relative } from "node:path/posix";
import { fileURLToPath } from "node:url";

const at = (path) => new URL(`../${path}`, import.meta.url);

/** The page: the groups of llms.txt with links from docs, and links to the pages that do not ship. */
export function allPages() {
  const groups = readFileSync(at("llms.txt"), "utf8")
    .split(/^(?=## )/m)
    .slice(1)
    .join("");
  const links = groups.replace(/\]\(([^)]+)\)/g, (_link, path) => `](${relative("docs", path)})`);
  return `<!-- Written by \`node scripts/all-pages.mjs\` from llms.txt. -->

# All pages

The [guide](guide/README.md) is a course: its pages build on each other. The others are for looking things up. \`lastcall docs WORDS\` searches them.

${links.replace("## Optional", "## Why, and how well")}- [Decisions](adr/0001-generators.md): each with its reason, and what was rejected
- [Contributing](../CONTRIBUTING.md) and [changes](../CHANGELOG.md)
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(at("docs/README.md"), allPages());
