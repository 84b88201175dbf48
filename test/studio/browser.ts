// A browser for tests of the studio. A machine without one leaves these tests out.

import { existsSync, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import { has } from "../programs.js";

/** Programs that are Chromium, the smallest first. */
const programs = ["chromium-headless-shell", "chromium", "google-chrome"] as const;
const program = programs.find(has);

/** The reason for a skip, to put at the end of a test's name; empty with a browser. */
export const withoutBrowser = program === undefined ? " (left out: there is no Chromium)" : "";

const cache = join(import.meta.dirname, "../.cache/studio");
/** The folder of the documentation's pictures, if they are made anew: `npm run screenshots`. */
const documentation = process.env["STUDIO_SCREENSHOTS"];
/** The pictures that the documentation shows. */
const documented = ["session", "difference", "plots", "approval", "compare"];

/** Starts the browser. As root, which containers are, it needs no sandbox of its own. */
export async function openBrowser(): Promise<Browser> {
  const places = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, program ?? ""));
  const executablePath = places.find((file) => existsSync(file)) ?? "";
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

/** A page that has recorded its errors. */
export interface Watched {
  readonly page: Page;
  /** Errors on the console, and those that nobody caught. */
  readonly errors: readonly string[];
}

/** Opens a page, and records what goes wrong in it. */
export async function openPage(
  browser: Browser,
  options: { readonly width?: number; readonly height?: number; readonly dark?: boolean } = {},
): Promise<Watched> {
  const { width = 1280, height = 800, dark = false } = options;
  const page = await browser.newPage({
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    reducedMotion: "reduce",
  });
  const errors: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(error.message));
  return { page, errors };
}

/** Keeps a picture of the page. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = documentation !== undefined && documented.includes(name) ? documentation : cache;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
