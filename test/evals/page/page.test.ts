// The page of a report without a browser: its policy, its bound, and its journals.

import { readFileSync } from "node:fs";
import { readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import { z } from "zod";
import { evaluation } from "../../../src/evals/index.js";
import { packTrials } from "../../../src/evals/page/packed-trials.js";
import { pageOf } from "../../../src/evals/page/page.js";
import { tool } from "../../../src/index.js";
import { fileStore, openSession } from "../../../src/memory/index.js";
import { call } from "../../../src/testing/index.js";
import { agentWith, claim, drained, modelThat, newFolder, sumTask } from "../world.js";
import { madeJournal, madePage, madeReport } from "./page-world.js";

const unpacked = (text: string | undefined): unknown =>
  JSON.parse(inflateRawSync(Buffer.from(text ?? "", "base64")).toString());

test("journals of passed trials are left out first if the page became too large", async () => {
  const { rows } = madeReport({ tasks: 4, variants: ["bare"], trials: 3 });
  const journals = new Map(rows.map((row) => [row.id, madeJournal(row)]));
  const all = await packTrials(rows, (id) => Promise.resolve(journals.get(id)));
  const others = rows.filter(({ result }) => result !== "yes");
  const most = others.reduce((sum, { id }) => sum + (all.get(id) ?? "").length, 500);
  const some = await packTrials(rows, (id) => Promise.resolve(journals.get(id)), most);
  const left = rows.filter(({ id }) => (unpacked(some.get(id)) as { left?: number }).left !== undefined);
  expect(some.size).toBe(rows.length);
  expect(others.length).toBeGreaterThan(0);
  expect(left).toEqual(rows.filter(({ result }) => result === "yes"));
});

test("the page has no address to load from, and its policy allows nothing but its own script and style", async () => {
  const page = await madePage(madeReport({ tasks: 4, variants: ["bare"], trials: 3 }));
  expect(page).toMatch(
    /content="default-src &#39;none&#39;; script-src &#39;sha256-[\w+/=]+&#39;; style-src &#39;sha256-/,
  );
  expect(page).not.toMatch(/\s(?:src|style|on\w+)=|@import|url\(|https?:/);
});

test("a comparison with an earlier report is on the page", () => {
  const now = madeReport({ tasks: 6, variants: ["bare"], trials: 3 });
  expect(pageOf(now, { packed: new Map(), earlier: now })).toContain("bare with qwen, now and before");
  expect(pageOf(now, { packed: new Map() })).not.toContain("now and before");
});

test("the page and its journals show no value of a secret file, also if the agent removed the file", async () => {
  const base = newFolder();
  const task = sumTask("a", { workspace: (root) => writeFile(join(root, ".env"), "DB_LOGIN=hunter2-and-more\n") });
  const take = (root: string) =>
    tool({
      name: "take",
      description: "Reads .env and removes it",
      input: z.object({}),
      run: async () => {
        const text = await readFile(join(root, ".env"), "utf8");
        await unlink(join(root, ".env"));
        return text;
      },
    });
  const steps = [[call("take", {})], claim];
  const plan = evaluation({
    tasks: [task],
    variants: { bare: (place) => agentWith(() => [], [take(place.root)])(place) },
    models: { reads: modelThat(steps) },
    trials: 1,
  });
  await drained(plan, { base });
  const run = join(base, ".lastcall/evals/eval/1");
  const session = await openSession({ store: fileStore(join(run, "sessions")), id: "a.bare.reads.1" }).toJSON();
  expect(JSON.stringify(session.records)).toContain("hunter2");
  const [, packed] = /data-trial="a.bare.reads.1">([^<]+)</.exec(readFileSync(join(run, "report.html"), "utf8")) ?? [];
  const trial = JSON.stringify(unpacked(packed));
  expect(trial).toContain("DB_LOGIN=[redacted");
  expect(trial).not.toContain("hunter2");
});
