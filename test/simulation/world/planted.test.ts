// The bugs of sources that can be planted, as texts in those sources.

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { bugs, type Planted } from "./planted.js";

test("the text of each bug stands once in its source", () => {
  const planted = Object.entries<Planted>(bugs).flatMap(([name, { plant }]) =>
    plant === undefined ? [] : [{ name, plant }],
  );
  expect(planted.length).toBeGreaterThan(10);
  const times = planted.map(({ name, plant }) => [name, readFileSync(plant.file, "utf8").split(plant.text).length - 1]);
  expect(Object.fromEntries(times)).toEqual(Object.fromEntries(planted.map(({ name }) => [name, 1])));
});
