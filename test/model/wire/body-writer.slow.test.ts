import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ListBytes, listWriter, restBytes, restWriter } from "../../../src/model/wire/body-writer.js";
import type { RequestBody } from "../../../src/model/data/request-body.js";

const none = restBytes({});

function textOf(body: RequestBody): string {
  return Buffer.concat(body).toString();
}

/** An item that counts how often it is written. */
function counted(value: unknown): { written: number; toJSON(): unknown } {
  return {
    written: 0,
    toJSON() {
      this.written += 1;
      return value;
    },
  };
}

describe("a list that grows", () => {
  test("has the bytes that JSON has for it, whatever its items hold", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ stringUnit: "binary" })))),
        // JSON puts keys that are whole numbers first; no API has such keys.
        fc.dictionary(
          fc.string({ minLength: 1 }).map((name) => `k${name}`),
          fc.jsonValue(),
        ),
        (entries, keys) => {
          const list = ListBytes.under("input");
          for (const [index, items] of entries.entries()) {
            list.push(items);
            const expected = JSON.stringify({ input: entries.slice(0, index + 1).flat(), ...keys });
            expect(Buffer.concat(list.body(restBytes(keys))).equals(Buffer.from(expected))).toBe(true);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  test("never changes a byte that an earlier body holds, also while its memory grows", () => {
    const list = ListBytes.under("messages");
    const bodies: { readonly body: RequestBody; readonly copy: string }[] = [];
    for (let index = 0; index < 300; index += 1) {
      list.push([{ index, text: "é€😀".repeat(index) }]);
      const body = list.body(none);
      bodies.push({ body, copy: textOf(body) });
    }
    for (const { body, copy } of bodies) expect(textOf(body)).toBe(copy);
  });

  test("copies at most twice its length in all", () => {
    const list = ListBytes.under("messages");
    const memories = new Set<ArrayBufferLike>();
    for (let index = 0; index < 2000; index += 1) {
      list.push([{ text: "x".repeat(500) }]);
      memories.add(list.body(none)[0]!.buffer);
    }
    const length = list.body(none)[0]!.length;
    const sizes = [...memories].map(({ byteLength }) => byteLength).sort((a, b) => b - a);
    expect(sizes.slice(1).reduce((sum, size) => sum + size, 0)).toBeLessThan(2 * length);
    expect(memories.size).toBeLessThan(12);
  });

  test("can begin like another one, which stays as it is", () => {
    const list = ListBytes.under("messages");
    for (const name of ["a", "b", "c"]) list.push([{ name }]);
    const other = list.startingWith(1);
    other.push([{ name: "d" }]);
    list.push([{ name: "e" }]);
    expect(textOf(other.body(none))).toBe('{"messages":[{"name":"a"},{"name":"d"}]}');
    expect(textOf(list.body(none))).toBe('{"messages":[{"name":"a"},{"name":"b"},{"name":"c"},{"name":"e"}]}');
    expect(textOf(list.startingWith(0).body(none))).toBe('{"messages":[]}');
  });
});

describe("a writer of lists", () => {
  test("writes each item of a list that grows once", () => {
    const write = listWriter("messages");
    const items = Array.from({ length: 20 }, (_, index) => counted({ index, text: 'a "b"\n' }));
    for (let length = 0; length <= items.length; length += 1) {
      const { messages } = JSON.parse(textOf(write(items.slice(0, length)).body(none))) as { messages: unknown };
      expect(messages).toEqual(Array.from({ length }, (_, index) => ({ index, text: 'a "b"\n' })));
    }
    expect(items.map(({ written }) => written)).toEqual(items.map(() => 1));
  });

  test("writes a list that was cut, or changed in the middle, as it is now", () => {
    const write = listWriter("messages");
    const text = (...items: readonly object[]): string => textOf(write(items).body(none));
    const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => ({ name }));
    expect(text(a!, b!, c!)).toBe('{"messages":[{"name":"a"},{"name":"b"},{"name":"c"}]}');
    expect(text(a!, b!)).toBe('{"messages":[{"name":"a"},{"name":"b"}]}');
    expect(text(a!, d!, b!)).toBe('{"messages":[{"name":"a"},{"name":"d"},{"name":"b"}]}');
    expect(text()).toBe('{"messages":[]}');
  });
});

test("the keys after a list are written again only if one of them is another", () => {
  let written = 0;
  const write = restWriter((settings: object, choice: string) => {
    written += 1;
    return { ...settings, choice };
  });
  const settings = { temperature: 0 };
  expect(Buffer.from(write(settings, "auto")).toString()).toBe('],"temperature":0,"choice":"auto"}');
  write(settings, "auto");
  expect(written).toBe(1);
  expect(Buffer.from(write(settings, "required")).toString()).toContain("required");
  expect(written).toBe(2);
});
