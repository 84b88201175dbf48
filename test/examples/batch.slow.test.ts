// The batch: 200 tasks that share one cost limit.

import { expect, test } from "vitest";
import { call, scriptedProvider, type Script } from "../../src/testing/index.js";
import { printed, projectWith } from "./example.js";

/** Each reply costs 0.004: 1600 tokens in at 2 and 100 out at 8 for a million. */
const script: Script = ({ number }) => ({
  calls: [call("label", { label: number % 4 === 0 ? "spam" : "fine" })],
  usage: { inputTokens: 1600, outputTokens: 100 },
});

test("labels all messages if the limit has room for them", async () => {
  await using project = await projectWith("batch");
  await using provider = await scriptedProvider(script);
  const { code, stdout, stderr } = await project.run([], provider);
  expect([code, stdout]).toEqual([0, printed("batch")[0]]);
  expect(stderr.split("\r").at(-1)).toBe(`[${"#".repeat(40)}] 200 of 200, cost 0.800\n`);
});

test("stops what would pass the limit, and asks for nothing more", async () => {
  await using project = await projectWith("batch");
  await using provider = await scriptedProvider(script);
  const { code, stdout } = await project.run(["0.2"], provider);
  expect(code).toBe(0);
  const [fine = 0, spam = 0, stopped = 0] = [/(\d+) fine/, /(\d+) spam/, /(\d+) stopped/].map((pattern) =>
    Number(pattern.exec(stdout)?.[1]),
  );
  expect(fine + spam + stopped).toBe(200);
  expect(provider.requests).toHaveLength(fine + spam);
  expect((fine + spam) * 0.004).toBeLessThanOrEqual(0.2 + 20 * 0.004);
  expect(stopped).toBeGreaterThan(120);
});
