// The page of one session in a real browser, opened from a disk: it shows all, verifies the receipts, and asks nobody.

import { generateKeyPairSync } from "node:crypto";
import { writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createAgent, tool, type Tool } from "../../src/index.js";
import { ed25519, importSession, memoryStore, openSession, type Store } from "../../src/memory/index.js";
import { allowAll } from "../../src/permission/index.js";
import { createHandler, serve, sessionPage } from "../../src/server/index.js";
import { call, scriptedModel, type Step } from "../../src/testing/index.js";
import { askQuestion, delegate, taskCompletion } from "../../src/tools/index.js";
import { temporary } from "../cli/command.js";
import "../dist.js";
import { openBrowser, openPage, picture, withoutBrowser } from "./browser.js";

const id = "20261129-0040-abcd";
const vault = "the-words-of-our-vault";
const hostile = `</script><script>window.ran = true</script><img src=x onerror="window.ran = true"><!-- \u2028 \u202e`;
const done: Step = [call("task_completion", { result: `Done. ${hostile}` })];

const look: Tool = tool({
  name: "look",
  description: "Looks",
  input: z.object({ at: z.string() }),
  effect: "read",
  run: ({ at }) => `It is ${at}. ${hostile}`,
});

async function ran(steps: readonly Step[], output = "12 passed"): Promise<Store> {
  const store = memoryStore();
  const helper = createAgent({
    model: scriptedModel([[call("look", { at: "below" })], done]),
    tools: [look, taskCompletion()],
  });
  const agent = createAgent({
    model: scriptedModel([...steps, done]),
    tools: [look, delegate(helper, { name: "help", description: "Helps" }), taskCompletion()],
    permission: allowAll(),
    checks: [{ name: "npm test", verify: async () => ({ passed: true, output }) }],
    limits: { maxIterations: 20_000, maxTokens: 1e12 },
  });
  await agent.run(`Look around. ${hostile}`, { session: openSession({ store, id }) });
  return store;
}

/** A pair of keys of Ed25519: the key that signs, and the public key in its two forms. */
function keyPair() {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const secret = privateKey.export({ format: "jwk" });
  return {
    signer: () => crypto.subtle.importKey("jwk", secret, "Ed25519", false, ["sign"]),
    pem: publicKey.export({ format: "pem", type: "spki" }).toString(),
    jwk: JSON.stringify(publicKey.export({ format: "jwk" })),
  };
}

const row = (page: Page, words: string) => page.locator(".list-row", { hasText: words }).first();

describe.skipIf(withoutBrowser !== "")(`the page of a session${withoutBrowser}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  /** Opens a page from a disk. At its end nothing has gone wrong in it, and nothing was asked for. */
  async function opened(
    html: string,
    options: Parameters<typeof openPage>[1] = {},
    meant = "no error is meant",
    end = "completed",
  ): Promise<Page> {
    const folder = await temporary();
    const file = join(folder.path, "session.html");
    writeFileSync(file, html);
    const { page, errors } = await openPage(browser, options);
    const url = pathToFileURL(file).href;
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url().replace(/#.*/, "")));
    onTestFinished(async () => {
      await page.close();
      await folder[Symbol.asyncDispose]();
      expect(errors.filter((error) => !error.includes(meant))).toEqual([]);
      expect([...new Set(asked)]).toEqual([url]);
    });
    await page.goto(url);
    await row(page, end).waitFor();
    return page;
  }

  test("shows the rows, prompts, numbers and the agents below, and its receipts hold", async () => {
    const store = await ran([[call("look", { at: "here" })], [call("help", { task: "Look below." })]]);
    const page = await opened(await sessionPage({ store, id }));
    await row(page, "claim").click();
    await page.locator(".receipts .chip-good", { hasText: "holds" }).waitFor();
    await picture(page, "page");
    await row(page, "here").click();
    const inspector = page.locator(".inspector");
    await inspector.getByRole("tab", { name: "prompt" }).click();
    await inspector.getByText("Look around.").first().waitFor();
    await inspector.getByRole("tab", { name: "record" }).click();
    await inspector.getByText('"type": "reply"').waitFor();
    await row(page, "help").click();
    await page.getByText("The session of the agent that it runs").click();
    await row(page, "below").waitFor();
    await page.getByLabel("Back to the session around it").click();
    await row(page, "here").waitFor();
    await page.getByRole("tab", { name: "stats" }).click();
    await page.getByRole("rowheader", { name: "look" }).waitFor();
    await page.getByRole("tab", { name: "plots" }).click();
    await expect.poll(() => page.locator(".plot canvas").count()).toBe(3);
  });

  test("has nothing that could change a session, and no text of it has become markup", async () => {
    const html = await sessionPage({ store: await ran([[call("look", { at: "here" })]]), id });
    const page = await opened(html, {}, "Content Security Policy");
    await row(page, "here").click();
    for (const name of ["Send", "Resume", "Abort", "Share", "Approve", "Fork here and run again"])
      expect(await page.getByRole("button", { name }).count(), name).toBe(0);
    expect(await page.getByRole("tab", { name: "changes" }).count()).toBe(0);
    expect(await page.locator("img, textarea, form").count()).toBe(0);
    expect(await page.evaluate("window.ran")).toBeUndefined();
    // The policy forbids what nobody tries.
    expect(await page.evaluate("fetch('http://127.0.0.1:1/').then(() => 'asked', () => 'refused')")).toBe("refused");
  });

  test("a session that waits shows its question, and takes no answer", async () => {
    const store = memoryStore();
    const ask = call("ask_question", { question: "Which one?", suggestions: ["Postgres", "SQLite"] });
    const agent = createAgent({ model: scriptedModel([[ask]]), tools: [askQuestion()] });
    await agent.run("Choose.", { session: openSession({ store, id }) });
    const page = await opened(await sessionPage({ store, id }), {}, undefined, "waiting");
    await page.locator(".question", { hasText: "Which one?" }).waitFor();
    await page.locator(".choices", { hasText: "Postgres" }).waitFor();
    expect(await page.locator(".waiting button, .waiting input, .waiting textarea").count()).toBe(0);
  });

  test("a receipt of an output that lost a secret is not checked, and a forged output does not hold", async () => {
    const store = await ran([], `opened with ${vault}`);
    const page = await opened(await sessionPage({ store, id, secrets: { values: [vault] } }));
    await row(page, "claim").click();
    await page.locator(".receipts .chip", { hasText: "not checked" }).waitFor();
    expect(await page.locator("body").textContent()).not.toContain(vault);
    await page.getByText("Secrets were left out of").waitFor();
    const json = JSON.stringify(await openSession({ store, id }).toJSON()).replaceAll("opened with", "forged with");
    const other = memoryStore();
    await importSession({ store: other, text: json });
    const forged = await opened(await sessionPage({ store: other, id }));
    await row(forged, "claim").click();
    await forged.locator(".receipts .chip-bad", { hasText: "does not hold" }).waitFor();
  });

  test("signed approvals are verified with the keys that the reader pastes, and a forged answer does not hold", async () => {
    const [mine, other] = [keyPair(), keyPair()];
    const store = memoryStore();
    const input = z.object({ cents: z.number() });
    const pay = tool({ name: "pay", description: "Pays", input, effect: "network", run: () => "paid" });
    const agent = createAgent({
      model: scriptedModel([[call("pay", { cents: 900 })], done]),
      tools: [pay, taskCompletion()],
      permission: (_call, { approval }) => approval ?? { later: true, reason: "money" },
      approvals: { sign: ed25519("2026", await mine.signer()) },
    });
    const session = openSession({ store, id });
    const waiting = await agent.run("Pay.", { session, by: { id: "ada" } });
    const answers = waiting.status === "waiting" ? waiting.id : "";
    await agent.run({ allowed: true }, { session, answers, by: { id: "ada" } });
    const page = await opened(await sessionPage({ store, id }));
    await page.getByRole("tab", { name: "approvals" }).click();
    const key = page.getByLabel("Public key 2026");
    expect(await page.locator(".receipts").count()).toBe(0);
    await key.fill("words");
    await page.getByText("It can't be used: it has no line BEGIN PUBLIC KEY.").waitFor();
    await key.fill(mine.pem);
    await expect.poll(() => page.locator(".chip-good").count()).toBe(3);
    await page.getByText("the yes of ada").waitFor();
    await picture(page, "page-approvals");
    const found = await page.evaluate<{ violations: readonly unknown[] }>(`${axe.source}; axe.run()`);
    expect(found.violations).toEqual([]);
    await key.fill(other.pem);
    await page.getByText("its signature does not fit what it says").waitFor();
    const json = JSON.stringify(await session.toJSON()).replaceAll('"cents":900', '"cents":100');
    const copy = memoryStore();
    await importSession({ store: copy, text: json });
    const forged = await opened(await sessionPage({ store: copy, id }));
    await forged.getByRole("tab", { name: "approvals" }).click();
    await forged.getByLabel("Public key 2026").fill(mine.jwk);
    await forged.getByText("the call is not the call that was shown").waitFor();
  });

  test("10,000 iterations open in less than two seconds", { timeout: 300_000 }, async () => {
    const steps = Array.from({ length: 10_000 }, (_, at): Step => [call("look", { at: `place ${String(at)}` })]);
    const html = await sessionPage({ store: await ran(steps), id });
    const page = await opened(html);
    const began = performance.now();
    await page.reload();
    await row(page, "completed").waitFor();
    expect(performance.now() - began).toBeLessThan(2000);
    expect(await page.locator(".list-row").count()).toBeLessThan(100);
    await page.getByText("10001 iterations").waitFor();
  });

  test.each([
    ["wide", {}],
    ["narrow", { width: 400, height: 760, dark: true }],
  ] as const)("axe finds nothing in a %s window", async (name, options) => {
    const store = await ran([[call("look", { at: "here" })], [call("help", { task: "Look below." })]]);
    const page = await opened(await sessionPage({ store, id }), options);
    const problems = async (): Promise<unknown> => {
      await page.evaluate(axe.source);
      return page.evaluate(
        "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]))",
      );
    };
    await picture(page, `page-${name}`);
    expect(await problems()).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    await row(page, "claim").click();
    await page.locator(".receipts .chip-good").waitFor();
    await picture(page, `page-${name}-claim`);
    expect(await problems()).toEqual([]);
    await page.getByRole("button", { name: "Close" }).click();
    await page.getByRole("tab", { name: "stats" }).click();
    await page.getByRole("rowheader", { name: "look" }).waitFor();
    expect(await problems()).toEqual([]);
  });

  test("Share in the studio keeps a page, which is the session once more", async () => {
    const store = await ran([[call("look", { at: vault })]]);
    const agent = createAgent({ model: scriptedModel([]), tools: [taskCompletion()] });
    const token = "a-token-that-nobody-guesses";
    const handler = createHandler({
      agents: { agent },
      store,
      token,
      studio: true,
      readOnly: true,
      secrets: { values: [vault] },
    });
    const server = await serve(handler);
    onTestFinished(async () => {
      await handler.close();
      await server.close();
    });
    const { page, errors } = await openPage(browser);
    await page.goto(new URL(`studio/#/s/${id}&token=${token}`, server.url).href);
    await row(page, "completed").waitFor();
    await picture(page, "share");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Share" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`lastcall-${id}.html`);
    const html = await readFile(await download.path(), "utf8");
    await page.close();
    expect(errors).toEqual([]);
    const other = memoryStore();
    await importSession({ store: other, text: html });
    const { records } = await openSession({ store: other, id }).toJSON();
    expect(records).toHaveLength((await openSession({ store, id }).toJSON()).records.length);
    expect(JSON.stringify(records)).not.toContain(vault);
    await opened(html);
  });

  test("a page that was cut says so", async () => {
    const html = await sessionPage({ store: await ran([]), id });
    const folder = await temporary();
    const file = join(folder.path, "cut.html");
    writeFileSync(file, html.replace(/(id="lastcall-session">.{100})[^<]*/, "$1"));
    const { page } = await openPage(browser);
    await page.goto(pathToFileURL(file).href);
    await page.getByRole("alert").getByText("the page is not whole").waitFor();
    await page.close();
    await folder[Symbol.asyncDispose]();
  });
});
