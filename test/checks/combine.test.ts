import { describe, expect, it } from "vitest";
import { all, any, predicate } from "../../src/checks/index.js";
import type { Check, CheckContext } from "../../src/core/index.js";

const context: CheckContext = { key: "s/1/check:1", signal: new AbortController().signal, when: "claim", records: [] };
const asked: string[] = [];

function check(name: string, passed: boolean): Check {
  return predicate(name, () => {
    asked.push(name);
    return { passed, output: `seen by ${name}` };
  });
}

const broken = predicate("broken", () => {
  throw new Error("no such table");
});

describe("a predicate", () => {
  it("is a function's yes or no, or its verdict", async () => {
    expect(await predicate("p", () => true).verify(context)).toMatchObject({ passed: true });
    expect(await predicate("p", async () => false).verify(context)).toMatchObject({ passed: false });
    expect(await check("a", false).verify(context)).toEqual({ passed: false, output: "seen by a" });
  });
});

describe("all and any", () => {
  it("all passes where each does, and stops at the first that fails, with its words", async () => {
    expect(await all(check("a", true), check("b", true)).verify(context)).toMatchObject({ passed: true });
    asked.length = 0;
    const { passed, output } = await all(check("a", true), check("b", false), check("c", true)).verify(context);
    expect([passed, asked, output]).toEqual([false, ["a", "b"], "a: passed\nb: failed\nseen by b"]);
  });

  it("any passes where one does, and stops at it; where none does, all their words are told", async () => {
    asked.length = 0;
    expect(await any(check("a", false), check("b", true), check("c", true)).verify(context)).toMatchObject({
      passed: true,
    });
    expect(asked).toEqual(["a", "b"]);
    const { passed, output } = await any(check("a", false), broken).verify(context);
    expect(passed).toBe(false);
    expect(output).toBe("a: failed\nseen by a\nbroken: failed\nThe check itself failed: no such table");
  });

  it("made goals of rules, so that a run which did nothing had evidence: rules make a rule, and advice advice", () => {
    const of = (kind?: "rule" | "advice"): Check => ({ ...check("a", true), ...(kind && { kind }) });
    for (const join of [all, any]) {
      expect(join(of("rule"), of("rule")).kind).toBe("rule");
      expect(join(of("advice")).kind).toBe("advice");
      for (const mixed of [join(of("rule"), of("advice")), join(of("rule"), of()), join(of())])
        expect("kind" in mixed).toBe(false);
    }
  });

  it("are named after what they are made of, and made of something", () => {
    expect(all(check("a", true), any(check("b", true))).name).toBe("all of: a, any of: b");
    expect(() => all()).toThrow("all() needs at least one check");
    expect(() => any()).toThrow("any() needs at least one check");
  });
});
