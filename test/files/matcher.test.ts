import { describe, expect, it } from "vitest";
import { LastcallError } from "../../src/core/index.js";
import { matcher } from "../../src/files/index.js";
import { processorTime } from "../processor-time.js";

function matched(pattern: string, paths: readonly string[]): readonly string[] {
  return paths.filter(matcher([pattern]));
}

describe("a pattern", () => {
  it.each<[string, string, readonly string[], readonly string[]]>([
    ["of one name means files of that name in any folder", "a.ts", ["a.ts", "x/a.ts", "x/.y/a.ts"], ["ba.ts", "a.tsx"]],
    ["without a slash does so with its stars, too", "*.ts", ["a.ts", "x/a.ts", ".a.ts"], ["a.js"]],
    ["with ./ means the top alone", "./a.ts", ["a.ts"], ["x/a.ts"]],
    ["with a slash is seen from the top", "x/a.ts", ["x/a.ts"], ["y/x/a.ts", "a.ts"]],
    ["that names a folder means all in it", "test", ["test/a", "test/x/.b", "x/test/a", "test"], ["tests/a", "atest"]],
    ["with a slash at its end means a folder alone", "test/", ["test/a", "x/test/y/b"], ["test", "x/test"]],
    ["of a folder further down is seen from the top", "x/test", ["x/test/a", "x/test"], ["test/a", "y/x/test/a"]],
    ["with superfluous parts is as without them", "./x//./y/", ["x/y/a"], ["x/y", "z/x/y/a"]],
    ["of two stars means any folders", "x/**/a.ts", ["x/a.ts", "x/y/z/a.ts"], ["a.ts", "x/b.ts"]],
    ["of two stars at its end means all in it", "test/**", ["test/a", "test/.x/b"], ["x/test/a"]],
    ["of two stars alone means everything", "**", ["a", ".a", "x/.y/a"], []],
    ["of choices means each of them", "*.{test,spec}.*", ["a.test.ts", "x/b.spec.js"], ["a.ts"]],
    ["of characters means each of them", "[a-c].ts", ["a.ts", "x/c.ts"], ["d.ts"]],
    ["with [!a] means the others, and no slash", "[!a].ts", ["b.ts", "!.ts"], ["a.ts"]],
    ["with [^a] means the others, too", "x[^a]y", ["xby"], ["xay", "x/y"]],
    ["with [!]a] leaves out the bracket as well", "[!]a].ts", ["b.ts"], ["].ts", "a.ts"]],
    ["with \\[!a] is of that very bracket", "\\[!a].ts", ["[!a].ts"], ["b.ts"]],
    ["with a backslash takes a star as it is", "\\*.ts", ["*.ts"], ["a.ts"]],
    ["with \\! takes that as it is", "\\!a", ["!a", "x/!a"], ["b"]],
    ["with ./! takes that as it is, too", "./!a", ["!a"], ["b", "a"]],
    ["of !(a) means other names", "!(a).ts", ["b.ts", "x/b.ts"], ["a.ts"]],
  ])("%s: %s", (_what, pattern, means, others) => {
    expect(matched(pattern, [...means, ...others])).toEqual(means);
  });

  it("means names with a line break as well", () => {
    const paths = ["test/a\nb", "test/\n/b.ts", "x\n/test/b"];
    expect(matched("**/test/**", paths)).toEqual(paths);
    expect(matched("*.ts", ["a\n.ts", "a.ts\n"])).toEqual(["a\n.ts"]);
  });

  it.each([
    ["", "names nothing"],
    ["  ", "names nothing"],
    [".", "names nothing"],
    ["./", "names nothing"],
    ["!test/**", "begins with !: give patterns of what is meant"],
    ["/srv/test", "is absolute: give it relative"],
    ["/", "is absolute"],
    ["C:\\work", "is absolute"],
    ["../test", "leads out of the folder"],
    ["x/../../test", "leads out of the folder"],
    ["{a,../b}/c", "leads out of the folder"],
    ["..", "leads out of the folder"],
  ])("that can't mean a file of the folder is refused: %j", (pattern, words) => {
    expect(() => matcher([pattern])).toThrow(words);
    expect(() => matcher(["a", pattern])).toThrow(LastcallError);
  });

  it("with two dots in a name or a range is none of those", () => {
    expect(matched("..a", ["..a"])).toEqual(["..a"]);
    expect(matched("a{1..3}", ["a1", "a2", "a4"])).toEqual(["a1", "a2"]);
  });

  it("is fast on paths that were made to be slow", () => {
    const matches = matcher(["**/test/**", "**/a*b*c*d", "*.{test,spec}.*", "x/**/y/**/z"]);
    const paths = ["test/".repeat(800), "a".repeat(4000), "x/y/".repeat(1000), "a.test".repeat(600)];
    const spent = processorTime();
    for (const path of paths) matches(`${path}\n`);
    expect(spent()).toBeLessThan(1000);
  });
});

describe("several patterns", () => {
  it("mean what one of them means, and none mean nothing", () => {
    expect(["a.ts", "b.js", "c.md"].filter(matcher(["*.ts", "*.js"]))).toEqual(["a.ts", "b.js"]);
    expect(["a.ts", ""].filter(matcher([]))).toEqual([]);
  });
});
