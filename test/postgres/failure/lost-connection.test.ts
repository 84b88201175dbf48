import { expect, test } from "vitest";
import { persistently } from "../../../src/postgres/failure/lost-connection.js";

const coded = (code: string): Error => Object.assign(new Error("words"), { code });

test("work is tried until it succeeds, and an error that time does not change is thrown at once", async () => {
  const codes = ["ECONNRESET", "57014", "25006"];
  let tries = 0;
  const made = await persistently(async () => {
    const code = codes[tries];
    tries += 1;
    if (code !== undefined) throw coded(code);
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
