// The pages of the documentation, which sync.mjs writes.

import { docsLoader } from "@astrojs/starlight/loaders";
import { docsSchema } from "@astrojs/starlight/schema";
import { defineCollection } from "astro:content";
import { z } from "astro/zod";

export const collections = {
  docs: defineCollection({
    loader: docsLoader(),
    schema: docsSchema({
      extend: z.object({
        /** The file of the repository that the page is made of. */
        source: z.string().optional(),
        /** The number of the page in the guide. */
        guide: z.number().optional(),
      }),
    }),
  }),
};
