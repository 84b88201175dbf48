// Holders: whose lock counts, for how long, and who has given one up.

import { describe, expect, test } from "vitest";
import { giveBack, LockJudge, newHolder, stale } from "../../src/lock/index.js";

const noBirths = newHolder().birth === undefined ? " (left out: this system tells no births of processes)" : "";

/** A judge with a clock of the machine and a steady one. */
function bench() {
  let now = 1_700_000_000_000;
  let steady = 5;
  const judge = new LockJudge(
    () => now,
    () => steady,
  );
  return {
    judge,
    now: () => now,
    jump: (ms: number) => (now += ms),
    pass: (ms: number) => [(now += ms), (steady += ms)],
  };
}

describe.skipIf(noBirths)(`the lock of a process that runs here${noBirths}`, () => {
  test("is waited for thirty seconds by a process that waits all along, and not sixty", () => {
    const { judge, now, pass } = bench();
    const [holder, renewed] = [newHolder(), now()];
    for (let waited = 0; waited < stale; waited += 100) {
      expect(judge.counts("s", holder, renewed)).toBe(true);
      pass(100);
    }
    expect(judge.counts("s", holder, renewed)).toBe(false);
  });

  test("counts on if it is renewed meanwhile, or if the clock jumps", () => {
    const { judge, now, pass, jump } = bench();
    const holder = newHolder();
    expect(judge.counts("s", holder, now())).toBe(true);
    pass(stale - 1);
    const renewed = now();
    expect(judge.counts("s", holder, renewed)).toBe(true);
    jump(3_600_000);
    expect(judge.counts("s", holder, renewed)).toBe(true);
    pass(stale - 1);
    expect(judge.counts("s", holder, renewed)).toBe(true);
    pass(1);
    expect(judge.counts("s", holder, renewed)).toBe(false);
  });
});

describe("a lock that is given back", () => {
  test("is tried once more if that fails, and the second try counts", async () => {
    const { judge, now } = bench();
    const holder = newHolder();
    let tries = 0;
    await giveBack(holder, () => {
      tries += 1;
      return tries === 1 ? Promise.reject(new Error("the disk is busy")) : Promise.resolve();
    });
    expect(tries).toBe(2);
    expect(judge.counts("s", holder, now())).toBe(true);
  });

  test("counts no more for this process if both tries fail", async () => {
    const { judge, now } = bench();
    const [holder, other] = [newHolder(), newHolder()];
    await expect(giveBack(holder, () => Promise.reject(new Error("no permission")))).rejects.toThrow("no permission");
    expect(judge.counts("s", holder, now())).toBe(false);
    expect(judge.counts("s", other, now())).toBe(true);
  });
});
