import { describe, expect, it } from "vitest";
import { ArgumentPieces, isEmptyArguments } from "../../../src/model/wire/argument-pieces.js";

function pieces(...texts: readonly string[]): ArgumentPieces {
  const given = new ArgumentPieces();
  for (const text of texts) given.add(text);
  return given;
}

describe("arguments in pieces", () => {
  it.each(["{}", ' {"a": [1, {"b": "}"}]} \n', String.raw`{"a":"\"}{"}`, '{"a":"\\\\"}'])(
    "%j is one whole object",
    (text) => {
      expect(pieces(text).isWhole()).toBe(true);
      expect(pieces(...text.split(/(?:)/u)).isWhole()).toBe(true);
      expect(pieces(...text.split(/(?:)/u)).text()).toBe(text);
    },
  );

  it.each(["", " ", "{", '{"a":"}', '{"a":[}', "[]", '"{}"', "{}{}", "{} x", "x{}"])("%j is not", (text) => {
    expect(pieces(...text.split(/(?:)/u)).isWhole()).toBe(false);
  });

  it("are looked through again only as far as they grew", () => {
    const given = pieces('{"a":');
    expect(given.isWhole()).toBe(false);
    given.add("1}");
    expect(given.isWhole()).toBe(true);
    given.add("{}");
    expect(given.isWhole()).toBe(false);
  });

  it("that are not whole, or are no JSON, are repeated by nothing but nothing", () => {
    expect(pieces('{"a":').isRepeatedBy('{"a":')).toBe(false);
    expect(pieces("{'a':1}").isRepeatedBy("{'a':1}")).toBe(false);
    expect(pieces("{'a':1}").isRepeatedBy("{}")).toBe(true);
    expect(pieces('{"a":1}').isRepeatedBy("  ")).toBe(false);
    expect(pieces('{"a":1}').isRepeatedBy('"no object"')).toBe(false);
  });
});

it("an empty object, null, and texts of them say nothing", () => {
  for (const text of ["", " ", "{}", "{ }", "null", '""', '"{}"', String.raw`"\"{}\""`])
    expect(isEmptyArguments(text)).toBe(true);
  for (const text of ["[]", "0", "nul", '{"a":1}', '"a"', `${" ".repeat(50)}{}`])
    expect(isEmptyArguments(text)).toBe(false);
});
