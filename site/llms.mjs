// The text of the site's llms.txt: its pages, each with its summary and the address of its Markdown.

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { base, site } from "./address.mjs";
import { summaryOf, titled } from "./rewrite.mjs";
import { placed, sections } from "./structure.mjs";

const root = resolve(import.meta.dirname, "..");

/** The pages as a list for each section. */
export function pagesForPrograms() {
  return sections
    .map(({ label }) => {
      const lines = placed()
        .filter(({ section }) => section === label)
        .map(({ file, id }) => {
          const { title, body } = titled(readFileSync(join(root, file), "utf8"));
          return `- [${title}](${site}${base}${id}.md): ${summaryOf(body)}`;
        });
      return `${label}:\n\n${lines.join("\n")}`;
    })
    .join("\n\n");
}

/** The texts of one section each, for programs that want no more. */
export const textsOfSections = sections.map(({ label, slug }) => ({
  label,
  description: `all pages of "${label}"`,
  paths: [`${slug}/**`],
}));

/** Pages that the short text leaves out. */
export const leftOut = ["why/**", "reference/api/**", "reference/changes", "start/examples/**"];
