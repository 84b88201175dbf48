// lastcall docs --mcp: the pages of the package for coding agents, over standard input and output.

import { LastcallError } from "../../core/index.js";
import { serveTexts, type TextTool } from "../../mcp/text-server.js";
import { ownVersion } from "../../packages/index.js";
import type { Surroundings } from "../person/surface.js";
import { noPage, openSection } from "./open-section.js";
import { searchIn, type Search } from "./page-search.js";
import { shippedPages, type ShippedPage } from "./shipped-pages.js";
import { addressOf, mostHits } from "./tell-docs.js";

const instructions =
  "The documentation of lastcall, a TypeScript library for agents, in the version that is installed here. Search it before you write code with lastcall, and read the page SKILL first: other agent libraries have other names and other rules.";

/**
 * Serves the pages until the caller or a person ends it. Returns the exit code.
 * @throws LastcallError `configuration` without the package of MCP servers.
 */
export async function serveDocs({ stdin, stdout, signal }: Surroundings): Promise<number> {
  const pages = shippedPages();
  const texts = pages.map(({ name, path, title, about, text }) => ({
    uri: `lastcall://pages/${path}`,
    name,
    title,
    description: about,
    mimeType: "text/markdown",
    text,
  }));
  const tools = [searcher(searchIn(pages)), reader(pages)];
  const server = { name: "lastcall-docs", version: ownVersion(), instructions, tools, texts };
  await serveTexts(server, { input: stdin, output: stdout, signal });
  return signal.aborted ? 130 : 0;
}

function searcher(search: Search): TextTool {
  return {
    name: "search_docs",
    description: `Finds the ${String(mostHits)} pages of lastcall's documentation that fit a question best: names, options, error messages, or plain words in English.`,
    argument: { name: "query", description: "The question in words. Rare words count most." },
    answer(query) {
      if (query.trim() === "") throw new LastcallError("configuration", "The query is empty: say what to look for.");
      const hits = search(query, mostHits);
      if (hits.length === 0) return "No page has any of these words. The pages are in English: try other words.";
      return hits
        .map(({ section, excerpt }) => `${addressOf({ section })}\n${section.headings.join(" > ")}\n${excerpt}`)
        .join("\n\n");
    },
  };
}

function reader(pages: readonly ShippedPage[]): TextTool {
  return {
    name: "read_page",
    description: `Reads a page of lastcall's documentation, or one section of it. The pages: ${pages.map(({ name }) => name).join(", ")}.`,
    argument: {
      name: "page",
      description: "A page, such as limits, or a section, such as guide/5-checks#kinds-of-checks.",
    },
    answer(name) {
      const opened = openSection(pages, name);
      if (opened === undefined) throw noPage(pages, name);
      return opened.text;
    },
  };
}
