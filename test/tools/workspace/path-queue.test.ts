// The path queue: work on one path waits for earlier work on it, work on other paths does not, and no entry stays.

import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { busy, inPathQueue } from "../../../src/tools/workspace/path-queue.js";

test("work on one path is done in the order it was asked for, errors and all", async () => {
  const done: number[] = [];
  const works = [20, 0, 10].map((time, at) =>
    inPathQueue(["/a"], async () => {
      await sleep(time);
      done.push(at);
      if (at === 1) throw new Error("no");
      return at;
    }),
  );
  expect(await Promise.allSettled(works)).toEqual([
    { status: "fulfilled", value: 0 },
    expect.objectContaining({ status: "rejected" }),
    { status: "fulfilled", value: 2 },
  ]);
  expect(done).toEqual([0, 1, 2]);
  expect(busy()).toBe(0);
});

test("work on two paths in both orders never waits for itself, and other paths go on", async () => {
  let most = 0;
  let now = 0;
  const work = async (): Promise<void> => {
    most = Math.max(most, (now += 1));
    await sleep(2);
    now -= 1;
  };
  const pairs = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? ["/a", "/b"] : ["/b", "/a"]));
  await Promise.all(pairs.map((paths) => inPathQueue(paths, work)));
  expect(most).toBe(1);
  await Promise.all([inPathQueue(["/a", "/a"], work), inPathQueue(["/b"], work), inPathQueue(["/c"], work)]);
  expect(most).toBe(3);
  expect(busy()).toBe(0);
});
