import { expect, test } from "vitest";
import { isPassing, persistently } from "../../src/postgres/lost-connection.js";

const coded = (code: string): Error => Object.assign(new Error("words"), { code });

test.each([
  "08006",
  "08P01",
  "57P01",
  "57P02",
  "57P03",
  "53300",
  "40001",
  "40P01",
  "ECONNRESET",
  "ECONNREFUSED",
  "EPIPE",
])("the code %s may pass", (code) => {
  expect(isPassing(coded(code))).toBe(true);
});

test.each(["23505", "42P01", "57014", "ENOSPC", ""])("the code %j does not pass", (code) => {
  expect(isPassing(coded(code))).toBe(false);
});

test("the words of the driver for a broken connection count, and other things thrown do not", () => {
  expect(isPassing(new Error("Connection terminated unexpectedly"))).toBe(true);
  expect(isPassing(new Error("Connection terminated due to connection timeout"))).toBe(true);
  for (const thrown of [new Error("a bug"), undefined, null, "Connection"]) expect(isPassing(thrown)).toBe(false);
});

test("work is tried until it succeeds, and an error that does not pass is thrown at once", async () => {
  let tries = 0;
  const made = await persistently(async () => {
    tries += 1;
    if (tries < 4) throw coded("ECONNRESET");
    return tries;
  });
  expect(made).toBe(4);
  await expect(
    persistently(async () => {
      tries += 1;
      throw coded("23505");
    }),
  ).rejects.toThrow("words");
  expect(tries).toBe(5);
});
