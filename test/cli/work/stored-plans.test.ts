// Schedules as a worker states them.

import { expect, test } from "vitest";
import { statePlans, type StoredPlan } from "../../../src/cli/work/stored-plans.js";
import { LastcallError } from "../../../src/index.js";

test("a schedule that can't be stated is told once, and keeps no other from its times", async () => {
  const plan = (name: string, every: number): StoredPlan => ({ name, every, agent: "clerk", input: "go" });
  const stop = new AbortController();
  const [said, stated]: [string[], string[]] = [[], []];
  let looks = 0;
  await statePlans(
    {
      list: () => {
        looks += 1;
        if (looks === 2) stop.abort();
        return Promise.resolve([plan("broken", 0), plan("nightly", 86_400_000)]);
      },
    },
    {
      host: {
        schedule: ({ name, every }) => {
          if (every === 0) return Promise.reject(new LastcallError("configuration", "every of the plan broken is 0."));
          stated.push(name);
          return Promise.resolve(() => undefined);
        },
      },
      agent: "clerk",
      signal: stop.signal,
      say: (line) => said.push(line),
    },
  );
  expect(stated).toEqual(["nightly"]);
  expect(said).toEqual(["The schedule broken is left out: every of the plan broken is 0."]);
});
