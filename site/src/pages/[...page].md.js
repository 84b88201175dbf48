// The Markdown of each page, for programs that read: the page's address with `.md` in place of the last slash.

import { getCollection } from "astro:content";

export async function getStaticPaths() {
  const pages = await getCollection("docs");
  return pages.map(({ id, body, data }) => ({
    params: { page: id },
    props: { text: `# ${data.title}\n\n${body}` },
  }));
}

export function GET({ props }) {
  return new Response(props.text, { headers: { "content-type": "text/markdown; charset=utf-8" } });
}
