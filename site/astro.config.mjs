// The site: Starlight over the pages that `sync.mjs` writes.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { satteri } from "@astrojs/markdown-satteri";
import starlight from "@astrojs/starlight";
import { defineConfig } from "astro/config";
import starlightLlmsTxt from "starlight-llms-txt";
import { base, site } from "./address.mjs";
import { columns } from "./columns.mjs";
import { leftOut, pagesForPrograms, textsOfSections } from "./llms.mjs";
import { sidebar } from "./sidebar.mjs";

const summary =
  "Agents that stop on purpose: a loop that ends only when the model calls a loop-breaking tool and the claim holds.";

/** Writes the pages again if somebody changes the docs while the site is served. */
const follow = {
  name: "lastcall-follow",
  hooks: {
    "astro:server:setup": ({ server: { watcher }, logger }) => {
      const root = resolve(import.meta.dirname, "..");
      const sources = ["docs", "examples", "README.md", "CHANGELOG.md", "SECURITY.md"].map((name) => join(root, name));
      watcher.add(sources);
      watcher.on("all", (_event, file) => {
        if (!sources.some((source) => file.startsWith(source))) return;
        execFile(process.execPath, ["sync.mjs"], { cwd: import.meta.dirname }, (error) => {
          if (error !== null) logger.error(error.message);
        });
      });
    },
  },
};

/** Blocks of code measure themselves before the fonts are there, and a font makes some of them longer. Keys have to reach these, too. */
const reachable = `document.fonts.ready.then(() => {
  for (const block of document.querySelectorAll(".expressive-code pre")) if (block.scrollWidth > block.clientWidth) {
    block.tabIndex = 0;
    block.role = "region";
  }
});`;

export default defineConfig({
  site,
  base,
  trailingSlash: "always",
  markdown: { processor: satteri({ hastPlugins: [columns] }) },
  devToolbar: { enabled: false },
  // The worker of the playground loads the entries of lastcall late, each from a file of its own.
  vite: { worker: { format: "es" } },
  integrations: [
    starlight({
      title: "lastcall",
      description: summary,
      sidebar: sidebar(existsSync(join(import.meta.dirname, ".api"))),
      customCss: ["./src/styles/site.css"],
      components: {
        Hero: "./src/components/Hero.astro",
        MarkdownContent: "./src/components/MarkdownContent.astro",
        PageTitle: "./src/components/PageTitle.astro",
        SocialIcons: "./src/components/Pages.astro",
      },
      disable404Route: true,
      head: [{ tag: "script", attrs: { type: "module" }, content: reachable }],
      expressiveCode: {
        themes: ["vitesse-dark", "vitesse-light"],
        // Terminals need no window around them.
        defaultProps: { frame: "none" },
        styleOverrides: {
          codeBackground: "var(--code-background)",
          borderColor: "var(--sl-color-hairline)",
          borderRadius: "0.5rem",
          codeFontSize: "var(--sl-text-code)",
          codeLineHeight: "1.6",
          codePaddingBlock: "0.9rem",
          codePaddingInline: "1.1rem",
          frames: { frameBoxShadowCssValue: "none" },
        },
      },
      lastUpdated: false,
      credits: false,
      plugins: [
        starlightLlmsTxt({
          description: summary,
          details: pagesForPrograms(),
          customSets: textsOfSections,
          exclude: leftOut,
          rawContent: true,
        }),
      ],
    }),
    follow,
  ],
});
