// The sidebar, from the order of the site.

import { placed, sections, stated } from "./structure.mjs";

/** The groups of the sidebar. `hasApi` is false before TypeDoc wrote the API reference. */
export function sidebar(hasApi) {
  const ids = new Map(placed().map(({ file, id }) => [file, id]));
  const item = (page) => {
    const { file, label } = stated(page);
    return { slug: ids.get(file), ...(label === undefined ? {} : { label }) };
  };
  const more = {
    reference: hasApi
      ? [{ label: "API", collapsed: true, items: [{ autogenerate: { directory: "reference/api" } }] }]
      : [],
    why: [{ slug: "why/decisions" }],
  };
  return sections.map(({ label, slug, pages }) => ({
    label,
    items: [
      ...pages.map((page) =>
        page.pages === undefined ? item(page) : { label: page.label, collapsed: true, items: page.pages.map(item) },
      ),
      ...(more[slug] ?? []),
    ],
  }));
}
