// A browser for tests of the studio. A machine without one leaves these tests out.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Browser, type Page } from "playwright-core";
import { has } from "../programs.js";

/** Programs that are Chromium, the smallest first. */
const programs = ["chromium-headless-shell", "chromium", "google-chrome"] as const;
const program = programs.find(has);

/** The reason for a skip, to put at the end of a test's name; empty with a browser. */
export const withoutBrowser = program === undefined ? " (left out: there is no Chromium)" : "";

/** The folder for pictures. The documentation's are made with `npm run screenshots`. */
const pictures = process.env["STUDIO_SCREENSHOTS"] ?? join(import.meta.dirname, "../.cache/studio");

/** Starts the browser. As root, which containers are, it needs no sandbox of its own. */
export async function openBrowser(): Promise<Browser> {
  const path = (process.env["PATH"] ?? "").split(":").map((folder) => join(folder, program ?? ""));
  const { existsSync } = await import("node:fs");
  const executablePath = path.find((file) => existsSync(file)) ?? "";
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
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: join(pictures, `${name}.png`) });
}
