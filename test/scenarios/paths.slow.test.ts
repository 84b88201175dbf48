// Attack scenarios, paths: files and folders that are not, or no longer, what their names say.

import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { link, mkdir, readFile, rename, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { isStrangeOnWindows } from "../../src/files/index.js";
import type { Permission } from "../../src/index.js";
import { call } from "../../src/testing/index.js";
import { bubblewrap, disk, type WorkspaceFiles } from "../../src/tools/index.js";
import { without } from "../programs.js";
import { finding, why } from "../shell/sandboxes.js";
import { makeWorld, meet } from "./meet.js";

const secret = "TOP-SECRET";

/** A workspace with a folder `d`, and a function that replaces it by a link to the outside. */
async function makeSwappable(): Promise<{
  readonly root: string;
  readonly outside: string;
  readonly swap: () => Promise<void>;
}> {
  const { root, outside } = await makeWorld();
  await mkdir(join(root, "d"));
  for (const folder of [join(root, "d"), outside]) await writeFile(join(folder, "old.txt"), "");
  await writeFile(join(root, "d/old.txt"), "inside");
  await writeFile(join(outside, "old.txt"), secret);
  let isSwapped = false;
  const swap = async (): Promise<void> => {
    if (isSwapped) return;
    isSwapped = true;
    await rename(join(root, "d"), join(root, "was-d"));
    await symlink(outside, join(root, "d"));
  };
  return { root, outside, swap };
}

const throughTheFolder = [
  call("write_file", { path: "d/a.txt", content: "x" }),
  call("write_file", { path: "d/old.txt", content: "x" }),
  call("write_file", { path: "d/deep/a.txt", content: "x" }),
  call("edit_file", { path: "d/old.txt", edits: [{ search: "T", replace: "x" }] }),
  call("read_file", { path: "d/old.txt" }),
  call("list_files", { path: "d" }),
  call("search_files", { path: "d", pattern: "TOP" }),
  call("delete_file", { path: "d/old.txt" }),
  call("move_file", { from: "d/old.txt", to: "mine.txt" }),
  call("run_command", { command: "read line < old.txt; echo $line; echo x > a.txt", working_dir: "d" }),
];

async function expectUntouched(root: string, outside: string, texts: readonly string[]): Promise<void> {
  expect(texts.join("\n")).not.toContain(secret);
  expect(await readFile(join(outside, "old.txt"), "utf8")).toBe(secret);
  for (const path of [join(outside, "a.txt"), join(outside, "deep"), join(root, "mine.txt")])
    expect(existsSync(path)).toBe(false);
}

describe("path-009-toctou-swap", () => {
  test.each(throughTheFolder)("path-009-toctou-swap: after the gate said yes to $name $input", async (one) => {
    const { root, outside, swap } = await makeSwappable();
    const around = (gate: Permission): Permission => ({
      async decide(asked, deciding) {
        const decision = await gate.decide(asked, deciding);
        if (asked.name === one.name) await swap();
        return decision;
      },
    });
    const met = await meet([one], { root, tier: "full-access" }, { around });
    expect(met.decisions[0]).toMatchObject({ allowed: true });
    expect(met.results[0]).toMatchObject({ ok: false });
    expect(met.results[0]?.text).toContain("outside the workspace");
    await expectUntouched(root, outside, [met.results[0]?.text ?? ""]);
  });

  test.each(throughTheFolder.filter(({ name }) => name !== "run_command"))(
    "path-009-toctou-swap: after the tool looked for itself, right before $name $input",
    async (one) => {
      const { root, outside, swap } = await makeSwappable();
      const real = disk();
      const files: WorkspaceFiles = {
        ...real,
        async *read(path, signal) {
          // The ignore files at the top are read as well, and must not trigger the swap.
          if (path.startsWith(join(root, "d"))) await swap();
          yield* real.read(path, signal);
        },
        async list(path) {
          if (path.startsWith(join(root, "d"))) await swap();
          return real.list(path);
        },
        async replace(...how) {
          await swap();
          await real.replace(...how);
        },
        async move(...how) {
          await swap();
          await real.move(...how);
        },
        async remove(path) {
          await swap();
          await real.remove(path);
        },
      };
      const met = await meet([one], { root }, { workspace: { files, searchWith: "javascript" } });
      expect(met.decisions[0]).toMatchObject({ allowed: true });
      expect(existsSync(join(root, "was-d"))).toBe(true);
      await expectUntouched(root, outside, [met.results[0]?.text ?? ""]);
      expect(existsSync(join(root, "was-d/a.txt"))).toBe(false);
    },
  );
});

describe("path-010-hardlink", () => {
  const doc = readFile(join(import.meta.dirname, "../../docs/what-the-agent-may-do.md"), "utf8");

  test("path-010-hardlink: a limit that is documented: what is linked is read, and a write makes a file of its own", async () => {
    const { root, outside } = await makeWorld();
    await writeFile(join(outside, "secret"), secret);
    await link(join(outside, "secret"), join(root, "hl.txt"));
    const met = await meet(
      [call("read_file", { path: "hl.txt" }), call("write_file", { path: "hl.txt", content: "mine" })],
      { root },
    );
    expect(met.results[0]?.text).toContain(secret);
    expect(met.results[1]).toMatchObject({ ok: true });
    expect(await readFile(join(outside, "secret"), "utf8")).toBe(secret);
    expect(await readFile(join(root, "hl.txt"), "utf8")).toBe("mine");
    expect((await doc).replaceAll("\n", " ")).toMatch(/Not covered: hard links to files outside/);
  });

  test.skipIf(!finding.ok)(`path-010-hardlink: in the sandbox it is read as well${why}`, async () => {
    const { root, outside } = await makeWorld();
    await writeFile(join(outside, "secret"), secret);
    await link(join(outside, "secret"), join(root, "hl.txt"));
    const shell = bubblewrap({ root, writable: true });
    const met = await meet(
      [
        call("run_command", { command: `ln ${join(outside, "secret")} made; cat ${join(outside, "secret")}` }),
        call("run_command", { command: "cat hl.txt" }),
      ],
      { root, tier: "full-access" },
      { workspace: { shell } },
    );
    // Inside the sandbox no such link can be made, because the outside does not exist there.
    expect(met.results[0]?.text).not.toContain(secret);
    expect(existsSync(join(root, "made"))).toBe(false);
    expect(met.results[1]?.text).toContain(secret);
  });
});

test("path-015-percent: nothing is decoded", async () => {
  const { root, outside } = await makeWorld();
  await writeFile(join(outside, "secret"), secret);
  const met = await meet(
    ["%2e%2e/%2e%2e/etc/passwd", "%2e%2e/outside/secret", "..%2foutside%2fsecret", "%252e%252e/outside/secret"].map(
      (path) => call("read_file", { path }),
    ),
    { root },
  );
  for (const { ok, text } of met.results) {
    expect(ok).toBe(false);
    expect(text).toMatch(/does not exist|no such file|There is no/i);
    expect(text).not.toMatch(/TOP-SECRET|root:/);
  }
});

test("path-024-glob-metachars-in-name: rules are patterns, paths are data", async () => {
  const { root } = await makeWorld();
  await mkdir(join(root, "src"));
  await writeFile(join(root, "src/[a].ts"), "in brackets");
  await writeFile(join(root, "src/a.ts"), "plain");
  const read = ["src/[a].ts", "src/a.ts"].map((path) => call("read_file", { path }));
  const allowed = async (deny: readonly string[]): Promise<readonly boolean[]> => {
    const met = await meet(read, { root, deny });
    for (const [index, text] of ["in brackets", "plain"].entries())
      expect(met.results[index]?.text.includes(text)).toBe(met.decisions[index]?.allowed);
    return met.decisions.slice(0, 2).map((decision) => decision.allowed);
  };
  expect(await allowed(["read(src/a.ts)"])).toEqual([true, false]);
  // As plain text and as a pattern: a rule that forbids matches both.
  expect(await allowed(["read(src/[a].ts)"])).toEqual([false, false]);
  expect(await allowed(["read(src/\\[a\\].ts)"])).toEqual([false, true]);
  expect(await allowed(["read(src/?a?.ts)"])).toEqual([false, true]);
  const written = await meet([call("write_file", { path: "src/[b].ts", content: "x" })], {
    root,
    mode: "ask-never",
    allow: ["write(src/b.ts)"],
  });
  expect(written.decisions[0]).toMatchObject({ allowed: false });
});

const engines = [
  ["ripgrep", without("rg")],
  ["javascript", ""],
] as const;

describe.each(engines)("searching with %s%s", (searchWith, missing) => {
  test.skipIf(missing)("path-041-walker-follows-links: no walker leaves through a link", async () => {
    const { root, outside } = await makeWorld();
    await writeFile(join(outside, "told"), secret);
    await symlink("/", join(root, "up"));
    await symlink(outside, join(root, "beside"));
    await writeFile(join(root, "a.txt"), "here");
    const met = await meet(
      [
        call("list_files", { path: "." }),
        call("search_files", { pattern: "root:|TOP|here" }),
        call("list_files", { path: "up" }),
        call("search_files", { pattern: "root:", path: "up/etc" }),
      ],
      { root },
      { workspace: { searchWith } },
    );
    const [listed, found, through, searched] = met.results.map(({ text }) => text);
    expect(listed).toContain("up (symbolic link)");
    expect(listed?.split("\n").filter((line) => line !== "")).toHaveLength(3);
    expect(found).toContain("here");
    expect(met.results.map(({ text }) => text).join("\n")).not.toMatch(/passwd|root:x|TOP-SECRET/);
    for (const text of [through, searched]) expect(text).toContain("outside the workspace");
    expect(met.time).toBeLessThan(20_000);
  });
});

test("path-042-link-loop: links that lead in a circle are named, and an error to go through", async () => {
  const { root } = await makeWorld();
  await symlink("b", join(root, "a"));
  await symlink("a", join(root, "b"));
  await mkdir(join(root, "deep"));
  await symlink("..", join(root, "deep/back"));
  const through = [
    call("read_file", { path: "a" }),
    call("read_file", { path: "a/x" }),
    call("list_files", { path: "a" }),
    call("search_files", { path: "b", pattern: "x" }),
    call("write_file", { path: "a", content: "x" }),
    call("write_file", { path: "a/x", content: "x" }),
  ];
  const met = await meet([call("list_files", { path: "." }), ...through], { root });
  expect(met.results[0]?.text).toContain("a (symbolic link)");
  expect(met.results[0]?.text).not.toContain("back/deep");
  for (const { ok, text } of met.results.slice(1)) {
    expect(ok).toBe(false);
    expect(text).toContain("lead round in a circle");
  }
  expect(met.time).toBeLessThan(20_000);
});

const noPipe = without("mkfifo");
test.skipIf(noPipe)(`path-043-fifo: nobody waits for who might write to a pipe, or read from it${noPipe}`, async () => {
  const { root } = await makeWorld();
  execFileSync("mkfifo", [join(root, "pipe")]);
  const met = await meet(
    [
      call("read_file", { path: "pipe" }),
      call("edit_file", { path: "pipe", edits: [{ search: "a", replace: "b" }] }),
      call("write_file", { path: "pipe", content: "x" }),
      call("search_files", { path: "pipe", pattern: "x" }),
      call("search_files", { pattern: "x" }),
      call("list_files", {}),
    ],
    { root },
  );
  for (const { ok, text } of met.results.slice(0, 4)) {
    expect(ok).toBe(false);
    expect(text).toContain("a named pipe");
  }
  expect(met.results[4]).toMatchObject({ ok: true });
  expect(met.results[5]?.text).toContain("pipe");
  expect(met.time).toBeLessThan(20_000);
});

test("path-044-dev-zero: what has no end is outside, whatever the tier and the way to it", async () => {
  const { root } = await makeWorld();
  await symlink("/dev/zero", join(root, "zero"));
  const met = await meet(
    ["/dev/zero", "zero", "/dev/urandom", "/proc/self/environ"].flatMap((path) => [
      call("read_file", { path }),
      call("search_files", { path, pattern: "x" }),
      call("edit_file", { path, edits: [{ search: "a", replace: "b" }] }),
    ]),
    { root, tier: "full-access" },
  );
  for (const { ok, text } of met.results) {
    expect(ok).toBe(false);
    expect(text).toContain("outside the workspace");
  }
  expect(met.time).toBeLessThan(20_000);
});

test("path-045-huge-file: of 5 GB no more is read and shown than fits", async () => {
  const { root } = await makeWorld();
  const [zeros, lines] = [join(root, "zeros.log"), join(root, "lines.log")];
  await writeFile(zeros, "");
  await writeFile(lines, "a line of the log\n".repeat(20_000));
  for (const path of [zeros, lines]) await truncate(path, 5 * 1024 ** 3);
  const before = process.memoryUsage().rss;
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss);
  }, 5);
  const met = await meet(
    [
      call("read_file", { path: "zeros.log" }),
      call("read_file", { path: "lines.log" }),
      call("search_files", { path: "lines.log", pattern: "log" }),
      call("search_files", { pattern: "log" }),
      call("edit_file", { path: "lines.log", edits: [{ search: "a line", replace: "b" }] }),
    ],
    { root },
  ).finally(() => {
    clearInterval(watch);
  });
  const [binary, read, named, searched, edited] = met.results;
  expect(binary).toMatchObject({ ok: false });
  expect(binary?.text).toContain("is binary");
  expect(read?.text).toContain("There is more: read on with from_line 2001.");
  expect(named?.text).toContain("is larger than 10485760 bytes");
  expect(searched?.ok).toBe(true);
  expect(edited).toMatchObject({ ok: false });
  for (const { text } of met.results) expect(text.length).toBeLessThan(100_000);
  expect(most - before).toBeLessThan(300 * 1024 ** 2);
  expect(met.time).toBeLessThan(20_000);
});

test("path-049-windows-device: a name that Windows takes for a device is none there", async () => {
  for (const path of ["CON", "con.txt", "src/NUL", "aux", "COM1.log", "lpt9", "CONIN$", "a.txt:stream", "a.txt.", "x "])
    expect(isStrangeOnWindows(path)).toBe(true);
  for (const path of ["console", "src/nullable.ts", "auxiliary", "COM", "com10", "C:\\work\\a.txt", ".", "../a"])
    expect(isStrangeOnWindows(path)).toBe(false);
  const { root } = await makeWorld();
  const met = await meet([call("read_file", { path: "CON" })], { root });
  // On other systems it is an ordinary name, of a file that does not exist.
  expect(met.results[0]).toMatchObject({ ok: false });
});
