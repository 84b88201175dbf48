import { expect, test } from "vitest";
import { readEach } from "../../../src/core/time/read-each.js";
import { drain } from "../drain.js";

async function* numbers(last: number): AsyncGenerator<number, string, void> {
  for (let number = 1; number <= last; number += 1) yield await Promise.resolve(number);
  return "over";
}

test("each step of the source may become none, one or several steps, in order", async () => {
  const steps = readEach(numbers(4), (step) => {
    if (step.done === true) return [{ done: false, value: 99 }, step];
    return Array.from({ length: step.value % 3 }, () => ({ done: false, value: step.value }) as const);
  });
  expect(await drain(steps)).toEqual({ events: [1, 2, 2, 4, 99], value: "over" });
});

test("after its end the steps stay ended, and the last step of the source is read once", async () => {
  let reads = 0;
  const steps = readEach(numbers(0), (step) => {
    reads += 1;
    return [step];
  });
  expect(await steps.next()).toEqual({ done: true, value: "over" });
  expect(await steps.next()).toEqual({ done: true, value: undefined });
  expect(reads).toBe(1);
});

test("an error of the source is thrown to the reader", async () => {
  async function* broken(): AsyncGenerator<number, string, void> {
    yield await Promise.resolve(1);
    throw new Error("it broke");
  }
  const steps = readEach(broken(), (step) => [step]);
  expect(await steps.next()).toEqual({ done: false, value: 1 });
  await expect(steps.next()).rejects.toThrow("it broke");
});
