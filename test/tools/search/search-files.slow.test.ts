// search_files: the same lines with either engine, within limits.

import { execFileSync } from "node:child_process";
import { chmod, mkdir, open, symlink, writeFile as write } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { dryRun, searchFiles, type SearchFiles, type SearchOptions } from "../../../src/tools/index.js";
import { findRipgrep } from "../../../src/tools/search/ripgrep.js";
import { without } from "../../programs.js";
import { call, makeFolder } from "../fixture.js";
import { processorTime } from "../../processor-time.js";

const engines = [
  ["ripgrep", without("rg")],
  ["javascript", ""],
] as const;

async function makeFiles(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const root = await makeFolder();
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await write(join(root, path), text);
  }
  return root;
}

describe.each(engines.filter(([, missing]) => missing !== ""))("with %s%s", () => {
  test.skip("is not tried", () => undefined);
});

describe.each(engines.filter(([, missing]) => missing === ""))("with %s", (searchWith) => {
  const search = (root: string, input: SearchFiles, more: Partial<SearchOptions> = {}): Promise<string> =>
    call(searchFiles({ root, searchWith, ...more }), input);

  test("lines come by their files, with numbers, in order", async () => {
    const root = await makeFiles({
      "b.ts": "x\nfoo 1\n",
      "a/z.ts": "foo 2\ny\nfoo 3",
      "a.ts": "none\n",
      "a-b.ts": "foo 4\r\n",
    });
    expect(await search(root, { pattern: "foo \\d" })).toBe(
      "a/z.ts\n1: foo 2\n3: foo 3\n\na-b.ts\n1: foo 4\n\nb.ts\n2: foo 1",
    );
    expect(await search(root, { pattern: "bar" })).toBe("[No line matches.]");
  });

  test("lines around a match are told from it, and gaps are marked", async () => {
    const root = await makeFiles({ "a.txt": "1\n2\nx\n4\nx\n6\n7\n8\n9\nx\n" });
    expect(await search(root, { pattern: "x", context_lines: 1 })).toBe(
      "a.txt\n2- 2\n3: x\n4- 4\n5: x\n6- 6\n--\n9- 9\n10: x",
    );
  });

  test("a folder, a file, a glob, no case, no expression: each narrows or widens it", async () => {
    const root = await makeFiles({
      "src/a.ts": "Foo.bar\nfoo+bar\n",
      "src/a.js": "foo.bar\n",
      "b.ts": "foo.bar\n",
      "src/deep/c.ts": "foo.bar\n",
    });
    expect(await search(root, { pattern: "foo\\.bar", path: "src" })).toBe(
      "src/a.js\n1: foo.bar\n\nsrc/deep/c.ts\n1: foo.bar",
    );
    expect(await search(root, { pattern: "foo.bar", path: "src/a.ts", ignore_case: true })).toBe(
      "src/a.ts\n1: Foo.bar\n2: foo+bar",
    );
    expect(await search(root, { pattern: "o+b", literal: true })).toBe("src/a.ts\n2: foo+bar");
    expect(await search(root, { pattern: "foo", glob: "*.js" })).toBe("src/a.js\n1: foo.bar");
    expect(await search(root, { pattern: "foo", glob: "src/*/*.{ts,js}" })).toBe("src/deep/c.ts\n1: foo.bar");
    expect(await search(root, { pattern: "^foo.bar$", glob: "./*.ts" })).toBe("b.ts\n1: foo.bar");
  });

  test("a pattern is never an option, nor a command", async () => {
    const root = await makeFiles({ "a.txt": "--files\n-e\n$(touch made)\n; touch made\n" });
    expect(await search(root, { pattern: "--files" })).toBe("a.txt\n1: --files");
    expect(await search(root, { pattern: "-e" })).toBe("a.txt\n2: -e");
    expect(await search(root, { pattern: "$(touch made)", literal: true })).toBe("a.txt\n3: $(touch made)");
    expect(await search(root, { pattern: "--pre=sh", glob: "--files" })).toBe("[No line matches.]");
    expect(await search(root, { pattern: "made" })).not.toContain("made\n1:");
  });

  test("links are not followed, binary and huge files are passed over, a device makes nobody wait", async () => {
    const outside = await makeFiles({ "secret.txt": "needle\n" });
    const root = await makeFiles({
      "a.txt": "needle\n",
      "b.bin": Buffer.from("needle\n\0needle\n"),
      "late.bin": Buffer.from(`needle\n${"x".repeat(200_000)}\n\0`),
      "c.txt": Buffer.from("needle gr\xfcn\n", "latin1"),
    });
    await symlink(outside, join(root, "out"));
    await symlink("/", join(root, "everything"));
    await symlink(join(outside, "secret.txt"), join(root, "link.txt"));
    await symlink("loop", join(root, "loop"));
    await symlink("/dev/zero", join(root, "zero"));
    const file = await open(join(root, "huge.txt"), "w");
    await file.write("needle\n");
    await file.truncate(2 * 1024 ** 3);
    await file.close();
    const began = performance.now();
    expect(await search(root, { pattern: "needle" })).toBe("a.txt\n1: needle\n\nc.txt\n1: needle gr\uFFFDn");
    expect(performance.now() - began).toBeLessThan(15_000);
    await expect(search(root, { pattern: "needle", path: "out" })).rejects.toThrow("outside the workspace");
  });

  const noPipe = without("mkfifo");
  test.skipIf(noPipe)(`a named pipe makes nobody wait${noPipe}`, async () => {
    const root = await makeFiles({ "a.txt": "needle\n" });
    execFileSync("mkfifo", [join(root, "pipe")]);
    expect(await search(root, { pattern: "needle" })).toBe("a.txt\n1: needle");
    await expect(search(root, { pattern: "needle", path: "pipe" })).rejects.toThrow("pipe is a named pipe");
  });

  test("files that .gitignore matches are left out, also below; a file named by its path is searched", async () => {
    const root = await makeFiles({
      ".gitignore": "*.log\nbuild/\n",
      "a.log": "needle",
      "build/x.txt": "needle",
      "src/.gitignore": "!keep.log\nlocal.txt\n",
      "src/keep.log": "needle",
      "src/local.txt": "needle",
      "src/.env": "needle",
      "src/.eslintrc": "needle",
      "node_modules/m/i.js": "needle",
      ".git/config": "needle",
      ".ignore": "src\n",
    });
    expect(await search(root, { pattern: "needle" })).toBe("src/.eslintrc\n1: needle\n\nsrc/keep.log\n1: needle");
    // A file that is likely to hold secrets is searched if it is named; permission decides about that.
    expect(await search(root, { pattern: "needle", path: "src/.env" })).toBe("src/.env\n1: needle");
    expect(await search(root, { pattern: "needle", glob: "*.log" })).toBe("src/keep.log\n1: needle");
    expect(await search(root, { pattern: "needle", path: "build" })).toBe("build/x.txt\n1: needle");
    expect(await search(root, { pattern: "needle", path: "node_modules/m" })).toBe("node_modules/m/i.js\n1: needle");
  });

  test.skipIf(noPipe)(`an ignore file that is a named pipe makes nobody wait, at any depth${noPipe}`, async () => {
    const root = await makeFiles({ "a.txt": "needle\n", "src/b.txt": "needle\n" });
    for (const path of [".gitignore", "src/.gitignore", "src/.ignore", ".rgignore"])
      execFileSync("mkfifo", [join(root, path)]);
    expect(await search(root, { pattern: "needle" })).toBe("a.txt\n1: needle\n\nsrc/b.txt\n1: needle");
  });

  test("an ignore file of 200,000 lines, or one without an end, holds up nobody", async () => {
    const lines = Array.from({ length: 200_000 }, (_, index) => `f${String(index)}`).join("\n");
    const root = await makeFiles({ "a.txt": "needle\n", "src/b.txt": "needle\n", ".gitignore": lines });
    await symlink("/dev/zero", join(root, "src/.gitignore"));
    const spent = processorTime();
    expect(await search(root, { pattern: "needle" })).toBe("a.txt\n1: needle\n\nsrc/b.txt\n1: needle");
    expect(spent()).toBeLessThan(3000);
  });

  test("a folder that is left out is no pattern for others", async () => {
    const root = await makeFiles({
      ".gitignore": "/b\\[u\\]ild/\n/*\\*/\n!sub\n",
      "b[u]ild/a.txt": "needle",
      "x*/a.txt": "needle",
      "build/a.txt": "needle",
      "xy/a.txt": "needle",
      "sub/.gitignore": "out\n",
      "sub/out/a.txt": "needle",
      "out/a.txt": "needle",
    });
    const found = ["build/a.txt", "out/a.txt", "xy/a.txt"].map((path) => `${path}\n1: needle`).join("\n\n");
    expect(await search(root, { pattern: "needle" })).toBe(found);
    expect(await search(root, { pattern: "needle", path: "sub" })).toBe("[No line matches.]");
    expect(await search(root, { pattern: "needle", path: "sub/out" })).toBe("sub/out/a.txt\n1: needle");
  });

  test("hidden files are never found, even by their path", async () => {
    const root = await makeFiles({
      ".lastcallignore": "private/\n",
      "private/a.txt": "needle",
      "b.pem": "needle",
      "c.txt": "needle",
    });
    const hide = ["*.pem"];
    expect(await search(root, { pattern: "needle" }, { hide })).toBe("c.txt\n1: needle");
    await expect(search(root, { pattern: "needle", path: "private" }, { hide })).rejects.toThrow("is hidden");
    await expect(search(root, { pattern: "needle", path: "b.pem" }, { hide })).rejects.toThrow("is hidden");
  });

  test("at most 200 lines are shown, of long ones the part with the match, and it is said that there is more", async () => {
    const root = await makeFiles({
      "a.txt": "needle\n".repeat(150),
      "b.txt": "needle\n".repeat(150),
      "c.txt": "needle\n",
    });
    const said = (await search(root, { pattern: "needle" })).split("\n");
    expect(said.filter((line) => line.endsWith("needle"))).toHaveLength(200);
    expect(said.at(-1)).toMatch(/^\[There are more matches than these 200\./);
    const long = await makeFiles({ "a.js": `${"ü".repeat(50_000)}needle${"y".repeat(50_000)}\n` });
    const line = (await search(long, { pattern: "needle" })).split("\n")[1] ?? "";
    expect(line).toMatch(/^1: …ü{60}needley+…$/);
    expect(line.length).toBeLessThan(320);
  });

  test("a pattern that is none is refused with what is wrong, and where", async () => {
    const root = await makeFiles({ "a.txt": "x" });
    await expect(search(root, { pattern: "foo(bar" })).rejects.toThrow(
      'The pattern is no regular expression: Unterminated group, at character 4: "(bar". Mend it, or set literal to true',
    );
    await expect(search(root, { pattern: "a[b" })).rejects.toThrow(
      'Unterminated character class, at character 2: "[b"',
    );
    await expect(search(root, { pattern: "*a" })).rejects.toThrow('Nothing to repeat, at character 1: "*a"');
    await expect(search(root, { pattern: "a\nb" })).rejects.toThrow("hold a line break");
    await expect(search(root, { pattern: "a", glob: "../*" })).rejects.toThrow("leads out of the folder");
    for (const glob of ["*a*a*a*a*a*b", "+(a|aa)b", "**/a/**/a/**/a/**/a/**/b"])
      await expect(search(root, { pattern: "a", glob })).rejects.toThrow("The glob has more stars in it");
  });

  test("a pattern that only one kind of engine reads is searched for all the same", async () => {
    const root = await makeFiles({ "a.txt": "foobar\nfoobaz\nFOO\n" });
    expect(await search(root, { pattern: "foo(?!bar)" })).toBe("a.txt\n2: foobaz");
    expect(await search(root, { pattern: "(?i)^foo$" })).toBe("a.txt\n3: FOO");
    expect(await search(root, { pattern: "\\x66oo\\baz|o\\-?baz" })).toBe("a.txt\n2: foobaz");
  });

  test("an abort ends it", async () => {
    const root = await makeFiles({ "a.txt": "x" });
    const reason = new Error("stop");
    const tool = searchFiles({ root, searchWith });
    await expect(call(tool, { pattern: "x" }, AbortSignal.abort(reason))).rejects.toBe(reason);
  });

  test("names of any kind are shown as one line", async () => {
    const root = await makeFiles({ "[a].ts": "needle", "a\nb.ts": "needle", "%2e%2e": "needle", "-x": "needle" });
    expect(await search(root, { pattern: "needle" })).toBe(
      '%2e%2e\n1: needle\n\n-x\n1: needle\n\n[a].ts\n1: needle\n\n"a\\nb.ts"\n1: needle',
    );
    expect(await search(root, { pattern: "needle", path: "[a].ts" })).toBe("[a].ts\n1: needle");
    expect(await search(root, { pattern: "needle", path: "-x" })).toBe("-x\n1: needle");
  });
});

test("an expression that takes for ever is ended, and what was found before is shown", async () => {
  const root = await makeFiles({ "a.txt": "aaaa\n", "b.txt": `${"a".repeat(60)}!\n` });
  const tool = searchFiles({ root, searchWith: "javascript", searchTimeout: 1000 });
  const began = performance.now();
  const said = await call(tool, { pattern: "^(a+)+$" });
  expect(performance.now() - began).toBeLessThan(20_000);
  expect(said).toMatch(/^a\.txt\n1: aaaa\n\[The search took more than 1 s and was stopped, so there may be more\./);
  const abort = new AbortController();
  const running = call(searchFiles({ root, searchWith: "javascript" }), { pattern: "^(a+)+$" }, abort.signal);
  setTimeout(() => {
    abort.abort(new Error("stop"));
  }, 300);
  await expect(running).rejects.toThrow("stop");
}, 15_000);

test("ripgrep is taken from absolute folders of PATH outside the workspace alone", async () => {
  const root = await makeFiles({ rg: "#!/bin/sh\necho owned\n" });
  await chmod(join(root, "rg"), 0o755);
  expect(await findRipgrep(root, `${root}:.:`)).toBeUndefined();
  expect(await findRipgrep("/nowhere", root)).toBe(join(root, "rg"));
});

test("settings of ripgrep have no say", async () => {
  const root = await makeFiles({ config: "--files-with-matches\n--follow\n", "a.txt": "needle\n" });
  process.env["RIPGREP_CONFIG_PATH"] = join(root, "config");
  onTestFinished(() => {
    delete process.env["RIPGREP_CONFIG_PATH"];
  });
  expect(await call(searchFiles({ root }), { pattern: "needle" })).toBe("a.txt\n1: needle");
});

test("in a dry run, what was only planned is found, and what was only deleted in it is not", async () => {
  const root = await makeFiles({ "a.txt": "needle\n", "b.txt": "needle\n" });
  const files = dryRun();
  const signal = new AbortController().signal;
  await files.replace(join(root, "new/c.txt"), Buffer.from("a needle\n"), { signal });
  await files.remove(join(root, "a.txt"));
  expect(await call(searchFiles({ root, files }), { pattern: "needle" })).toBe(
    "b.txt\n1: needle\n\nnew/c.txt\n1: a needle",
  );
});
