// The site is built from the docs without a warning, and a browser finds it whole, light and readable.

import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { decodeHTML, questions } from "./questions.js";
import { placed } from "../../site/structure.mjs";
import { openBrowser, openPage, withoutBrowser } from "../studio/browser.js";
import { buildSite, builtFile, builtPages, linksOf, serveSite, withoutSite } from "./built-site.js";
import { share } from "../turn.js";

/** The most that the first load of the landing page may transfer, in bytes. */
const budget = 150_000;

/** All that axe finds, but for two opinions: blocks of code are regions without names, and the keys beside the word on the search button are no part of its name. */
const axeRun = `axe
  .run({ rules: { "landmark-unique": { enabled: false }, "label-content-name-mismatch": { enabled: false } } })
  .then(({ violations }) => violations.flatMap(({ id, nodes }) =>
    nodes.slice(0, 3).map(({ html, failureSummary }) => id + ": " + html + failureSummary)))`;

/** The blocks of code that are scrolled and that keys do not reach. */
const unreached = `[...document.querySelectorAll(".expressive-code pre")]
  .filter((block) => block.scrollWidth > block.clientWidth && block.tabIndex < 0).length`;

describe.skipIf(withoutSite !== "")(`the site${withoutSite}`, () => {
  let said = "";
  let pages: ReadonlyMap<string, string> = new Map();
  beforeAll(async () => {
    said = await buildSite();
    pages = builtPages();
  }, 600_000);

  test("is built without a warning, with a page for each file that has a place", () => {
    const warnings = said.split("\n").filter((line) => /\bwarn(?:ing)?\b|\[WARN\]|\[ERROR\]/i.test(line));
    // Addresses of pages have these words, too.
    expect(warnings.filter((line) => !line.includes("├─") && !line.includes("└─"))).toEqual([]);
    for (const { id } of placed()) expect(pages.has(`/${id}/`), id).toBe(true);
    expect([...pages.keys()].filter((page) => page.startsWith("/reference/api/")).length).toBeGreaterThan(15);
    expect([...pages.keys()].filter((page) => page.startsWith("/why/decisions/0")).length).toBeGreaterThan(90);
  });

  test("has no link and no anchor that leads nowhere", () => {
    const anchors = new Map(
      [...pages].map(([page, html]) => [
        page,
        new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id = ""]) => decodeHTML(id))),
      ]),
    );
    const leads = (page: string, link: string): boolean => {
      if (/^(?:https?|mailto|data):/.test(link)) return true;
      const { pathname, hash } = new URL(link, `http://site${page}`);
      const anchor = decodeURIComponent(hash.slice(1));
      if (!pages.has(pathname)) return builtFile(pathname) !== undefined;
      return anchor === "" || anchor === "_top" || anchors.get(pathname)!.has(anchor);
    };
    const broken = [...pages].flatMap(([page, html]) =>
      linksOf(html)
        .filter((link) => !leads(page, link))
        .map((link) => `${page}: ${link}`),
    );
    expect(broken).toEqual([]);
    expect([...pages.values()].flatMap(linksOf).length).toBeGreaterThan(10_000);
  });

  test("has the Markdown of each page, and the texts for programs", () => {
    for (const { id } of placed()) expect(builtFile(`/${id}.md`), id).toMatch(/^# .+\n\n/);
    expect(builtFile("/build/limits.md")).toContain("maxCost");
    const listed = [...(builtFile("/llms.txt") ?? "").matchAll(/\]\(http:\/\/localhost:4321(\/[^)]+)\)/g)];
    expect(listed.length).toBeGreaterThan(placed().length);
    for (const [, address = ""] of listed) expect(builtFile(address), address).toBeDefined();
    expect(builtFile("/llms-full.txt")).toContain("# Limits");
  });

  test("has each place of ten questions in at most three clicks from the landing page", () => {
    for (const { question, clicks, page, says } of questions) {
      expect(clicks.length, question).toBeLessThanOrEqual(3);
      let at = "/";
      for (const words of clicks) {
        const link = [...pages.get(at)!.matchAll(/<a\s[^>]*href="([^"]*)"[^>]*>([^]*?)<\/a>/g)].find(
          ([, , inside = ""]) => decodeHTML(inside.replace(/<[^>]*>/g, "")).trim() === words,
        );
        expect(link, `${question}: "${words}" on ${at}`).toBeDefined();
        at = new URL(link![1]!, `http://site${at}`).pathname;
      }
      expect(at, question).toBe(page);
      expect(decodeHTML(pages.get(at)!.replace(/<[^>]*>/g, "")), question).toContain(says);
    }
  });

  describe.skipIf(withoutBrowser !== "")(`in a browser${withoutBrowser}`, () => {
    let browser: Browser;
    let site: Awaited<ReturnType<typeof serveSite>>;
    beforeAll(async () => {
      browser = await openBrowser();
      site = await serveSite();
    });
    afterAll(async () => {
      await browser?.close();
      await site?.[Symbol.asyncDispose]();
    });

    /** Opens an address of the site. */
    async function opened(address: string, options: Parameters<typeof openPage>[1] = {}): Promise<Page> {
      const { page, errors } = await openPage(browser, options);
      await page.goto(`${site.url}${address}`, { waitUntil: "networkidle" });
      expect(errors).toEqual([]);
      return page;
    }

    test("transfers less than 150 kB for the landing page, from no other host", async () => {
      const page = await browser.newPage();
      const client = await page.context().newCDPSession(page);
      const sizes = new Map<string, number>();
      await client.send("Network.enable");
      client.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
        sizes.set(requestId, encodedDataLength);
      });
      const asked: string[] = [];
      page.on("request", (request) => asked.push(request.url()));
      await page.goto(site.url, { waitUntil: "networkidle" });
      const transferred = [...sizes.values()].reduce((sum, size) => sum + size, 0);
      await page.close();
      expect(asked.length).toBeGreaterThan(3);
      expect(asked.filter((url) => !url.startsWith(site.url) && !url.startsWith("data:"))).toEqual([]);
      expect(transferred).toBeGreaterThan(10_000);
      expect(transferred, asked.join("\n")).toBeLessThan(budget);
    });

    /** A page of each kind: prose, code, tables of sentences and of figures, drawings, exports. */
    const shown = [
      ...["/", "/build/tools/", "/prove/performance/", "/reference/options/"],
      ...["/reference/api/checks/", "/why/architecture/"],
    ];

    test.each(share(shown, 3))(
      "%s has nothing that axe finds, light and dark",
      { timeout: 180_000 },
      async (address) => {
        for (const dark of [false, true]) {
          const page = await opened(address, { dark });
          // A script of the page lets keys reach long lines of code, once the page is at rest.
          await expect.poll(() => page.evaluate<number>(unreached), { timeout: 30_000 }).toBe(0);
          await page.evaluate(axe.source);
          expect(await page.evaluate<readonly string[]>(axeRun), dark ? "dark" : "light").toEqual([]);
          await page.close();
        }
      },
    );

    test.each(share([...shown, "/ship/behind-http/", "/why/decisions/"], 2))(
      "%s is not wider than 375 pixels",
      async (address) => {
        const page = await opened(address, { width: 375, height: 800 });
        const width = await page.evaluate<number>("document.documentElement.scrollWidth");
        await page.close();
        expect(width).toBe(375);
      },
    );

    test("answers each of ten questions with the first hit of one search", { timeout: 120_000 }, async () => {
      const page = await opened("/");
      await page.keyboard.press("Control+k");
      const field = page.locator("site-search input");
      const first = page.locator(".pagefind-ui__result-link").first();
      for (const { search, page: expected } of questions) {
        await field.fill("");
        await expect.poll(() => first.count()).toBe(0);
        await field.fill(search);
        // The hits of the words so far come first, and are replaced.
        const hit = async (): Promise<string> => {
          await first.waitFor();
          return new URL((await first.getAttribute("href")) ?? "", site.url).pathname;
        };
        await expect.poll(hit, { message: search }).toBe(expected);
      }
      await page.close();
    });
  });
});
