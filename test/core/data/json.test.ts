import { describe, expect, it } from "vitest";
import {
  canonical,
  deepFreeze,
  digest,
  isPlainObject,
  sameJson,
  soundData,
  toJson,
} from "../../../src/core/data/json.js";

describe("isPlainObject", () => {
  it("is true for object literals and for objects without a prototype", () => {
    expect(isPlainObject({})).toBe(true);
    expect(isPlainObject({ a: 1 })).toBe(true);
    expect(isPlainObject(Object.create(null))).toBe(true);
  });

  it("is false for null, arrays, class instances, functions and primitives", () => {
    for (const value of [null, undefined, [], new Date(), new Map(), new Error("x"), () => 1, "text", 1, true]) {
      expect(isPlainObject(value)).toBe(false);
    }
  });
});

describe("toJson", () => {
  it("writes a bigint as a text of its digits", () => {
    expect(toJson({ rows: [{ id: 1234567890123456789n }], next: -5n })).toBe(
      '{"rows":[{"id":"1234567890123456789"}],"next":"-5"}',
    );
  });

  it("throws for a value that contains itself", () => {
    const circle: Record<string, unknown> = { id: 1n };
    circle["self"] = circle;
    expect(() => toJson(circle)).toThrow(TypeError);
  });
});

describe("sameJson", () => {
  const deep = (value: unknown, depth: number): unknown => {
    let made = value;
    for (let level = 0; level < depth; level += 1) made = [made];
    return made;
  };
  const values: readonly unknown[] = [
    null,
    undefined,
    true,
    0,
    1,
    "1",
    "",
    [],
    [1],
    [1, 2],
    [2, 1],
    {},
    { a: 1 },
    { a: 2 },
    { b: 1 },
    { a: 1, b: [2] },
    { b: [2], a: 1 },
    { b: [3], a: 1 },
    { 0: 1 },
    10n,
    new Date(0),
    deep(1, 300),
    deep(2, 300),
    deep(1, 100_000),
  ];

  it.each(values.map((value, index) => [index, value]))("agrees with the canonical texts, value %d", (_index, one) => {
    for (const other of values) {
      // A field that is undefined, or a value too deep to be written, has no text of its own.
      expect(sameJson(one, structuredCloned(other))).toBe(canonical(one) === canonical(other));
    }
  });
});

/** A copy, so that no object equals itself. */
function structuredCloned(value: unknown): unknown {
  try {
    return structuredClone(value);
  } catch {
    return value;
  }
}

describe("canonical", () => {
  it("gives equal values equal texts for any order of their keys, at every depth", () => {
    const one = { b: 1, a: { d: [1, { f: 2, e: 3 }], c: null } };
    const other = { a: { c: null, d: [1, { e: 3, f: 2 }] }, b: 1 };
    expect(canonical(one)).toBe(canonical(other));
    expect(canonical(one)).toBe('{"a":{"c":null,"d":[1,{"e":3,"f":2}]},"b":1}');
  });

  it("keeps the order of lists", () => {
    expect(canonical([2, 1])).not.toBe(canonical([1, 2]));
  });

  it("distinguishes a text from the value that it looks like", () => {
    expect(canonical("1")).not.toBe(canonical(1));
    expect(canonical("null")).not.toBe(canonical(null));
    expect(canonical([])).not.toBe(canonical({}));
  });

  it("keeps a key named __proto__ as a key", () => {
    const value: unknown = JSON.parse('{"b":1,"__proto__":{"a":2}}');
    expect(canonical(value)).toBe('{"__proto__":{"a":2},"b":1}');
  });

  it("has a text for values that JSON can't represent", () => {
    expect(canonical(undefined)).toBe("null");
  });
});

describe("digest", () => {
  it("is short, and the same for the same text", () => {
    const text = "x".repeat(100_000);
    expect(digest(text)).toBe(digest(text));
    expect(digest(text).length).toBeLessThanOrEqual(11);
    expect(digest(text)).toMatch(/^[0-9a-z]+$/);
  });

  it("differs for texts that differ in one character, and for each of many texts", () => {
    expect(digest("abc")).not.toBe(digest("abd"));
    const digests = new Set(Array.from({ length: 20_000 }, (_, index) => digest(`text ${String(index)}`)));
    expect(digests.size).toBe(20_000);
  });
});

describe("deepFreeze", () => {
  it("freezes plain objects and arrays in place, at every depth", () => {
    const value = { list: [{ a: 1 }], nested: { b: { c: 2 } } };
    expect(deepFreeze(value)).toBe(value);
    for (const part of [value, value.list, value.list[0], value.nested, value.nested.b]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it("does not change class instances and primitives", () => {
    const date = new Date();
    const value = deepFreeze({ date, text: "x" });
    expect(Object.isFrozen(date)).toBe(false);
    expect(value.date).toBe(date);
    expect(deepFreeze("text")).toBe("text");
  });
});

describe("sound data", () => {
  it("is the same object if its texts are sound", () => {
    const data = { a: ["b", { c: 1, d: null, e: undefined }], f: new Date(0) };
    expect(soundData(data)).toBe(data);
  });

  it("has every text mended, of lists, of fields and of their names", () => {
    expect(soundData({ ok: "ok", list: ["a\ud83d", 1], "k\0": { deep: "\0" } })).toEqual({
      ok: "ok",
      list: ["a\ufffd", 1],
      "k\ufffd": { deep: "\ufffd" },
    });
    expect(Object.hasOwn(soundData(JSON.parse('{"__proto__":"\\ud83d"}') as object), "__proto__")).toBe(true);
  });

  it("leaves instances of classes and circles alone", () => {
    const circle: Record<string, unknown> = { text: "\ud83d", when: new Date(0) };
    circle["self"] = circle;
    expect(soundData(circle)).toEqual({ text: "\ufffd", when: circle["when"], self: circle });
  });
});
