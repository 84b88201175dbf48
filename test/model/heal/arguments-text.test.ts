import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/core/index.js";
import { inputOf, kindOf, problemOf, read, toolWith } from "./describe-tool.js";
import { processorTime } from "../../processor-time.js";

const bs = "\\";

/** The JSON text of nested objects. */
function nested(levels: number): string {
  return `${'{"a":'.repeat(levels - 1)}{}${"}".repeat(levels - 1)}`;
}

describe("arguments with one reading are mended, and each mend is told:", () => {
  it.each([
    ["nothing at all", " \n", {}, ["no arguments"]],
    ["None", "None", {}, ["no arguments"]],
    ["a JSON text of nothing", '""', {}, ["JSON text", "no arguments"]],
    ["a fence", '```json\n{"a":1}\n```', { a: 1 }, ["fence"]],
    ["a fence on one line", '```{"a":1} ```'.replace("```{", "``` {"), { a: 1 }, ["fence"]],
    ["an encoding too many", JSON.stringify('{"a":1}'), { a: 1 }, ["JSON text"]],
    ["three encodings too many", JSON.stringify(JSON.stringify(JSON.stringify('{"a":1}'))), { a: 1 }, ["JSON text"]],
    ["trailing commas", '{"a":[1,{"b":2,},],}', { a: [1, { b: 2 }] }, ["trailing comma"]],
    ["a dict's literals", '{"a": True, "b": [None]}', { a: true, b: [null] }, ["Python"]],
    ["a dict's quotes", "{'a': ['x']}", { a: ["x"] }, ["single quotes"]],
    ["an apostrophe in double quotes", `{'a': "it's"}`, { a: "it's" }, ["single quotes"]],
    ["quotes in single quotes", `{'a': 'say "hi"'}`, { a: 'say "hi"' }, ["single quotes"]],
    ["an escaped apostrophe in single quotes", `{'a': 'x${bs}'y'}`, { a: "x'y" }, ["single quotes"]],
    ["a numbered character in single quotes", `{'a': 'x${bs}u00e9y'}`, { a: "x\u00e9y" }, ["single quotes"]],
    ["raw line breaks and tabs", '{"a":"x\n\ty\r"}', { a: "x\n\ty\r" }, ["control characters"]],
    ["raw line breaks beside escapes", `{"a":"x\n${bs}t${bs}u00e9"}`, { a: "x\n\t\u00e9" }, ["control characters"]],
    ["escaped line breaks between the parts", `{${bs}n "a":${bs}r${bs}n 1${bs}n}${bs}n`, { a: 1 }, ["line breaks"]],
    ["a regular expression", `{"a":"${bs}d+${bs}.${bs}${bs}w"}`, { a: "\\d+\\.\\w" }, ["single backslashes"]],
    ["one with digits", `{"a":"${bs}d{3}"}`, { a: "\\d{3}" }, ["single backslashes"]],
    ["one with quotes", `{"a":"${bs}"${bs}w+${bs}""}`, { a: '"\\w+"' }, ["single backslashes"]],
    ["a path without other escapes", `{"a":"C:${bs}Users${bs}dir"}`, { a: "C:\\Users\\dir" }, ["single backslashes"]],
    ["one with the letters of numbers", `{"a":"C:${bs}decade${bs}x"}`, { a: "C:\\decade\\x" }, ["single backslashes"]],
    ["closers too many", '{"a":{"b":1}}}]}', { a: { b: 1 } }, ["closing brackets"]],
    ["a placeholder in front", '{}{"a":1}', { a: 1 }, ["empty object"]],
    ["the same object twice", '{"a":1}\n{"a":1}', { a: 1 }, ["same object"]],
    ["the same object again, encoded as a text", `{"a":1}${JSON.stringify('{ "a": 1 }')}`, { a: 1 }, ["same object"]],
    ["half a surrogate pair", `{"a":"x${bs}ud83d"}`, { a: "x\ufffd" }, ["surrogate"]],
    ["half a surrogate pair, raw", '{"a":"\udc00x"}', { a: "\ufffdx" }, ["surrogate"]],
  ])("%s", (_name, source, expected, words) => {
    const repairs = words.map((word) => expect.stringContaining(word) as unknown);
    expect(read(source)).toEqual({ ok: true, name: "edit", input: expected, repairs });
  });

  it("but nothing where there is nothing to mend: white space is free, and so are a hundred levels", () => {
    expect(read('\t{\r\n"a"\t:\r[1\t,\t2\r]\r}\n')).toMatchObject({ ok: true, input: { a: [1, 2] }, repairs: [] });
    expect(read(nested(100))).toMatchObject({ ok: true, repairs: [] });
    expect(problemOf(nested(101))).toContain("deep");
  });
});

describe("arguments with no one reading are told, with the words to act on:", () => {
  it.each([
    ["a key twice", '{"a":1,"b":{},"a":2}', ["twice", '"a"']],
    ["another object behind it, encoded as a text", `{"a":1}${JSON.stringify('{"a":2}')}`, ["several different"]],
    ["half an object behind it, encoded as a text", `{"a":1}${JSON.stringify('{"a":')}`, ["several different"]],
    ["a key twice, once escaped", `{"a":1,"${bs}u0061":2}`, ["twice"]],
    ["a forbidden key, escaped and deep inside", `{"a":[{"${bs}u005f_proto__":1}]}`, ["__proto__"]],
    ["prototype", '{"prototype":1}', ["prototype"]],
    ["too deep", '{"a":'.repeat(5000) + "1" + "}".repeat(5000), ["deep"]],
    ["a number that is none", '{"a":{"limit":[1,-1e999]}}', ['the field "a.limit[1]"', "big"]],
    ["a number of thousands of digits", `{"a":${"9".repeat(5000)}}`, ["JSON", '"a"']],
    ["a NUL", `{"path":"x${bs}u0000y"}`, ["NUL", "path"]],
    ["a raw NUL", '{"path":"x\0y"}', ["NUL", "path"]],
    ["a NUL in a key", `{"x${bs}u0000":1}`, ["In the arguments:", "NUL"]],
    ["a NUL in a key behind others", `{"a":{"b":1,"x${bs}u0000":2}}`, ['In the field "a":', "NUL"]],
    ["an object too large", `{"a":"${"x".repeat(10 * 1024 * 1024)}"}`, ["large"]],
    ["an apostrophe in single quotes", "{'a': 'it's'}", ["JSON"]],
    ["a path with a line break in it", `{"a":"C:${bs}new${bs}dir"}`, ["two ways", 'field "a"', "character 13"]],
    ["one with several doubts", `{"a":"C:${bs}dir${bs}new${bs}dir"}`, ["two ways", "character 9"]],
    ["an escaped apostrophe in double quotes", `{"a":"it${bs}'s"}`, ["two ways", "character 9"]],
    ["a single backslash in single quotes", `{'a':'${bs}d'}`, ["two ways", "character 7"]],
    ["a hexadecimal escape", `{"a":"${bs}x41"}`, ["two ways"]],
    ["a group number", `{"a":"(.)${bs}1"}`, ["two ways"]],
    ["an escape before a letter that is not ASCII", `{"a":"xy${bs}é"}`, ["invalid escape", "character 9"]],
    ["a short unicode escape", `{"a":"${bs}u00e"}`, ["invalid escape"]],
    ["a unicode escape that ends in other letters", `{"a":"${bs}u00xy"}`, ["invalid escape"]],
    ["a unicode escape that begins with other letters", `{"a":"${bs}uxy00"}`, ["invalid escape"]],
    ["a list", '[{"a":1}]', ["object", '"a"']],
    ["a list in a text", '"[1]"', ["object"]],
    ["a text", '"hello"', ["object"]],
    ["a number", "12", ["object"]],
    ["four encodings too many", [1, 2, 3, 4].reduce((text) => JSON.stringify(text), '{"a":1}'), ["object"]],
    ["quotes inside of a text", '{"a":"say "hi" now"}', ["JSON", "a comma or }", "character 12", '\\"']],
    ["no opening brace", 'a": 1}', ["JSON", "expected an object"]],
    ["a backslash between the parts", `{"note":1${bs}d}`, ["JSON"]],
    ["a backslash at the end, far behind what is wrong", `{"a":wrong}${bs}`, ["JSON"]],
    ["words in front", 'I call {"a":1}', ["JSON"]],
    ["JSON behind", '{"a":1} or {"a":2', ["JSON", "nothing more"]],
    ["a key without quotes", "{a:1}", ["JSON", "key"]],
    ["no colon", '{"a" 1}', ["JSON", "colon"]],
    ["a comma alone", "{,}", ["JSON"]],
    ["two commas", '{"a":[1,,2]}', ["JSON"]],
    ["a wrong closer", '{"a":[1}]', ["JSON"]],
    ["NaN", '{"a":NaN}', ["JSON", 'a value for the field "a"']],
    ["a leading zero", '{"a":007}', ["JSON"]],
    ["several objects", '{"a":1}{"a":2}', ["one call", "JSON"]],
    ["an object and an empty one", '{"a":1}{}', ["one call", "JSON"]],
    ["a broken object and another", '{"a":x}{"a":1}', ["JSON"]],
  ])("%s", (_name, source, mentions) => {
    const reading = read(source, toolWith({}, ["a"]));
    expect(reading).toMatchObject({ ok: false, kind: "malformed_call", name: "edit" });
    for (const mention of mentions) expect(problemOf(source, toolWith({}, ["a"]))).toContain(mention);
  });

  it("says what should stand at which place, and no more", () => {
    const where = 'at line 1, character 6, near "{\"a\" 1}"';
    expect(problemOf('{"a" 1}')).toBe(`The arguments are not valid JSON: expected a colon ${where}.`);
  });

  it("says the line and never much of the text", () => {
    const problem = problemOf(`{\n "${"k".repeat(500)}": 1,\n "a": "${"x".repeat(500)}" oops ${"y".repeat(500)}}`);
    expect(problem).toContain("at line 3, character 510");
    expect(problem.length).toBeLessThan(200);
  });

  it("says the end of a long path", () => {
    const problem = problemOf(`{"${"k".repeat(500)}": {"inner": "\0"}}`);
    expect(problem).toContain('k.inner"');
    expect(problem.length).toBeLessThan(150);
  });
});

describe("arguments that end too early", () => {
  it.each([
    ['{"a":1', 'inside the field "a"'],
    ['{"a":', 'inside the field "a"'],
    ['{"a"', "after a key"],
    ["{", "where a key should be"],
    ['{"a":1,', "where a key should be"],
    ['{"a":tru', 'inside the field "a"'],
    ['{"a":1.', 'inside the field "a"'],
    [`{"a":1${bs}`, 'inside the field "a"'],
    ['{"a":"x', 'inside the field "a"'],
    [`{"a":"x${bs}`, 'inside the field "a"'],
    ['{"a":"x"', "before a closing }"],
    ['{"a":["x"', "before a closing ]"],
    ['"{', "inside the arguments"],
    ['{"a":1}{"b"', "after a key"],
    ['```\n{"a":1}', "before the closing fence"],
  ])("are never completed, and what is told says where: %s", (source, where) => {
    expect(kindOf(source)).toBe("truncated");
    expect(problemOf(source)).toContain(`cut off: the JSON ends ${where}`);
  });

  it("are never completed inside of a JSON text either", () => {
    expect(kindOf(JSON.stringify('{"a":1'))).toBe("truncated");
  });
});

/** Texts of characters that are troublesome in JSON, Python, markup or UTF-16. */
const hostileText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom("\\", '"', "'", "{", "}", "[", "]", ",", ":", "n", "u", "0", "`", "\n", "\u{1f600}"),
  }),
);
const isReadable = (text: string): boolean => !text.includes("\0") && !/\p{Surrogate}/u.test(text);
const text = hostileText.filter(isReadable);
const key = text.filter((name) => !["__proto__", "constructor", "prototype"].includes(name));
const { object } = fc.letrec<{ object: JsonObject; value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    text,
    fc.double({ noDefaultInfinity: true, noNaN: true }),
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 4 }),
    tie("object"),
  ),
  object: fc.dictionary(key, tie("value"), { maxKeys: 4 }) as fc.Arbitrary<JsonObject>,
}));

describe("any object as JSON.stringify writes it", () => {
  it("is read as JSON.parse reads it, without a repair", () => {
    fc.assert(
      fc.property(object, fc.constantFrom(0, 2), (value, indent) => {
        const source = JSON.stringify(value, null, indent);
        const reading = read(source);
        expect(reading).toEqual({ ok: true, name: "edit", input: JSON.parse(source), repairs: [] });
      }),
      { numRuns: 500 },
    );
  });

  it("is never read when it is cut, at whatever point, and however often it was encoded", () => {
    fc.assert(
      fc.property(object, fc.nat(2), fc.nat(), (value, encodings, point) => {
        let source = JSON.stringify(value);
        for (let count = 0; count < encodings; count += 1) source = JSON.stringify(source);
        const end = 1 + (point % source.length);
        const reading = read(source.slice(0, end));
        if (end < source.length) expect(reading).toMatchObject({ ok: false, kind: "truncated" });
        else expect(reading).toMatchObject({ ok: true, input: JSON.parse(JSON.stringify(value)) });
      }),
      { numRuns: 500 },
    );
  });
});

describe("any text at all", () => {
  it("is read or refused in words, and what JSON.parse reads as an object is never read as another", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          hostileText,
          hostileText.map((inner) => `{"a":"${inner}"}`),
        ),
        (source) => {
          const reading = read(source);
          if (!reading.ok) expect(reading.problem.length).toBeLessThan(300);
          let parsed: unknown;
          try {
            parsed = JSON.parse(source);
          } catch {
            return;
          }
          const isPlain = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
          if (isPlain && reading.ok && isReadable(source) && isReadable(JSON.stringify(parsed)))
            expect(JSON.stringify(reading.input)).toBe(JSON.stringify(parsed).replace(/\\ud[89a-f]../g, "\ufffd"));
        },
      ),
      { numRuns: 1000 },
    );
  });
});

describe("long arguments take time linear in their length:", () => {
  it.each([
    ["a text of 1 MB", JSON.stringify({ a: "x\n".repeat(500_000) })],
    ["a text of 1 MB of raw line breaks", `{"a":"${"x\n".repeat(500_000)}"}`],
    ["200,000 numbers", JSON.stringify({ a: Array.from({ length: 200_000 }, (_, index) => index) })],
    [
      "30,000 keys",
      JSON.stringify(Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`key ${String(at)}`, "x"]))),
    ],
    ["120 kB of opening braces", "{".repeat(120_000)],
    ["120 kB of opening brackets", "[".repeat(120_000)],
    ["120 kB of closing braces", `{}${"}".repeat(120_000)}`],
    ["120 kB of backslashes", `{"a":"${bs.repeat(120_000)}"}`],
    ["120 kB of backslashes without quotes", bs.repeat(120_000)],
    ["120 kB of single backslashes", `{"a":"${`${bs}d`.repeat(60_000)}"}`],
    ["120 kB of escaped line breaks", `{"a":1${`${bs}n`.repeat(60_000)}}`],
    ["120 kB of quotes", '"'.repeat(120_000)],
    ["120 kB of fences", "```\n".repeat(30_000)],
    ["120 kB of white space", `{"a":1${" ".repeat(120_000)}`],
    ["60,000 empty objects", "{}".repeat(60_000)],
    ["120 kB of digits", `{"a":${"1".repeat(120_000)}}`],
    ["120 kB of markup", JSON.stringify({ a: "</a> ".repeat(24_000) })],
    ["120 kB of white space in markup", JSON.stringify({ a: `</a>${" ".repeat(120_000)}` })],
  ])("%s", (_name, source) => {
    inputOf('{"a":1}');
    const spent = processorTime();
    inputOf(source);
    expect(spent()).toBeLessThan(700);
  });
});
