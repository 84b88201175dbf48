// The examples of the playground run on Node, against the built package, and end as the page says.

import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { examples, type Ending, type Example } from "../../site/src/playground/examples/list.js";
import type { Agent, AnyOutcome } from "../../src/index.js";
import { assertWellFormed } from "../../src/testing/index.js";
import { built } from "../dist.js";

const root = resolve(import.meta.dirname, "../..");
const folder = join(root, "site/src/playground/examples");

interface Bank {
  books(): Promise<{ readonly payments: readonly { readonly to: string }[]; readonly requests: number }>;
}

interface Loaded {
  readonly agent: Agent;
  readonly task: string;
  readonly bank: Bank;
}

/** The modules that an example imports. */
function importsOf(code: string): readonly string[] {
  return [...code.matchAll(/ from "([^"]+)";/g)].map(([, from = ""]) => from);
}

let place: string;
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), "playground-"));
});
afterAll(() => rm(place, { recursive: true }));

/** Loads the example with a bank of its own. */
async function load({ id }: Example, time: string): Promise<Loaded> {
  const code = await readFile(join(folder, `${id}.js`), "utf8");
  const bank = `${pathToFileURL(join(folder, "bank.js")).href}?${id}-${time}`;
  const addressOf = (from: string): string => {
    if (from === "./bank.js") return bank;
    return from.startsWith("lastcall") ? built(from.slice("lastcall/".length)) : import.meta.resolve(from);
  };
  const file = join(place, `${id}-${time}.mjs`);
  await writeFile(
    file,
    code.replace(/ from "([^"]+)";/g, (_, from: string) => ` from ${JSON.stringify(addressOf(from))};`),
  );
  const { agent, task } = (await import(file)) as Pick<Loaded, "agent" | "task">;
  return { agent, task, ...((await import(bank)) as Pick<Loaded, "bank">) };
}

function endingOf(outcome: AnyOutcome): Ending {
  const { status } = outcome;
  if (status === "completed" || status === "waiting") return { status, by: outcome.by };
  if (status === "stopped") return { status, reason: outcome.reason };
  throw new Error(outcome.message);
}

/** Answers an outcome that waits. */
function answer({ agent }: Loaded, outcome: AnyOutcome, allowed = true): Promise<AnyOutcome> {
  if (outcome.status !== "waiting") throw new Error(`It does not wait: ${outcome.status}.`);
  const { session, id: answers } = outcome;
  return agent.run(outcome.approval === undefined ? "L, please" : { allowed }, { session, answers });
}

const named = (id: string): Example => examples.find((example) => example.id === id)!;

test("there are ten examples, and each file of the folder is one of them or the bank", () => {
  expect(examples).toHaveLength(10);
  const files = readdirSync(folder).filter((name) => name.endsWith(".js"));
  expect(files.sort()).toEqual([...examples.map(({ id }) => `${id}.js`), "bank.js"].sort());
});

test("examples import nothing but zod, the bank, and entries that are published for browsers", () => {
  const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly exports: Readonly<Record<string, { readonly browser?: string }>>;
  };
  const published = Object.keys(exports).filter((name) => exports[name]!.browser !== undefined);
  const allowed = [...published.map((name) => name.replace(/^\./, "lastcall")), "zod", "./bank.js"];
  for (const { id } of examples) {
    const imports = importsOf(readFileSync(join(folder, `${id}.js`), "utf8"));
    expect(imports.length).toBeGreaterThan(1);
    expect(imports.filter((name) => !allowed.includes(name))).toEqual([]);
  }
});

describe("on Node", () => {
  test.each(examples.map((example) => [example.title, example] as const))("%s ends as it says", async (_, example) => {
    const loaded = await load(example, "once");
    let outcome: AnyOutcome = await loaded.agent.run(loaded.task);
    expect(endingOf(outcome)).toEqual(example.ends);
    if (example.then !== undefined) {
      outcome = await answer(loaded, outcome);
      expect(endingOf(outcome)).toEqual(example.then);
    }
    assertWellFormed(outcome.session.records);
  });

  test("a refused refund is not paid, and an approved refund is paid once", async () => {
    const refused = await load(named("approval"), "refused");
    const no = await answer(refused, await refused.agent.run(refused.task), false);
    expect(no.status === "completed" && no.value).toEqual({ result: "A-1 is refunded, B-2 is not." });
    expect(await refused.bank.books()).toMatchObject({ payments: [{ to: "A-1" }], requests: 1 });
    const approved = await load(named("approval"), "approved");
    await answer(approved, await approved.agent.run(approved.task));
    expect(await approved.bank.books()).toMatchObject({ payments: [{ to: "A-1" }, { to: "B-2" }], requests: 2 });
  });

  test("five invoices are five payments", async () => {
    const { agent, task, bank } = await load(named("crash"), "whole");
    await agent.run(task);
    const { payments, requests } = await bank.books();
    expect([payments.length, requests]).toEqual([5, 5]);
  });
});
