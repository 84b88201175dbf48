// The site: Starlight over the pages that `sync.mjs` writes.

import { existsSync } from "node:fs";
import { join } from "node:path";
import starlight from "@astrojs/starlight";
import { defineConfig } from "astro/config";
import starlightLlmsTxt from "starlight-llms-txt";
import { base, site } from "./address.mjs";
import { sidebar } from "./sidebar.mjs";

const summary =
  "Agents that stop on purpose: a loop that ends only when the model calls a loop-breaking tool and the claim holds.";

export default defineConfig({
  site,
  base,
  trailingSlash: "always",
  // The pages are written by sync.mjs, and Astro has to say nothing of those who build them.
  devToolbar: { enabled: false },
  // The worker of the playground loads the entries of lastcall late, each from a file of its own.
  vite: { worker: { format: "es" } },
  integrations: [
    starlight({
      title: "lastcall",
      description: summary,
      sidebar: sidebar(existsSync(join(import.meta.dirname, ".api"))),
      customCss: ["./src/styles/site.css"],
      components: { SocialIcons: "./src/components/Pages.astro" },
      lastUpdated: false,
      credits: false,
      plugins: [starlightLlmsTxt({ description: summary, rawContent: true })],
    }),
  ],
});
