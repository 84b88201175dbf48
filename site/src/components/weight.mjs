// The weight of a page's words in a search.

/** 1 for pages that explain, and less for pages to look things up in. */
export function weightOf(id) {
  if (/^why\/decisions|^reference\/(?:api|changes|files)/.test(id)) return 0.1;
  return id.startsWith("start/examples/") ? 0.3 : 1;
}
