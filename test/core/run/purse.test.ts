import { describe, expect, test } from "vitest";
import type { Budget, LimitOptions, Principal, Reservation, ReserveAnswer, Spent } from "../../../src/core/index.js";
import { input } from "../journal.js";
import { openRun } from "../open-run.js";

const tokens = (count: number): Spent => ({ iterations: 1, tokens: count, cost: 0 });
const spentIn = ({ run }: ReturnType<typeof openRun>): number => run.state.spent.tokens;

/** A run that may use so many tokens. */
function runOf(maxTokens: number, opening: Parameters<typeof openRun>[2] = {}, more: LimitOptions = {}) {
  return openRun({ limits: { maxTokens, reserve: 0, ...more } }, [input(1, "go")], opening);
}

/** What was set aside. It must have been, at once. */
function held(answer: ReserveAnswer | Promise<ReserveAnswer>): Reservation {
  if (answer instanceof Promise) throw new Error("the answer is a promise");
  if ("reason" in answer) throw new Error(answer.message);
  return answer;
}

describe("a budget", () => {
  test("has room for what is not set aside yet, and names the limit that forbids more", () => {
    const { run } = runOf(100);
    const budget = run.purse.open();
    held(budget.reserve(tokens(60)));
    expect(budget.reserve(tokens(41))).toMatchObject({ reason: "token_budget" });
    held(budget.reserve(tokens(40)));
  });

  test("has room again for what is released", () => {
    const budget = runOf(100).run.purse.open();
    held(budget.reserve(tokens(100))).release();
    held(budget.reserve(tokens(100)));
  });

  test("records what was used, in place of what was set aside", async () => {
    const bench = runOf(100);
    const budget = bench.run.purse.open();
    await held(budget.reserve(tokens(90))).settle(tokens(30));
    expect(bench.added()).toMatchObject([{ type: "spend", spent: { tokens: 30 } }]);
    held(budget.reserve(tokens(70)));
    expect(budget.reserve(tokens(1))).toMatchObject({ reason: "token_budget" });
  });

  test("is shared by the calls that are under way", () => {
    const { purse } = runOf(100).run;
    held(purse.open().reserve(tokens(60)));
    expect(purse.open().reserve(tokens(60))).toMatchObject({ reason: "token_budget" });
  });

  test("of a call that is over gives nothing, and what still comes in is not recorded", async () => {
    const bench = runOf(100);
    const budget = bench.run.purse.open();
    const late = held(budget.reserve(tokens(60)));
    budget.close();
    expect(budget.reserve(tokens(1))).toMatchObject({ canClose: false });
    await late.settle(tokens(60));
    expect(bench.types()).toEqual([]);
    held(bench.run.purse.open().reserve(tokens(100)));
  });
});

describe("a run within a run", () => {
  test("sets aside and pays in each run above it, and is bounded by the least of them", async () => {
    const top = runOf(100);
    const middle = runOf(1000, { budget: top.run.purse.open() });
    const inner = middle.run.purse.open();
    expect(inner.reserve(tokens(101))).toMatchObject({ reason: "token_budget" });
    await held(inner.reserve(tokens(80))).settle(tokens(70));
    expect([spentIn(middle), spentIn(top)]).toEqual([70, 70]);
  });

  test("leaves nothing set aside in a run whose parent refuses", () => {
    const top = runOf(50);
    const middle = runOf(100, { budget: top.run.purse.open() });
    const inner = middle.run.purse.open();
    expect(inner.reserve(tokens(80))).toHaveProperty("reason");
    held(inner.reserve(tokens(50)));
  });

  test("settles its own next request up the tree, and there alone", async () => {
    const top = runOf(100);
    const child = runOf(1000, { budget: top.run.purse.open() });
    expect(await child.run.purse.reserveNext(tokens(90), "key")).toBeUndefined();
    await child.run.purse.settleNext(tokens(40));
    expect([spentIn(child), spentIn(top)]).toEqual([0, 40]);
    await child.run.purse.settleNext(tokens(40));
    expect(spentIn(top)).toBe(40);
  });

  test("is told which limit above forbids its next request", async () => {
    const top = runOf(50);
    const child = runOf(1000, { budget: top.run.purse.open() });
    expect(await child.run.purse.reserveNext(tokens(90), "key")).toMatchObject({ reason: "token_budget" });
    expect(await runOf(1).run.purse.reserveNext(tokens(90), "key")).toBeUndefined();
  });

  test("sets its next request aside once: one that was broken off before its reply is free again", async () => {
    const top = runOf(100);
    const child = runOf(1000, { budget: top.run.purse.open() });
    expect(await child.run.purse.reserveNext(tokens(60), "key")).toBeUndefined();
    expect(await child.run.purse.reserveNext(tokens(60), "key")).toBeUndefined();
    child.run.purse.dropNext();
    held(top.run.purse.open().reserve(tokens(100)));
  });
});

describe("a budget above that answers later", () => {
  const room = (answer: Promise<ReserveAnswer>, seen: unknown[] = []): Budget => ({
    reserve: (next, key) => {
      seen.push(key);
      return answer;
    },
  });
  const free: Reservation = { settle: async () => undefined, release: () => undefined };

  test("gets the key of the request, and what was asked for meanwhile is set aside already", async () => {
    const seen: unknown[] = [];
    const { run } = runOf(100, { budget: room(Promise.resolve(free), seen) });
    const budget = run.purse.open();
    const first = budget.reserve(tokens(60), "a/model:1");
    expect(budget.reserve(tokens(60))).toMatchObject({ reason: "token_budget" });
    expect(await first).toHaveProperty("settle");
    expect(await run.purse.reserveNext(tokens(10), "s/model:2")).toBeUndefined();
    expect(seen).toEqual(["a/model:1", "s/model:2"]);
  });

  test("frees what was set aside if it forbids the request, and if it fails", async () => {
    const no = { reason: "cost_budget", message: "used up", canClose: false } as const;
    const { run } = runOf(100, { budget: room(Promise.resolve(no)) });
    expect(await run.purse.open().reserve(tokens(100))).toEqual(no);
    expect(await run.purse.open().reserve(tokens(100))).toEqual(no);
    const broken = runOf(100, { budget: room(Promise.reject(new Error("the database is gone"))) }).run.purse;
    await expect(broken.open().reserve(tokens(100))).rejects.toThrow("gone");
    await expect(broken.reserveNext(tokens(100), "key")).rejects.toThrow("gone");
    await expect(broken.open().reserve(tokens(100))).rejects.toThrow("gone");
  });
});

describe("a budget above is told for whom a request is sent", () => {
  const [ann, ben]: readonly Principal[] = [{ id: "ann", tenant: "acme" }, { id: "ben" }];
  const free: Reservation = { settle: async () => undefined, release: () => undefined };

  /** A run on words of ann's whose budget notes the principals. */
  function noting(by: Principal | undefined = ann) {
    const seen: (Principal | undefined)[] = [];
    const budget: Budget = { reserve: (_next, _key, principal) => (seen.push(principal), free) };
    const bench = openRun({}, [{ type: "input", run: 1, text: "go", ...(by && { by }) }], { budget });
    return { run: bench.run, seen };
  }

  test("for the principal of the last words, also if these come while the run works", async () => {
    const { run, seen } = noting();
    await run.purse.reserveNext(tokens(1), "key");
    await run.append({ type: "steer", text: "faster", sent: "1", by: ben! });
    await run.purse.reserveNext(tokens(1), "key");
    await run.purse.open().reserve(tokens(1));
    await run.append({ type: "steer", text: "faster", sent: "2" });
    await run.purse.reserveNext(tokens(1), "key");
    expect(seen).toEqual([ann, ben, ben, undefined]);
  });

  test("for the principal of a call that goes on, whoever has said something since", async () => {
    const { run, seen } = noting();
    const budget = run.purse.open({ callId: "c", principal: ann, turn: () => true });
    await run.append({ type: "steer", text: "faster", sent: "1", by: ben! });
    await budget.reserve(tokens(1));
    expect(seen).toEqual([ann]);
  });

  test("for the principal of the outermost call: neither a tool nor an agent below can name another", async () => {
    const { run, seen } = noting();
    const budget = run.purse.open({ callId: "c", principal: ann, turn: () => true });
    await budget.reserve(tokens(1), "key", ben);
    const below = openRun({}, [{ type: "input", run: 1, text: "go", by: ben! }], { budget });
    await below.run.purse.reserveNext(tokens(1), "key");
    await below.run.purse.open({ callId: "d", principal: ben, turn: () => true }).reserve(tokens(1), "key", ben);
    expect(seen).toEqual([ann, ann, ann]);
  });
});
