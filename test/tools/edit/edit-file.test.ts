// edit_file: exact searches and replacements, all of them or none.

import { chmod, link, readdir, readFile as read, stat, truncate, writeFile as write } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { editFile, type Edit } from "../../../src/tools/index.js";
import { call, makeFolder } from "../fixture.js";

/** Edits `a.txt` with the given text, and returns its text afterwards. */
async function edit(
  text: string | Buffer,
  edits: readonly Edit[],
): Promise<{ said: string; now: string; bytes: Buffer }> {
  const root = await makeFolder();
  await write(join(root, "a.txt"), text);
  const said = await call(editFile({ root }), { path: "a.txt", edits: [...edits] }).catch((thrown: unknown) =>
    String(thrown),
  );
  const bytes = await read(join(root, "a.txt"));
  expect(await readdir(root)).toEqual(["a.txt"]);
  return { said, now: bytes.toString(), bytes };
}

describe("edits", () => {
  test("are made in order, and the result says which lines they are on now", async () => {
    const { said, now } = await edit("one\ntwo\nthree\nfour\n", [
      { search: "two\n", replace: "2\n2b\n" },
      { search: "four", replace: "4" },
      { search: "2b", replace: "two b" },
    ]);
    expect(now).toBe("one\n2\ntwo b\nthree\n4\n");
    expect(said).toBe("Edited a.txt (3 edits), now on lines 2-3, 5");
  });

  test("are all made or none: where the last does not fit, the file stays", async () => {
    const { said, now } = await edit("one\ntwo\n", [
      { search: "one", replace: "1" },
      { search: "three", replace: "3" },
    ]);
    expect(now).toBe("one\ntwo\n");
    expect(said).toContain(
      "Edit 2 of 2: its search is not in the file as the edits before it leave it. Nothing was changed.",
    );
  });

  test("with an empty search, or one that is its replacement, are refused with words for it", async () => {
    expect((await edit("a", [{ search: "", replace: "b" }])).said).toBe(
      "Error: The edit has an empty search. Nothing was changed. Search for the text that it shall replace.",
    );
    expect((await edit("a", [{ search: "a", replace: "a" }])).said).toContain("replaces its search by the same text");
    expect((await edit("a", [])).said).toContain("must hold at least one edit");
  });

  test("are refused if the search occurs more than once, with the lines of all matches", async () => {
    const { said } = await edit("x\ny\nx\nx y\n", [{ search: "x", replace: "z" }]);
    expect(said).toBe(
      "Error: The edit: its search is in the file 3 times, on the lines 1, 3, 4. Nothing was changed. Add lines around the one you mean, so that it is found once.",
    );
    expect((await edit("aaa", [{ search: "aa", replace: "b" }])).said).toContain("2 times, on the lines 1, 1");
    expect((await edit("x".repeat(5000), [{ search: "x", replace: "b" }])).said).toContain("at least 100 times");
  });

  test("keep the mode of the file, and hard links keep the old content", async () => {
    const root = await makeFolder();
    await write(join(root, "a.sh"), "one\n");
    await chmod(join(root, "a.sh"), 0o751);
    await link(join(root, "a.sh"), join(root, "held"));
    await call(editFile({ root }), { path: "a.sh", edits: [{ search: "one", replace: "two" }] });
    expect((await stat(join(root, "a.sh"))).mode & 0o777).toBe(0o751);
    expect(await read(join(root, "held"), "utf8")).toBe("one\n");
  });

  test("that split a character in two are refused", async () => {
    const { said, now } = await edit("a🎉b", [{ search: "a\ud83c", replace: "x" }]);
    expect(said).toContain("holds half a character");
    expect(now).toBe("a🎉b");
  });
});

describe("bytes that no edit means stay", () => {
  test("a byte order mark, CRLF, no line break at the end", async () => {
    const { now } = await edit("\uFEFFone\r\ntwo\r\nthree", [{ search: "two", replace: "2" }]);
    expect(now).toBe("\uFEFFone\r\n2\r\nthree");
  });

  test("a search with \\n finds CRLF, and its replacement is written with CRLF", async () => {
    const { now, said } = await edit("one\r\ntwo\r\nthree\r\n", [{ search: "one\ntwo\n", replace: "1\n1b\n2\n" }]);
    expect(now).toBe("1\r\n1b\r\n2\r\nthree\r\n");
    expect(said).toContain("lines 1-3");
  });

  test("a search that begins with \\n takes the whole line end", async () => {
    const { now } = await edit("one\r\ntwo\r\nthree", [{ search: "\ntwo", replace: "\n2" }]);
    expect(now).toBe("one\r\n2\r\nthree");
  });

  test("in a file with both line endings, a search that matches both is refused, and each line keeps its ending", async () => {
    const mixed = "a\nb\nx\r\na\r\nb\r\n";
    expect((await edit(mixed, [{ search: "a\nb", replace: "c" }])).said).toContain("2 times, on the lines 1, 4");
    expect((await edit(mixed, [{ search: "x\na", replace: "y\nz" }])).now).toBe("a\nb\ny\r\nz\r\nb\r\n");
    expect((await edit(mixed, [{ search: "a\r\nb", replace: "c\nd" }])).now).toBe("a\nb\nx\r\nc\r\nd\r\n");
  });

  test("a file that is not UTF-8 is refused", async () => {
    const bytes = Buffer.from("one\ngr\xfc\xdfe\n", "latin1");
    const { said, bytes: now } = await edit(bytes, [{ search: "one", replace: "1" }]);
    expect(said).toContain("a.txt is not UTF-8 text, so it can't be edited.");
    expect(now.equals(bytes)).toBe(true);
  });
});

describe("a search that is nowhere is told the nearest place", () => {
  const text = "function add(a, b) {\n\treturn a + b;\n}\n\nfunction subtract(a, b) {\n\treturn a - b;\n}\n";

  test("if white space differs, with both lines unchanged", async () => {
    const { said } = await edit(text, [{ search: "function add(a, b) {\n    return a + b;\n}", replace: "x" }]);
    expect(said).toBe(
      [
        "Error: The edit: its search is not in the file. Nothing was changed.",
        "The nearest place is lines 1 to 3:",
        "1\tfunction add(a, b) {",
        "2\t\treturn a + b;",
        "3\t}",
        String.raw`Only white space differs: tabs and spaces. Line 2 is "\treturn a + b;" there, "    return a + b;" in the search.`,
      ].join("\n"),
    );
  });

  test("if the indentation, the ends of lines or their breaks differ", async () => {
    expect((await edit("  a b\n", [{ search: "    a b\n", replace: "" }])).said).toContain("differs: the indentation.");
    expect((await edit("ab \ncd\n", [{ search: "ab\ncd", replace: "" }])).said).toContain(
      "spaces at the end of a line",
    );
    expect((await edit("f(a, b)\n", [{ search: "f(a,\n b)", replace: "" }])).said).toContain(
      "lines are broken elsewhere",
    );
    expect((await edit("ab\ncd\n", [{ search: "ab\r\ncd", replace: "" }])).said).toContain("The line ends differ");
  });

  test("if words differ", async () => {
    const { said } = await edit(text, [{ search: "function subtract(a, c) {\n\treturn a - b;\n}", replace: "x" }]);
    expect(said).toContain("The nearest place is lines 5 to 7:\n5\tfunction subtract(a, b) {");
    expect(said).toContain('Line 5 is "function subtract(a, b) {" there, "function subtract(a, c) {" in the search.');
    expect((await edit(text, [{ search: "function substract(a, b)", replace: "x" }])).said).toContain("is line 5:");
  });

  test("if line numbers were copied into the search", async () => {
    const { said } = await edit(text, [{ search: "2\t\treturn a + b;\n3\t}", replace: "x" }]);
    expect(said).toContain("begin with numbers, as read_file shows them");
  });

  test("and where nothing is like it, to read again", async () => {
    expect((await edit(text, [{ search: "zzz qqq www", replace: "x" }])).said).toContain(
      "Nothing in the file is like it.",
    );
  });
});

test("a file larger than 16 MiB, a folder and a path where nothing is are refused", async () => {
  const root = await makeFolder();
  await write(join(root, "big"), "x");
  await truncate(join(root, "big"), 2 * 1024 ** 3);
  const edits = [{ search: "a", replace: "b" }];
  await expect(call(editFile({ root }), { path: "big", edits })).rejects.toThrow("larger than 16777216 bytes");
  await expect(call(editFile({ root }), { path: ".", edits })).rejects.toThrow(". is a folder");
  await expect(call(editFile({ root }), { path: "bog", edits })).rejects.toThrow("Names like it: big.");
});

test("edits of one file at the same time, over two tools, are all made", async () => {
  const root = await makeFolder();
  const names = Array.from({ length: 40 }, (_, at) => `line${String(at).padStart(2, "0")}`);
  await write(join(root, "a.txt"), names.join("\n"));
  const tools = [editFile({ root }), editFile({ root })];
  await Promise.all(
    names.map((name, at) =>
      call(tools[at % 2]!, { path: "a.txt", edits: [{ search: name, replace: `${name} done` }] }),
    ),
  );
  expect(await read(join(root, "a.txt"), "utf8")).toBe(names.map((name) => `${name} done`).join("\n"));
});
