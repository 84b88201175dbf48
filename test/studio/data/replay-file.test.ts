import { expect, test } from "vitest";
import { readReplay } from "../../../src/studio/data/replay-file.js";

test.each([
  ["no JSON", "{", "no file that lastcall replay"],
  ["another JSON", '{"departures":[]}', "no file that lastcall replay"],
  [
    "a departure without its place",
    '{"session":{"id":"s","records":[]},"departures":[{}],"end":{},"unsaid":0,"remarks":[]}',
    "no file that lastcall replay",
  ],
  [
    "the replay of another session",
    '{"session":{"id":"t","records":[]},"departures":[],"end":{},"unsaid":0,"remarks":[]}',
    "a replay of the session t, and s is open",
  ],
])("%s is refused with words", (_name, text, words) => {
  expect(() => readReplay(text, "s")).toThrow(words);
});
