// A stub is one line for a whole result.

import fc from "fast-check";
import { expect, test } from "vitest";
import type { JournalResult } from "../../../src/core/index.js";
import { longestStub, stubFor } from "../../../src/memory/prompt/stub.js";
import { failed } from "../../core/journal.js";

const result: JournalResult = { callId: "s/l/1/call:1:0", name: "look", ok: true, text: "one\ntwo" };

test("a stub says the tool, the length, and how to read the result if there is a way", () => {
  expect(stubFor(result, undefined)).toBe("[result of look, 2 lines, left out]");
  expect(stubFor({ ...result, text: "one" }, "read_result")).toBe(
    '[result of look, 3 characters, left out: read_result with call "1/call:1:0" shows it]',
  );
});

test("a stub does not exceed its longest length, which grows with its names alone", () => {
  const names = fc.string({ maxLength: 300 });
  const kinds = fc.constantFrom(undefined, failed("tool_error"), failed("no_tool_call"));
  fc.assert(
    fc.property(names, names, names, kinds, fc.string(), (name, callId, reader, failure, text) => {
      const file = { mediaType: "image/png", digest: "d", size: 9, tokens: 85 };
      const attachments = [file, { ...file, name: text }];
      const one = { ...result, name, callId, text, attachments, ...(failure !== undefined && { failure }) };
      for (const tool of [reader, undefined])
        expect(stubFor(one, tool).length).toBeLessThanOrEqual(longestStub(one, tool));
    }),
  );
  expect(longestStub({ ...result, text: "x".repeat(10_000) })).toBe(longestStub(result));
});
