// An agent brings no more bytes to a page than its budget.

import { expect, test } from "vitest";
import { overBudget } from "../../scripts/bundle-size.mjs";
import "../dist.js";

test("an agent, alone and with a provider, is within its budget", async () => {
  expect(await overBudget()).toEqual([]);
});

test("a budget that is exceeded by more than three per cent is named with both sizes", async () => {
  const [over] = await overBudget({ hello: { first: 10_000 } });
  expect(over).toMatch(/^hello, first: \d{5} bytes, and the budget is 10000$/);
});
