// The questions of a worker on DBOS to its tables.

import { expect, test } from "vitest";
import type { DbosPool } from "../../src/dbos/dbos-pool.js";
import { WorkerRows } from "../../src/dbos/worker-rows.js";

test("a process that stood still began a run of a delivery whose later attempt was withdrawn", async () => {
  const withdrawn = async (statuses: Readonly<Record<string, string>>, times: number): Promise<boolean> => {
    const query = (_text: string, [names = []]: readonly (readonly string[])[]) =>
      Promise.resolve({
        rows: names.flatMap((name) => (statuses[name] === undefined ? [] : [{ name, status: statuses[name] }])),
      });
    return new WorkerRows({ query } as unknown as DbosPool, "queue").isWithdrawn({ first: "s/i%3A1", times });
  };
  const done = { "s/i%3A1": "SUCCESS", "s/i%3A1~1": "SUCCESS" };
  expect(await withdrawn({ ...done, "s/i%3A1~2": "CANCELLED" }, 0)).toBe(true);
  expect(await withdrawn({ ...done, "s/i%3A1~2": "CANCELLED" }, 1)).toBe(true);
  expect(await withdrawn({ "s/i%3A1": "CANCELLED" }, 0)).toBe(true);
  // The process of the cancelled attempt failed, and gave the next one.
  expect(await withdrawn({ ...done, "s/i%3A1~1": "CANCELLED", "s/i%3A1~2": "PENDING" }, 2)).toBe(true);
  expect(await withdrawn({ ...done, "s/i%3A1~2": "PENDING" }, 0)).toBe(false);
  expect(await withdrawn({ ...done, "s/i%3A1~2": "ENQUEUED" }, 1)).toBe(false);
  expect(await withdrawn(done, 0)).toBe(false);
  expect(await withdrawn({}, 0)).toBe(false);
});
