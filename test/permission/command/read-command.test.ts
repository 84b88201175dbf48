// Parses shell commands. The comparison with real shells is in read-command.slow.test.ts.

import { describe, expect, it } from "vitest";
import { readCommand } from "../../../src/permission/command/read-command.js";
import { processorTime } from "../../processor-time.js";

const words = (text: string): readonly (readonly string[])[] => readCommand(text).commands.map((one) => one.words);

describe("plain words", () => {
  it.each<[string, readonly (readonly string[])[]]>([
    ["ls", [["ls"]]],
    ["  ls   -la\tsrc ", [["ls", "-la", "src"]]],
    ["cat 'my file.txt'", [["cat", "my file.txt"]]],
    ['grep "a b" c', [["grep", "a b", "c"]]],
    [`r''m -rf x`, [["rm", "-rf", "x"]]],
    [`e"c"'h'o ''`, [["echo", ""]]],
    ["pwd && ls", [["pwd"], ["ls"]]],
    ["a || b | c; d", [["a"], ["b"], ["c"], ["d"]]],
    ["a;", [["a"]]],
    ["\na\n\nb\n", [["a"], ["b"]]],
    ["ls 2>/dev/null", [["ls"]]],
    ["ls > /dev/null 2>&1", [["ls"]]],
    ["find . -name '*.ts'", [["find", ".", "-name", "*.ts"]]],
    ['grep "a\\.b\\$" c', [["grep", "a\\.b$", "c"]]],
    ["cat ~/a ~", [["cat", "~/a", "~"]]],
    ["git log --format=%H a#b a~b", [["git", "log", "--format=%H", "a#b", "a~b"]]],
  ])("%j is read", (text, commands) => {
    expect(words(text)).toEqual(commands);
    expect(readCommand(text).isPlain).toBe(true);
  });
});

describe("commands of more than plain words", () => {
  it.each([
    "",
    "   ",
    "&&",
    "a &&",
    "a ||",
    "a |",
    "| a",
    "; a",
    "a ;; b",
    "a &&& b",
    "a &",
    "a & b",
    "a |& b",
    "(a)",
    "{ a; }",
    "! a",
    "if a; then b; fi",
    "a $b",
    "a $(b)",
    'a "$(b)"',
    'a "$b"',
    "a `b`",
    'a "`b`"',
    "a <(b)",
    "a >(b)",
    "a > b",
    "a >> b",
    "a 2> b",
    "a < b",
    "a &> b",
    "a << b",
    "a >",
    "a *",
    "a b?",
    "a [b]",
    "a {b,c}",
    "a \\b",
    'a "\\\nb"',
    "a ~b",
    "a ~+/b",
    "a \\\nb",
    "$'a'",
    "A=b c",
    "A=b",
    "a+=b c",
    "=a",
    "a #b",
    "a 'b",
    'a "b',
    "a\rb",
    "a\u200bb",
    "a\u00a0b",
    "a 'b\u202ec'",
    "a\u0000b",
    "a() { b; }",
    "'' a",
    "a 2>&b",
    "a >&b",
    "a 1>&2>b",
    "a >/dev/nullx",
    "a >/dev/null/x",
  ])("%j", (text) => {
    expect(readCommand(text).isPlain).toBe(false);
  });
});

describe("commands that can't be parsed for sure are still parsed as well as possible", () => {
  it.each<[string, readonly string[]]>([
    ["echo $(rm -rf /)", ["rm", "-rf", "/"]],
    ['echo "$(rm x)"', ["rm", "x"]],
    ["echo `rm x`", ["rm", "x"]],
    ['echo "a `rm x` b"', ["rm", "x"]],
    ["(rm x)", ["rm", "x"]],
    ["if true; then rm x; fi", ["rm", "x"]],
    ["{ rm x; }", ["rm", "x"]],
    ["A=b rm x", ["rm", "x"]],
    ["rm x &", ["rm", "x"]],
    ["r\\m x", ["rm", "x"]],
    ["! rm x", ["rm", "x"]],
    ["a <(rm x)", ["rm", "x"]],
    ["rm x > y", ["rm", "x"]],
    ["f() { rm x; }", ["rm", "x"]],
    ["while rm x; do a; done", ["rm", "x"]],
  ])("%j", (text, command) => {
    expect(words(text)).toContainEqual(command);
  });

  it("says where output goes", () => {
    expect(readCommand("echo a > b 2>>'c d' >| e <> f").commands[0]?.writes).toEqual(["b", "c d", "e", "f"]);
  });

  it("takes time in proportion to the text", () => {
    for (const piece of ["$(", "`", "(", '"$(', "a && ", "'", "\\", "<(", "$'\\"]) {
      const text = piece.repeat(200_000 / piece.length);
      const spent = processorTime();
      readCommand(text);
      expect(spent(), piece).toBeLessThan(2000);
    }
  });
});
