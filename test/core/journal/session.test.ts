import { describe, expect, test } from "vitest";
import type { Session } from "../../../src/core/index.js";
import { checkSession } from "../../../src/core/journal/session.js";
import { input, iteration, journal, reply, result } from "../journal.js";

const records = journal([input(1, "go"), reply(1, ["a"]), result("a"), iteration(1)]);
const session: Session = { version: 1, id: "s", records };

describe("a session can be used", () => {
  test("with all of its records, or with none yet, also after a round trip through JSON", () => {
    for (const one of [session, { ...session, records: [] }, JSON.parse(JSON.stringify(session)) as Session]) {
      expect(() => {
        checkSession(one);
      }).not.toThrow();
    }
  });
});

describe("a session is refused, and the fault says why,", () => {
  test.each<[string, unknown, string]>([
    ["of another version", { ...session, version: 2 }, "version 2"],
    ["without a version", { id: "s", records }, "has no version"],
    ["without an id", { ...session, id: "" }, "must have an id"],
    ["with an id that is no text", { ...session, id: 7 }, "must have an id"],
    ["without records", { version: 1, id: "s" }, "records"],
    ["without its first record", { ...session, records: records.slice(1) }, "number 0"],
    ["without a record in the middle", { ...session, records: records.filter(({ seq }) => seq !== 2) }, "number 2"],
    ["with a record twice", { ...session, records: [...records, records.at(-1)] }, "number 4"],
    ["with records in another order", { ...session, records: [...records].reverse() }, "number 0"],
    ["with a record that is none", { ...session, records: [null] }, "number 0"],
  ])("%s", (_what, given, words) => {
    expect(() => {
      checkSession(given as Session);
    }).toThrow(expect.objectContaining({ code: "configuration", message: expect.stringContaining(words) }));
  });
});
