import { expect, test } from "vitest";
import { listWriter } from "../../../src/model/wire/list-text.js";

/** An item that counts its serializations. */
function counted(value: unknown): { written: number; toJSON(): unknown } {
  return {
    written: 0,
    toJSON() {
      this.written += 1;
      return value;
    },
  };
}

test("a list that grows has the text that JSON has for it, and each item is written once", () => {
  const write = listWriter();
  const items = Array.from({ length: 20 }, (_, index) => counted({ index, text: 'a "b"\n' }));
  for (let length = 0; length <= items.length; length += 1) {
    const text = write(items.slice(0, length));
    expect(JSON.parse(text)).toEqual(Array.from({ length }, (_, index) => ({ index, text: 'a "b"\n' })));
  }
  expect(items.map(({ written }) => written)).toEqual(items.map(() => 1));
});

test("a list that was cut, or changed in the middle, is written as it is now", () => {
  const write = listWriter();
  const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => ({ name }));
  expect(write([a!, b!, c!])).toBe('[{"name":"a"},{"name":"b"},{"name":"c"}]');
  expect(write([a!, b!])).toBe('[{"name":"a"},{"name":"b"}]');
  expect(write([a!, d!, b!])).toBe('[{"name":"a"},{"name":"d"},{"name":"b"}]');
  expect(write([])).toBe("[]");
});
