// Redaction takes linear time over long texts of all that begins as secrets do.

import { expect, test } from "vitest";
import { redactor } from "../../../src/core/index.js";
import { processorTime } from "../../processor-time.js";
import { nearMisses } from "./near-misses.js";

const { text: redact } = redactor();

/** Milliseconds of the processor that one reading takes, of several. */
const timeOf = (text: string, times: number): number => {
  const spent = processorTime();
  for (let time = 0; time < times; time += 1) redact(text);
  return spent() / times;
};

test.each(nearMisses)("a long text of %j takes about four times as long as a quarter of it", (miss) => {
  const text = miss.repeat(Math.ceil(300_000 / miss.length));
  const excess = (times: number): number => {
    const quarter = timeOf(text.slice(0, text.length / 4), times);
    return timeOf(text, times) / Math.max(10 * quarter, 100);
  };
  const first = excess(1);
  // A machine that others use may slow one reading down. A search that is not linear is too slow each time.
  expect(first < 1 ? first : excess(3)).toBeLessThan(1);
});
