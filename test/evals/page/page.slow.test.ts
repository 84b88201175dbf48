// The page of a report in a real browser, opened from a file: its figures, its trials, narrow windows, and texts that would like to run.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import axe from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { compareVariants, evaluation, type Rate, type Report } from "../../../src/evals/index.js";
import { openBrowser, openPage, picture, withoutBrowser } from "../../studio/browser.js";
import { agentWith, claim, drained, modelThat, newFolder, stop, sumTask, write } from "../world.js";
import { madePage, madeReport, taskId } from "./page-world.js";

const shapes = {
  one: { tasks: 1, variants: ["bare"], trials: 1 },
  two_hundred: { tasks: 20, variants: ["bare", "checked"], trials: 5 },
  voids: { tasks: 6, variants: ["bare", "checked", "judged"], models: ["qwen", "smol"], trials: 3, voids: 0.5 },
  all_void: { tasks: 3, variants: ["bare", "checked"], trials: 2, voids: 1 },
  none: { tasks: 3, variants: ["bare", "checked"], trials: 0, planned: 12 },
  thousand: { tasks: 20, variants: ["bare", "checked"], trials: 25 },
} as const;

describe.skipIf(withoutBrowser !== "")(`the page of a report${withoutBrowser}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  async function opened(file: string, options: Parameters<typeof openPage>[1] = {}, hash = ""): Promise<Page> {
    const { page, errors } = await openPage(browser, options);
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    const url = pathToFileURL(file).href;
    onTestFinished(async () => {
      await page.close();
      expect(errors).toEqual([]);
      expect(asked.filter((one) => one.replace(/#.*/, "") !== url)).toEqual([]);
    });
    await page.goto(url + hash);
    return page;
  }

  async function openedReport(report: Report, options: Parameters<typeof openPage>[1] = {}): Promise<Page> {
    const file = join(newFolder(), "report.html");
    writeFileSync(file, await madePage(report));
    return opened(file, options);
  }

  /** The texts of all elements that fit. */
  const texts = (page: Page, selector: string): Promise<string[]> => page.locator(selector).allInnerTexts();
  /** Something of all elements that fit, as an expression of the page says it about `one`. */
  const each = (page: Page, selector: string, expression: string): Promise<unknown> =>
    page.evaluate(`[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => ${expression})`);
  /** The raw values beside the figures. */
  const values = (page: Page, selector: string): Promise<unknown> => each(page, selector, "one.dataset.value");
  /** The ids of the trials that the table shows. */
  const trials = async (page: Page): Promise<readonly string[]> =>
    (await each(page, ".trials tbody tr:not([hidden])", "one.dataset.id")) as readonly string[];

  test("has the figures of report.json: intervals, pairs, endings, truthfulness, tasks and each trial", async () => {
    const base = newFolder();
    const plan = evaluation({
      tasks: [
        ...["a", "b", "c", "d", "e"].map((id) => sumTask(id)),
        sumTask("f", { ends: ["give_up"], truth: undefined, solution: undefined }),
      ],
      variants: {
        bare: agentWith(),
        wary: agentWith(() => [{ name: "look", verify: () => Promise.resolve({ passed: true, output: "" }) }]),
      },
      models: {
        good: modelThat([write("5\n"), claim]),
        liar: modelThat([write("7\n"), claim]),
        quits: modelThat([stop]),
      },
      trials: 2,
      limits: { prices: { scripted: { input: 1, output: 2 } } },
    });
    await drained(plan, { base });
    const run = join(base, ".lastcall/evals/eval/1");
    const report = JSON.parse(readFileSync(join(run, "report.json"), "utf8")) as Report;
    const page = await opened(join(run, "report.html"));

    expect(report.arms).toHaveLength(6);
    const share = "((element, name) => Number(element.getAttribute(name).replace('%', '')))";
    expect(
      await each(
        page,
        ".arms tbody tr",
        `({
          cells: [...one.querySelectorAll("td[data-value]")].map((cell) => cell.dataset.value),
          text: one.querySelector("[data-label=passed]").innerText,
          drawn: [
            ${share}(one.querySelector(".interval"), "x1"),
            ${share}(one.querySelector("circle"), "cx"),
            ${share}(one.querySelector(".interval"), "x2"),
          ],
        })`,
      ),
    ).toEqual(
      report.arms.map(({ pass, passHat, void: voids, cost, iterations, duration }) => ({
        cells: [pass.rate, "", passHat.at(-1), voids, cost.total, iterations.median, duration.median].map(String),
        text: `${String(pass.passed)}/${String(pass.trials)} ${(pass.rate * 100).toFixed(0)} %`,
        drawn: [pass.interval[0], pass.rate, pass.interval[1]].map((at): unknown => expect.closeTo(at * 100, 1)),
      })),
    );
    const pairs = compareVariants(report);
    expect(pairs).toHaveLength(3);
    expect(await values(page, ".pair")).toEqual(pairs.map(({ difference }) => String(difference.difference)));
    expect(await values(page, "#expense li")).toEqual(
      report.arms.map(({ cost, pass, void: voids }) => String(cost.total / (pass.trials + voids))),
    );
    for (const [index, { endings, truthfulness, tasks }] of report.arms.entries()) {
      const arm = `[data-arm="${String(index)}"]`;
      const shown = await each(page, `#endings ${arm} li`, "[one.dataset.ending, Number(one.dataset.value)]");
      expect(Object.fromEntries(shown as [string, number][])).toEqual(endings);
      for (const [measure, rate] of Object.entries(truthfulness) as [string, Rate | number | undefined][])
        if (measure !== "byVerified")
          expect(await values(page, `[data-measure="${measure}"] ${arm}`)).toEqual([
            typeof rate === "object" ? (rate.trials === 0 ? "" : String(rate.rate)) : String(rate ?? ""),
          ]);
      for (const { task, passed, trials: of } of tasks)
        expect(await texts(page, `#tasks [data-task="${task}"] ${arm} a`)).toEqual([`${String(passed)}/${String(of)}`]);
    }
    const arms = report.arms.map(({ variant, model }) => `${variant} ${model}`);
    expect(await each(page, ".trials tbody tr", "[...one.children].map((cell) => cell.dataset.value)")).toEqual(
      report.rows.map((row) => [
        ...[row.id, String(arms.indexOf(`${row.variant} ${row.model}`)), row.result, row.ending, row.verified ?? ""],
        ...[row.iterations, row.inputTokens + row.outputTokens, row.cost, row.duration].map(String),
        row.why.split("\n")[0]?.slice(0, 40) ?? "",
      ]),
    );
  });

  test("shows a trial's journal one click away, and another one with the keys alone", async () => {
    const base = newFolder();
    const plan = evaluation({
      tasks: [sumTask("a"), sumTask("b")],
      variants: { bare: agentWith() },
      models: { good: modelThat([write("5\n"), claim]) },
      trials: 1,
    });
    await drained(plan, { base });
    const page = await opened(join(base, ".lastcall/evals/eval/1/report.html"));
    await page.locator('.trials tr[data-id="a.bare.good.1"] a').click();
    await expect
      .poll(() => texts(page, "#trial .journal .line-label"))
      .toEqual([
        "input",
        "iteration 1",
        "calls write_file",
        "write_file returned",
        "iteration 2",
        "calls task_completion",
        "claim, unchecked",
        "completed",
      ]);
    expect((await texts(page, "#trial .journal pre")).slice(0, 2)).toEqual([
      "Write the sum of 2 and 3 into the file sum (a).",
      "path: sum\ncontent: 5",
    ]);
    expect(await texts(page, "#trial .facts dd")).toContain("accepted, and true");
    await page.locator("#next").press("Enter");
    await expect.poll(() => texts(page, "#trial-title")).toEqual(["b.bare.good.1"]);
    await page.keyboard.press("Escape");
    expect(await page.locator("#trial").isVisible()).toBe(false);
    // The browser gives the focus back to the first row, and tells the page afterwards that the dialog has closed.
    await expect.poll(() => page.evaluate("document.activeElement.closest('tr')?.dataset.id")).toBe("b.bare.good.1");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("#trial").isVisible()).toBe(true);
    expect(new URL(page.url()).hash).toBe("#trial=b.bare.good.1");
  });

  test("filters and sorts the trials", async () => {
    const report = madeReport(shapes.thousand);
    const page = await openedReport(report);
    const isFailed = ({ result, variant }: Report["rows"][number]): boolean => result === "no" && variant === "checked";
    const failed = report.rows.filter(isFailed);
    expect(await trials(page)).toEqual(report.rows.slice(0, 200).map(({ id }) => id));
    await page.locator("#more button").click();
    expect(await trials(page)).toEqual(report.rows.slice(0, 400).map(({ id }) => id));
    await page.selectOption("[name=result]", "no");
    await page.selectOption("[name=arm]", "1");
    expect(await trials(page)).toEqual(failed.map(({ id }) => id));
    expect(await texts(page, "#shown")).toEqual([`${String(failed.length)} of 1000 trials`]);
    await page.fill("[name=words]", "rounding max_it");
    const found = failed.filter(({ task, ending }) => task.startsWith("rounding") && ending === "max_iterations");
    expect(await trials(page)).toEqual(found.map(({ id }) => id));
    await page.locator("button[type=reset]").click();
    await expect.poll(() => texts(page, "#shown")).toEqual(["1000 trials"]);
    await page.locator(".trials th button", { hasText: "cost" }).press("Enter");
    await page.locator(".trials th button", { hasText: "cost" }).press("Enter");
    const byCost = [...report.rows].sort((a, b) => b.cost - a.cost);
    expect((await trials(page))[0]).toBe(byCost[0]?.id);
    expect((await trials(page))[9]).toBe(byCost[9]?.id);
    expect(await page.locator("th[aria-sort=descending]").innerText()).toContain("cost");
    await page.locator(`#tasks [data-task="${taskId(3)}"] [data-arm="0"] a`).click();
    await expect.poll(async () => (await trials(page)).length).toBe(25);
  });

  test("of 1,000 trials opens in under two seconds", async () => {
    const file = join(newFolder(), "report.html");
    writeFileSync(file, await madePage(madeReport(shapes.thousand)));
    const opening: number[] = [];
    for (let time = 0; time < 3; time += 1) {
      const page = await opened(file);
      expect(await each(page, ".trials tbody tr", "1")).toHaveLength(1000);
      opening.push(Number(await page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")));
      await page.close();
    }
    expect(Math.min(...opening), opening.join(", ")).toBeLessThan(2000);
  });

  test.each(Object.keys(shapes) as (keyof typeof shapes)[])("is readable with trials: %s", async (name) => {
    const file = join(newFolder(), "report.html");
    writeFileSync(file, await madePage(madeReport(shapes[name])));
    for (const width of [400, 1280])
      for (const dark of [false, true]) {
        const page = await opened(file, { width, height: 860, dark });
        expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
        // The rules look at each element, and rows are alike.
        await page.evaluate("document.querySelectorAll('.trials tr:nth-child(n + 20)').forEach((row) => row.remove())");
        await page.evaluate(axe.source);
        const found = await page.evaluate(
          "axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ' ' + nodes[0].html.slice(0, 200)))",
        );
        expect(found).toEqual([]);
        await picture(page, `report-${name}-${String(width)}${dark ? "-dark" : ""}`);
        await page.close();
      }
  });

  test("runs no text of a trial as a script, and shows it as it is", async () => {
    const evil = "</script><script>window.ran = 1</script><img src=x onerror='window.ran = 2'>";
    const made = madeReport({ ...shapes.two_hundred, trials: 1, why: evil });
    const swapped = JSON.stringify(made)
      .replaceAll('"max_iterations"', JSON.stringify(evil))
      .replaceAll('"bare"', JSON.stringify(`bare${evil}`))
      .replaceAll('"check.mjs"', JSON.stringify(evil));
    const report = JSON.parse(swapped) as Report;
    const file = join(newFolder(), "report.html");
    writeFileSync(file, await madePage(report, { words: evil, earlier: report }));
    const failed = report.rows.find(({ result }) => result === "no")?.id ?? "";
    const page = await opened(file, {}, `#trial=${encodeURIComponent(failed)}`);
    await expect.poll(() => texts(page, "#trial .journal pre")).toContain(evil);
    expect(await texts(page, "#trial > div > pre")).toEqual([evil]);
    await page.keyboard.press("Escape");
    await page.selectOption("[name=result]", "no");
    await page.locator(".trials th button", { hasText: "ending" }).click();
    expect(await page.evaluate("[String(window.ran), document.images.length, document.scripts.length]")).toEqual([
      "undefined",
      0,
      report.rows.length + 1,
    ]);
  });

  test("its policy runs no script even if a text had become markup", async () => {
    const { page } = await openPage(browser);
    onTestFinished(() => page.close());
    const file = join(newFolder(), "report.html");
    const leaky = "<main><script>window.ran = 1</script><img src='x' onerror='window.ran = 2'>";
    writeFileSync(file, (await madePage(madeReport(shapes.one))).replace("<main>", leaky));
    await page.goto(pathToFileURL(file).href);
    expect(await page.evaluate("[String(window.ran), document.images.length]")).toEqual(["undefined", 1]);
  });
});
