// The formats of secrets, one a line of test/cases/secrets/formats.jsonl: found, or not found by decision, wherever the text is cut.

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { redactor } from "../../../src/core/index.js";

interface FormatCase {
  readonly format: string;
  readonly text: string;
  readonly expect: "found" | "not found";
  /** The documentation or the scanner's rule that states the shape, or the reason why the text is not found. */
  readonly source: string;
}

const file = resolve(import.meta.dirname, "../../cases/secrets/formats.jsonl");
const cases = readFileSync(file, "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as FormatCase);
const secrets = redactor();

describe("the formats of secrets", () => {
  test("all have an expectation and a source", () => {
    expect(cases.filter(({ source }) => source.length < 5)).toEqual([]);
    expect(new Set(cases.map((one) => one.expect))).toEqual(new Set(["found", "not found"]));
  });

  test.each(cases)("$format: $expect", ({ text, expect: expected }) => {
    const inJson = text.includes("\\") ? [] : [JSON.stringify({ output: `first\n${text}` })];
    for (const whole of [text, `before ${text} after`, `  ${text}\n`, ...inJson]) {
      const shown = secrets.text(whole);
      expect(shown === whole ? "not found" : "found").toBe(expected);
      expect(secrets.text(shown)).toBe(shown);
      for (const size of [1, 2, 7, 64]) {
        const stream = secrets.stream();
        let out = "";
        for (let at = 0; at < whole.length; at += size) out += stream.write(whole.slice(at, at + size));
        expect(out + stream.end()).toBe(shown);
      }
    }
  });

  test.each(cases.filter((one) => one.expect === "found"))("$format: no run of 16 characters is left", ({ text }) => {
    const left = secrets.text(text).replace(/\[redacted: [a-z ]+\]/g, " ");
    const runs = left.match(/[A-Za-z0-9+/]{16,}/g) ?? [];
    const names = /^(?:hooks|com\/api\/webhooks|SharedAccessKeyName|AccountName|DefaultEndpointsProtocol|12345678)/;
    expect(runs.filter((run) => !names.test(run) && !/^[a-z]+$/i.test(run))).toEqual([]);
  });
});

describe("keys whose digits and first letter are left to chance", () => {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  /** Texts that look random and are the same in each run. */
  const randomText = (seed: number, length: number): string => {
    let state = seed + 1;
    return Array.from({ length }, () => {
      state = (state * 48271) % 0x7fffffff;
      return letters.charAt(state % letters.length);
    }).join("");
  };

  test.each([
    ["aws_secret_access_key = ", 40],
    ["aws_secret_access_key: ", 40],
    ['"SecretAccessKey": "', 40, '"'],
    ["X-API-Key: ", 32],
    ["API_KEY=", 24],
    ["SERVICE_KEY=", 40],
  ])("%s is found with each of 3000 keys", (before, length, after = "") => {
    const missed: string[] = [];
    for (let seed = 0; seed < 3000; seed += 1) {
      const text = before + randomText(seed, length) + after;
      if (secrets.text(text) === text) missed.push(text);
    }
    expect(missed).toEqual([]);
  });
});
