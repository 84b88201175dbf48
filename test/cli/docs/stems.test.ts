import { expect, test } from "vitest";
import { stemsOf } from "../../../src/cli/docs/stems.js";

test.each([
  ["stop", "stopped stops stopping"],
  ["cache", "caches cached caching"],
  ["query", "queries"],
  ["compact", "compaction compacted"],
  ["fail", "fails failed failing"],
  ["agent", "agents Agent AGENTS"],
])("the forms of %s are one word: %s", (word, forms) => {
  const [stem] = stemsOf(word);
  expect(stemsOf(forms)).toEqual(forms.split(" ").map(() => stem));
});

test.each([
  ["process", "proc"],
  ["status", "stat"],
  ["analysis", "analys"],
])("%s keeps its ending", (word) => {
  expect(stemsOf(word)[0]).toBe(word);
});

test("the spellings of one name are one word, and its parts are words as well", () => {
  for (const name of ["toolChoice", "tool_choice", "tool-choice"])
    expect(stemsOf(name)).toEqual(["toolchoice", ...stemsOf("tool choice")]);
});

test("words that say nothing are left out, and letters of every script count", () => {
  expect(stemsOf("What is the Größe of ПРИВЕТ?")).toEqual(["größ", "привет"]);
});
