// Parses shell commands. The comparison with real shells is in read-command.slow.test.ts.

import { describe, expect, it } from "vitest";
import { readCommand } from "../../../src/permission/command/read-command.js";
import { TooMuchWork } from "../../../src/permission/command/decision-work.js";
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

describe("commands whose words a shell expands", () => {
  it.each<[string, readonly (readonly string[])[]]>([
    ["cat *.txt src/[ab]?", [["cat", "*.txt", "src/[ab]?"]]],
    ['echo $HOME "${PWD}/x" $?', [["echo", "$HOME", "$PWD/x", "$?"]]],
    ["CI=1 TZ='a' npm test", [["npm", "test"]]],
    ["for f in a b; do wc $f; done | sort", [["wc", "$f"], ["sort"]]],
    ["for a in x\ndo\nfor b in y; do ls $a $b; done\ndone", [["ls", "$a", "$b"]]],
    ["cat <<'EOF' | wc\n$(rm x)\nEOF\nls", [["cat"], ["wc"], ["ls"]]],
    ["wc -l < a.txt", [["wc", "-l"]]],
    ["git log @{u}..HEAD", [["git", "log", "@{u}..HEAD"]]],
  ])("%j is understood, and not plain", (text, commands) => {
    expect(words(text)).toEqual(commands);
    expect(readCommand(text)).toMatchObject({ isPlain: false, isUnderstood: true });
  });

  it.each<[string, readonly string[]]>([
    ["find . \\( -name x \\) ! -empty", ["find", ".", "(", "-name", "x", ")", "!", "-empty"]],
    ["[ -d src ]", ["[", "-d", "src", "]"]],
    ["cat [", ["cat", "["]],
    ['grep "a$" b\\*', ["grep", "a$", "b*"]],
    ["test a = b", ["test", "a", "=", "b"]],
    ["test a != b", ["test", "a", "!=", "b"]],
  ])("%j is plain", (text, command) => {
    expect(readCommand(text)).toMatchObject({ isPlain: true, isUnderstood: true });
    expect(words(text)).toEqual([command]);
  });

  it("knows the loops, the variables and the input of a command", () => {
    const { commands } = readCommand("for f in a 'b c'; do CI=1 wc $f < in; done; ls");
    expect(commands[0]).toMatchObject({
      loops: [{ variable: "f", words: [{ text: "a" }, { text: "b c" }] }],
      assignments: [{ name: "CI", value: { text: "1" } }],
      reads: ["in"],
    });
    expect(commands[1]).toMatchObject({ words: ["ls"], loops: [], assignments: [], reads: [] });
  });

  it.each([
    "cat [a-c]",
    "cat [[:alpha:]]",
    "cat [a",
    "cat **/a",
    "cat **a",
    "cat ~/*",
    "*.sh a",
    "$SHELL a",
    "a $x[1]",
    "a $x:h",
    "a $#x",
    "a ${x:-y}",
    "a ${x}[1]",
    "a $1",
    "a $@",
    "a $!",
    "a {b,c}",
    "a {1..2}",
    "a -f~/x",
    "a --b=~/x",
    "a b:~",
    "A=~ b",
    "A=$(b) c",
    "A=$x b",
    "A=* b",
    "A=b; c",
    '"A"=b c',
    "for f in a; do b",
    "for f in a; b; done",
    "for f in a; do done",
    "for f in a; do ; b; done",
    "for f in a; do b; done > c",
    "for f in a; do b; done < c",
    "for f in a; do b; done d",
    "for f do b; done",
    "for f; do b; done",
    "for f a in b; do c; done",
    "for HOME in a; do b; done",
    "for path in a; do b; done",
    "for a in 1; do for b in 1; do for c in 1; do d; done; done; done",
    "done",
    "do a",
    "A=b for f in a; do c; done",
    "a <<'E'",
    "a <<'E'\nb",
    "a <<E\nE",
    "a <<-'E'\nE",
    "a <<<'E'",
    "a <<'E'x\nE",
    "a 3<<'E'\nE",
    "a 3< b",
    "a < *",
    "a {b}<c",
    "a {b}>/dev/null c",
    "a {b[0]}</dev/null c",
    "a {b}>&1 c",
    "a <1-9>/dev/null b",
    "a <1-9>>/dev/null b",
    "a b<5-9>/dev/null",
    "noglob a b",
    "nocorrect a",
    "- a",
    "repeat 2 a",
    "< a",
    "a \\~/b",
  ])("%j is not understood", (text) => {
    expect(readCommand(text)).toMatchObject({ isPlain: false, isUnderstood: false });
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
    ["for f do rm x; done", ["rm", "x"]],
    ["for f in $(rm x); do a; done", ["rm", "x"]],
    ["for f in a; rm x; done", ["rm", "x"]],
    ["a <<E\nrm x\nE", ["rm", "x"]],
    ["f() { rm x; }", ["rm", "x"]],
    ["while rm x; do a; done", ["rm", "x"]],
  ])("%j", (text, command) => {
    expect(words(text)).toContainEqual(command);
  });

  it("says where output goes", () => {
    expect(readCommand("echo a > b 2>>'c d' >| e <> f").commands[0]?.writes).toEqual(["b", "c d", "e", "f"]);
  });

  it("takes no more time than it may", () => {
    for (const piece of [
      "$(",
      "`",
      "(",
      '"$(',
      "a && ",
      "'",
      "\\",
      "<(",
      "$'\\",
      "{",
      "a{b",
      "$a",
      "*",
      "[a]",
      "for a in b;do ",
      "<<'E'\n",
      "A=b ",
      "\\(",
    ]) {
      const text = piece.repeat(200_000 / piece.length);
      const spent = processorTime();
      try {
        readCommand(text);
      } catch (thrown) {
        expect(thrown, piece).toBeInstanceOf(TooMuchWork);
      }
      expect(spent(), piece).toBeLessThan(100);
    }
  });
});
