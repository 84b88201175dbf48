// Looks that count for some seconds.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { recently } from "../../../src/shell/places/recently.js";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test("the places of two workspaces in turn are looked at once each, and again after three seconds", async () => {
  const looked: string[] = [];
  const look = recently((place: string) => Promise.resolve(looked.push(place)));
  const inTurn = async (): Promise<readonly number[]> => [await look("a"), await look("b"), await look("a")];
  expect(await inTurn()).toEqual([1, 2, 1]);
  vi.advanceTimersByTime(2999);
  expect(await inTurn()).toEqual([1, 2, 1]);
  vi.advanceTimersByTime(2);
  expect(await inTurn()).toEqual([3, 4, 3]);
  expect(looked).toEqual(["a", "b", "a", "b"]);
});
