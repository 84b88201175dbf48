// The playground in a real browser: people run the examples, change the code, kill the run and resume it.

import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import axe from "axe-core";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { examples, type Example } from "../../site/src/playground/examples/list.js";
import { call } from "../../src/testing/index.js";
import { openBrowser, openPage, withoutBrowser } from "../studio/browser.js";
import { providerForPages } from "../web/places.js";
import { buildSite, serveSite, withoutSite } from "./built-site.js";

const root = resolve(import.meta.dirname, "../..");
const leftOut = withoutBrowser || withoutSite;
const pictures = process.env["PLAYGROUND_PICTURES"] ?? mkdtempSync(join(tmpdir(), "playground-pictures-"));

type Look = Parameters<typeof openPage>[1];

/** The playground as a person uses it. */
class Played {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  button(name: string): Locator {
    return this.page.getByRole("button", { name, exact: true });
  }

  tab(name: string): Locator {
    return this.page.getByRole("tab", { name });
  }

  get events(): Locator {
    return this.page.locator("#pg-events");
  }

  async pace(words: "calm" | "brisk" | "at once"): Promise<void> {
    await this.page.getByLabel("Pace").selectOption(words);
  }

  async run(): Promise<void> {
    await this.button("Run").click();
  }

  /** Waits until the run is in this state. */
  async is(state: string): Promise<void> {
    await expect.poll(() => this.page.locator("#pg-state").textContent()).toBe(state);
  }

  /** Writes other code into the editor. */
  async write(code: string): Promise<void> {
    await this.page.locator(".cm-content").click();
    await this.page.keyboard.press("Control+A");
    await this.page.keyboard.insertText(code);
  }

  async choose(title: string): Promise<void> {
    await this.page
      .getByRole("navigation", { name: "Examples" })
      .getByRole("link", { name: title, exact: true })
      .click();
    await this.page.getByRole("heading", { name: title, exact: true }).waitFor();
  }

  /** The records of the journal as the page shows them: number and type. */
  async journal(): Promise<readonly string[]> {
    await this.tab("Journal").click();
    const rows = await this.page.locator(".pg-record summary").allInnerTexts();
    return rows.map((row) => row.split(/\s+/).slice(0, 2).join(" "));
  }

  /** The rows of the bank: to whom, and how often it was asked. */
  async payments(): Promise<readonly string[]> {
    await this.tab("Bank").click();
    const rows = await this.page.locator("#pg-bank tbody tr").all();
    return Promise.all(rows.map(async (row) => (await row.locator("td").allInnerTexts()).join(", ")));
  }

  async picture(name: string): Promise<void> {
    const { width } = this.page.viewportSize() ?? { width: 0 };
    await this.page.screenshot({ path: join(pictures, `${name}-${String(width)}.png`) });
  }
}

const titleOf = (id: string): string => examples.find((example) => example.id === id)!.title;

/** An agent whose check accepts the second claim alone. */
const refusing = `
import { createAgent } from "lastcall";
import { predicate } from "lastcall/checks";
import { call, scriptedModel } from "lastcall/testing";
import { taskCompletion } from "lastcall/tools";

let asked = 0;
const check = predicate("asked thrice", () => ({ passed: ++asked === 3, output: "asked " + asked + " times" }));
const done = [call("task_completion", { result: "It is done." })];
export const agent = createAgent({ model: scriptedModel([done, done]), tools: [taskCompletion()], checks: [check] });
export const task = "Do it.";
`;

test.skipIf(withoutSite !== "")(
  `the playground's code has no mistake of types, and the linter finds nothing${withoutSite}`,
  async () => {
    for (const words of [
      ["node_modules/typescript/bin/tsc", "-p", "site/src/playground", "--noEmit"],
      ["node_modules/eslint/bin/eslint.js", "site/src/playground"],
    ])
      expect((await promisify(execFile)(process.execPath, words, { cwd: root })).stdout).toBe("");
  },
);

describe.skipIf(leftOut !== "")(`the playground${leftOut}`, () => {
  let browser: Browser;
  let site: Awaited<ReturnType<typeof serveSite>>;
  beforeAll(async () => {
    await buildSite();
    site = await serveSite();
    browser = await openBrowser();
  }, 600_000);
  afterAll(async () => {
    await browser?.close();
    await site?.[Symbol.asyncDispose]();
  });

  async function opened(example: string, look: Look = {}): Promise<Played> {
    const { page, errors } = await openPage(browser, look);
    onTestFinished(async () => {
      await page.close();
      expect(errors).toEqual([]);
    });
    await page.goto(`${site.url}/playground/#${example}`);
    await page.locator(".cm-content").waitFor();
    return new Played(page);
  }

  /** Runs until the bank was asked this often, and kills the worker before it hears the answer. */
  async function killedAfter(played: Played, requests: number): Promise<void> {
    await played.pace("calm");
    await played.run();
    await expect.poll(() => played.page.locator("#pg-payments").textContent(), { interval: 20 }).toBe(String(requests));
    await played.button("Kill").click();
    await played.is("killed");
  }

  test.each(examples.map((example) => [example.title, example] as const))(
    "%s ends as it says",
    async (_, { id, ends, then }: Example) => {
      const played = await opened(id);
      await played.pace("at once");
      await played.run();
      await played.is(ends.status);
      const outcome = played.page.getByRole("region", { name: "Outcome" });
      expect(await outcome.innerText()).toContain(ends.by ?? ends.reason);
      await played.picture(`${id}-${ends.status}`);
      if (then === undefined) return;
      if (id === "approval") await played.button("Approve").click();
      else await played.button("L").click();
      await played.is(then.status);
      expect(await outcome.last().innerText()).toContain(then.by);
      await played.picture(`${id}-${then.status}`);
    },
  );

  test("a claim of changed code is refused, with the words that the model reads, and then accepted", async () => {
    const played = await opened("hello");
    await played.pace("at once");
    await played.run();
    await played.is("completed");
    expect(await played.events.innerText()).not.toContain("claim refused");
    await played.write(refusing);
    await played.page.keyboard.press("Control+Enter");
    await played.is("completed");
    const words = await played.events.innerText();
    expect(words).toContain("claim refused");
    expect(words).toContain('Not accepted, because the check "asked thrice" did not pass. It said:\nasked 2 times');
    expect(words).toContain("claim accepted");
    await played.button("Undo my changes").click();
    await played.run();
    await played.is("completed");
    expect(await played.events.innerText()).toContain("Hello, reader.");
  });

  test("a run that was killed in a payment is resumed, nothing is lost, and each invoice is paid once", async () => {
    const played = await opened("crash");
    await killedAfter(played, 2);
    await played.picture("killed");
    const stored = await played.journal();
    expect(stored.at(-1)).toMatch(/ intent$/);
    await played.button("Resume").click();
    await played.is("completed");
    const after = await played.journal();
    expect(after.slice(0, stored.length)).toEqual(stored);
    expect(after[stored.length]).toBe(`${String(stored.length)} resume`);
    expect(after.map((row) => Number.parseInt(row, 10))).toEqual(after.map((_, index) => index));
    expect(after.at(-1)).toMatch(/ outcome$/);
    expect(await played.payments()).toEqual([
      "invoice 1, 12.00 EUR, once",
      "invoice 2, 4.50 EUR, twice, paid once",
      "invoice 3, 80.00 EUR, once",
      "invoice 4, 0.90 EUR, once",
      "invoice 5, 31.00 EUR, once",
    ]);
    await played.tab("Run").click();
    await played.picture("resumed");
  });

  test("a run goes on after the page was loaded again", async () => {
    const played = await opened("crash");
    await played.pace("calm");
    await played.run();
    await expect.poll(() => played.page.locator("#pg-payments").textContent(), { interval: 20 }).toBe("3");
    await played.page.reload();
    await played.is("killed");
    await played.page.locator(".cm-content").waitFor();
    await played.pace("at once");
    await played.button("Resume").click();
    await played.is("completed");
    expect((await played.payments()).map((row) => row.slice(0, 9))).toEqual(
      [1, 2, 3, 4, 5].map((number) => `invoice ${String(number)}`),
    );
    await played.page.reload();
    await played.is("ended");
    expect(await played.button("Resume").isDisabled()).toBe(true);
    expect((await played.journal()).at(-1)).toMatch(/ outcome$/);
  });

  test("a question is answered after the page was loaded again, in the script's next step", async () => {
    const played = await opened("question");
    await played.pace("at once");
    await played.run();
    await played.is("waiting");
    await played.page.reload();
    await played.is("waiting");
    await played.page.getByLabel("Your answer").fill("S, thanks");
    await played.button("Answer").click();
    await played.is("completed");
    expect(await played.events.innerText()).toContain("one shirt in S is ordered");
  });

  test("an agent below is resumed in its own session", async () => {
    const played = await opened("hand-over");
    await played.pace("calm");
    await played.run();
    await played.page.locator(".pg-below .pg-asking", { hasText: "thinks" }).waitFor();
    await played.button("Kill").click();
    await played.is("killed");
    await played.button("Resume").click();
    await played.is("completed");
    const after = await played.journal();
    expect(after.filter((row) => row.endsWith(" claim"))).toHaveLength(2);
    expect(after.filter((row) => row.endsWith(" input"))).toHaveLength(2);
  });

  test("code that never ends freezes nothing, and Kill ends it", async () => {
    const played = await opened("hello");
    await played.write(`${refusing}\nwhile (true);`);
    await played.run();
    await played.is("running");
    await played.tab("Journal").click();
    expect(await played.page.locator("#pg-journal-panel").isVisible()).toBe(true);
    expect(played.page.workers()).toHaveLength(1);
    await played.button("Kill").click();
    await played.is("killed");
    await expect.poll(() => played.page.workers().length).toBe(0);
  });

  test("mistakes in the code stand at their line", async () => {
    const played = await opened("hello");
    const alert = played.page.getByRole("alert").last();
    const marked = played.page.locator(".pg-problem-line");
    const cases: readonly (readonly [string, string])[] = [
      ["const a = 1;\nconst b = ;", "Line 2: Unexpected token."],
      ['// one\n// two\nimport fs from "node:fs";', 'Line 3: "node:fs" can\'t be imported here.'],
      ['import { gate } from "lastcall/permission";', 'Line 1: "lastcall/permission" needs an operating system'],
      ['// one\nimport { pool } from "lastcall/tools";', 'Line 2: "lastcall/tools" has no export named pool.'],
      ["const a = 1;\n\na.b.c();", "Line 3: Cannot read properties of undefined"],
      ["export const task = 'Hi';", "The code exports no agent."],
    ];
    for (const [code, words] of cases) {
      await played.write(code);
      await played.run();
      await expect.poll(() => alert.textContent()).toContain(words);
      expect(await marked.count()).toBe(words.startsWith("Line") ? 1 : 0);
    }
    await played.write(cases[4]![0]);
    await played.run();
    await expect.poll(() => alert.textContent()).toContain("Line 3");
    await played.picture("problem");
  });

  test("the exact prompt of a request is shown, without the mistakes once they are mended", async () => {
    const played = await opened("healed-mistake");
    await played.pace("at once");
    await played.run();
    await played.is("completed");
    const prompts = played.page.getByRole("button", { name: "Show the exact prompt of this request" });
    const dialog = played.page.getByRole("dialog");
    await prompts.nth(3).click();
    expect(await dialog.innerText()).toContain("ERROR malformed_call");
    await played.picture("prompt");
    await played.page.keyboard.press("Escape");
    await prompts.nth(4).click();
    const last = await dialog.innerText();
    expect(last).toContain("a.txt is now b.txt");
    expect(last).not.toContain("ERROR malformed_call");
  });

  test("a model of the reader's own answers in place of the script, and its key stays in the tab", async () => {
    const keys: string[] = [];
    await using provider = await providerForPages(() => [call("task_completion", { result: "From a real address." })]);
    const played = await opened("hello");
    played.page.on("request", (request) => {
      if (
        JSON.stringify(request.headers()).includes("sk-of-mine") ||
        request.postData()?.includes("sk-of-mine") === true
      )
        keys.push(request.url());
    });
    await played.button("Model: the script").click();
    const dialog = played.page.getByRole("dialog");
    await dialog.getByLabel("Base URL").fill(provider.url);
    await dialog.getByLabel("Model").fill("a-model");
    await dialog.getByLabel("Key").fill("sk-of-mine");
    await played.picture("own-model");
    await dialog.getByRole("button", { name: "Use this model" }).click();
    await played.run();
    await played.is("completed");
    expect(await played.events.innerText()).toContain("From a real address.");
    expect(keys).toEqual([`${provider.url}/chat/completions`]);
    expect(await played.page.evaluate<string>("JSON.stringify(localStorage) + document.cookie")).not.toContain(
      "sk-of-mine",
    );
    expect((await played.journal()).length).toBeGreaterThan(3);
    await played.button("Model: a-model").click();
    await dialog.getByRole("button", { name: "Use the script" }).click();
    await played.run();
    await played.is("completed");
    expect(await played.events.innerText()).toContain("Hello, reader.");
  });

  test("everything can be done with the keyboard", async () => {
    const played = await opened("hello");
    const { page } = played;
    await played.pace("at once");
    await played.button("Run").focus();
    await page.keyboard.press("Enter");
    await played.is("completed");
    await played.tab("Run").focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.locator("#pg-journal-panel").isVisible()).toBe(true);
    expect(await played.tab("Journal").getAttribute("aria-selected")).toBe("true");
    await page.keyboard.press("ArrowRight");
    expect(await page.locator("#pg-events-panel").isVisible()).toBe(true);
    // The editor does not hold the focus: Tab leaves it.
    await page.locator(".cm-content").focus();
    await page.keyboard.press("Tab");
    expect(await page.evaluate<boolean>('document.activeElement.closest(".cm-editor") === null')).toBe(true);
    await page.locator(".cm-content").focus();
    await page.keyboard.press("Control+Enter");
    await played.is("completed");
    const link = page.getByRole("navigation", { name: "Examples" }).getByRole("link", { name: titleOf("tool") });
    await link.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: titleOf("tool"), exact: true }).waitFor();
  });

  describe.each<[string, Look]>([
    ["light", {}],
    ["dark", { dark: true }],
    ["light, 375 pixels wide", { width: 375, height: 760 }],
    ["dark, 375 pixels wide", { width: 375, height: 760, dark: true }],
  ])("%s", (name, look) => {
    test("has nothing that axe finds, and nothing that is wider than the window", async () => {
      const played = await opened("refused-claim", look);
      const { page } = played;
      const shown = async (what: string): Promise<void> => {
        await played.picture(`${what}-${name.includes("dark") ? "dark" : "light"}`);
        await page.evaluate(axe.source);
        const found = await page.evaluate<readonly string[]>(
          "axe.run({ exclude: [['header.header']] }).then(({ violations }) => violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`))",
        );
        expect([what, found]).toEqual([what, []]);
        const over = await page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
        expect([what, over]).toEqual([what, 0]);
      };
      await shown("ready");
      await played.pace("at once");
      await played.run();
      await played.is("completed");
      await shown("refused");
      await played.journal();
      await page.locator(".pg-record summary").nth(1).click();
      await shown("journal");
      await played.choose(titleOf("circuit"));
      await played.run();
      await played.is("stopped");
      await shown("circuit");
      await played.choose(titleOf("question"));
      await played.run();
      await played.is("waiting");
      await shown("question");
      await played.choose(titleOf("crash"));
      await killedAfter(played, 1);
      await shown("killed");
      await played.tab("Bank").click();
      await shown("bank");
      await played.choose(titleOf("hello"));
      await played.write("const a = 1;\n\na.b.c();");
      await played.run();
      await page.getByRole("alert").last().waitFor();
      await shown("problem");
      await page.getByRole("button", { name: /^Model/ }).click();
      await shown("model");
    });
  });
});
