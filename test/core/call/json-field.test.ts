import { describe, expect, it } from "vitest";
import { fieldReader } from "../../../src/core/call/json-field.js";
import { processorTime } from "../../processor-time.js";

/** The text that the reader returns for each chunk. */
function read(field: string, pieces: readonly string[]): readonly string[] {
  const reader = fieldReader(field);
  return pieces.map((piece) => reader.write(piece));
}

function inPieces(text: string, size: number): readonly string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; start += size) pieces.push(text.slice(start, start + size));
  return pieces;
}

const loneSurrogate = /(?:[\ud800-\udbff](?![\udc00-\udfff]))|(?:(?<![\ud800-\udbff])[\udc00-\udfff])/;

const texts: readonly (readonly [string, string])[] = [
  ["plain words", '{"result":"All done."}'],
  ["every escape", String.raw`{"result":"\" \\ \/ \b \f \n \r \t \u0041\u00e9\u20AC"}`],
  ["characters of several bytes", '{"result":"héllo – 日本語 👩‍👩‍👧 done"}'],
  ["escaped surrogate pairs", String.raw`{"result":"a\ud83d\ude00b\uD83D\uDE00\ud83d\udc69"}`],
  ["a surrogate pair with one half escaped", '{"result":"x\\ud83d\ude00y"}'],
  ["backslashes before quotes", String.raw`{"result":"\\\"\\\\","b":"\\"}`],
  ["the field last", '{"a":1,"b":[true,null,"result"],"c":{"d":"e"},"result":"here"}'],
  ["the field in the middle", '{"a":"x","result":"here","b":"y"}'],
  ["the same key in nested objects", '{"a":{"result":"no","b":{"result":"no"}},"result":"yes","c":[{"result":"no"}]}'],
  ["the key's name as a value", '{"a":"result","b":"result","result":"yes"}'],
  ["white space between everything", ' {\n "a" : [ 1 , "," ] ,\t"result"\r\n:\n "two\\nlines" , "z" : { } } '],
  ["an escaped key", String.raw`{"re\u0073ult":"yes","res\\ult":"no"}`],
  ["structure inside texts", String.raw`{"a":"{\"result\":\"no\"}, [:","result":"{\"result\":\"deep\"}"}`],
  ["a longer and a shorter key", '{"results":"no","resul":"no","result":"yes"}'],
  ["an empty field", '{"result":"","a":"x"}'],
  ["an empty object", "{}"],
  ["no such field", '{"a":"x"}'],
];

describe("the field reader", () => {
  describe.each(texts)("given %s", (_what, text) => {
    const whole = (JSON.parse(text) as Readonly<Record<string, string>>)["result"] ?? "";

    it("shows the value that JSON.parse gives the field", () => {
      expect(read("result", [text]).join("")).toBe(whole);
    });

    it("shows the same wherever the text is split in two, and never splits a character", () => {
      for (let at = 0; at <= text.length; at += 1) {
        const shown = read("result", [text.slice(0, at), text.slice(at)]);
        expect(shown.join("")).toBe(whole);
        for (const piece of shown) expect(piece).not.toMatch(loneSurrogate);
      }
    });

    it("shows the same in chunks of every size", () => {
      for (let size = 1; size <= 7; size += 1) {
        const shown = read("result", inPieces(text, size));
        expect(shown.join("")).toBe(whole);
        for (const piece of shown) expect(piece).not.toMatch(loneSurrogate);
      }
    });
  });

  it("shows a character as soon as it is complete", () => {
    expect(read("result", ['{"result":"a', "b", "\\", "n", "\\u00", "e9", "c"])).toEqual([
      "a",
      "b",
      "",
      "\n",
      "",
      "é",
      "c",
    ]);
  });

  it("holds a high surrogate back until the low surrogate arrives", () => {
    expect(read("result", ['{"result":"', "\ud83d", "\ude00", "\\ud83d", "\\ude00", '"}'])).toEqual([
      "",
      "",
      "😀",
      "",
      "😀",
      "",
    ]);
  });

  it("shows a lone surrogate as U+FFFD, as in the parsed arguments", () => {
    const text = String.raw`{"result":"a\ud83d"}`;
    expect(read("result", inPieces(text, 1)).join("")).toBe("a\ufffd");
    expect(read("result", inPieces(String.raw`{"result":"\udc00b\ud83dc"}`, 3)).join("")).toBe("\ufffdb\ufffdc");
  });

  it.each([
    ["a number", '{"result":12,"a":"x"}'],
    ["null", '{"result":null,"a":"x"}'],
    ["a list of texts", '{"result":["no","no"],"a":"x"}'],
    ["an object of texts", '{"result":{"a":"no","result":"no"},"b":"x"}'],
  ])("shows nothing of a field that is %s", (_what, text) => {
    expect(read("result", inPieces(text, 1)).join("")).toBe("");
  });

  it("shows nothing if the arguments are not an object", () => {
    expect(read("result", ['["result","x"]', '"result"']).join("")).toBe("");
  });

  it("shows the text before the cut of a cut reply", () => {
    expect(read("result", ['{"result":"half a sent']).join("")).toBe("half a sent");
  });

  it("reads 1 MB in chunks of four characters in little time, and loses nothing", () => {
    const value = 'line\n"é😀\\'.repeat(100_000);
    const text = JSON.stringify({ a: value, result: value });
    expect(text.length).toBeGreaterThan(1_000_000);
    const pieces = inPieces(text, 4);
    const spent = processorTime();
    const shown = read("result", pieces).join("");
    expect(spent()).toBeLessThan(1500);
    expect(shown === value).toBe(true);
  });
});
