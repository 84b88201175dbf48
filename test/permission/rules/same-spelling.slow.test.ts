// The gate recognizes a protected or forbidden path in every spelling, on this file system and on more forgiving ones.

import { mkdir, mkdtemp, readdir, readFile, readlink, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { createAgent, type Deciding, type FrozenCall, type Tool } from "../../../src/index.js";
import { gate, type GateOptions } from "../../../src/permission/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion, workspaceTools } from "../../../src/tools/index.js";

const secret = "TOP-SECRET";

/** Files that are never written: by the gate itself, by an option, or by rules. */
const guarded: readonly string[] = [
  ".git/config",
  ".git/hooks/pre-commit",
  ".gitmodules",
  ".mcp.json",
  ".vscode/settings.json",
  ".lastcall/config.yaml",
  "lastcall.config.yaml",
  "deep/.git/config",
  "locked/file.txt",
  "secret/key.txt",
  "secret/deep/key.txt",
  "caf\u00e9/me\u0301nu.txt",
  "straße.txt",
];
/** The guarded folders: everything in them is guarded as well. */
const folders = [".git", "deep/.git", ".vscode", ".lastcall", "locked", "secret", "caf\u00e9"];

const terms = (root: string): GateOptions => ({
  root,
  tier: "full-access",
  mode: "allow-all",
  protect: ["locked/**"],
  deny: [
    "write(secret/**)",
    "read(secret/**)",
    "write(café/)",
    "read(café/)",
    "write(straße.txt)",
    "read(STRASSE.txt)",
  ],
});

interface World {
  readonly root: string;
  /** Prefixes that lead to the root; each ends with a slash or is empty. */
  readonly ways: readonly string[];
}

/** A project full of links to guarded files. */
async function makeWorld(): Promise<World> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "lastcall-spelling-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  vi.stubEnv("HOME", folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  const root = join(folder, "project");
  // Some guarded files do not exist yet: protection covers them already.
  const missing = [".git/hooks/pre-commit", ".lastcall/config.yaml", "lastcall.config.yaml"];
  for (const path of [...guarded.filter((one) => !missing.includes(one)), "src/a.ts"]) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), path === "src/a.ts" ? "plain" : secret);
  }
  const links: Readonly<Record<string, string>> = {
    "to-git": ".git",
    "to-config": ".git/config",
    "to-secret": "secret",
    "to-key": join(root, "secret/key.txt"),
    "src/up": "..",
    "src/back": root,
    "src/hop": "up/to-secret",
    here: ".",
    "../elsewhere": "project",
  };
  for (const [name, target] of Object.entries(links)) await symlink(target, join(root, name));
  return {
    root,
    ways: [
      "",
      "./",
      ".//",
      "src/../",
      "nothing/../",
      "src/up/",
      "src/back/",
      "here/",
      "here/src/up/",
      `${root}/`,
      `${root}//`,
      "../project/",
      `${folder}/elsewhere/`,
      "../elsewhere/",
      "~/project/",
      "~/elsewhere/here/",
    ],
  };
}

/** Resolves a path link by link, independently of the gate. */
async function leadsTo(root: string, path: string): Promise<string> {
  const home = process.env["HOME"] ?? "";
  const parts = resolve(root, path.replace(/^~(?=\/|$)/, home))
    .split("/")
    .slice(1);
  let real = "/";
  for (let steps = 0; parts.length > 0 && steps < 200; steps += 1) {
    const next = join(real, parts.shift() ?? "");
    const target = await readlink(next).catch(() => undefined);
    if (target === undefined) real = next;
    else {
      const from = target.startsWith("/") ? "/" : real;
      parts.unshift(...target.split("/").filter((part) => part !== "" && part !== "."));
      real = from;
    }
  }
  return real;
}

/** True if a real path is guarded, or is in a guarded folder. */
function isGuarded(root: string, real: string): boolean {
  const way = relative(root, real);
  return guarded.includes(way) || folders.some((folder) => way === folder || way.startsWith(`${folder}/`));
}

const deciding: Deciding = {
  signal: new AbortController().signal,
  session: "s",
  preview: () => Promise.resolve(undefined),
};
const writing = (path: string): FrozenCall => ({
  id: "1",
  name: "write_file",
  effect: "write",
  input: {},
  reach: { writes: [path] },
});
const reading = (path: string): FrozenCall => ({
  id: "1",
  name: "read_file",
  effect: "read",
  input: {},
  reach: { reads: [path] },
});

const bit = fc.infiniteStream(fc.boolean());

/** Another spelling of a name, which a forgiving file system treats as the same name. */
const forgiven: fc.Arbitrary<(name: string) => string> = fc.oneof(
  bit.map(
    (bits) => (name: string) =>
      Array.from(name)
        .map((one) => (next(bits) ? one.toUpperCase() : one.toLowerCase()))
        .join(""),
  ),
  fc.constantFrom("NFC", "NFD", "NFKC", "NFKD").map((form) => (name: string) => name.normalize(form)),
  // Full-width characters.
  bit.map(
    (bits) => (name: string) =>
      name.replace(/[!-.0-~]/g, (one) => (next(bits) ? String.fromCharCode(one.charCodeAt(0) + 0xfee0) : one)),
  ),
  fc
    .tuple(
      fc.constantFrom(
        "\u00ad",
        "\u034f",
        "\u061c",
        "\u115f",
        "\u17b4",
        "\u180b",
        "\u200b",
        "\u200c",
        "\u200d",
        "\u200e",
        "\u202e",
        "\u2060",
        "\u206f",
        "\u3164",
        "\ufe0f",
        "\ufeff",
        "\uffa0",
        "\u{e0001}",
        "\u{e0100}",
      ),
      fc.nat(),
    )
    .map(([mark, at]) => (name: string) => {
      const characters = Array.from(name);
      characters.splice(at % (characters.length + 1), 0, mark);
      return characters.join("");
    }),
  fc.constantFrom(".", "...", " ", ". ", " .", "::$DATA", ":stream").map((end) => (name: string) => name + end),
  fc
    .constantFrom("git~1", "GIT~1", "git~2", "Git~1.")
    .map((short) => (name: string) => (name === ".git" ? short : name)),
  fc.constantFrom("s\u017f", "k\u212a", "i\u0131").map(
    ([plain = "", odd = ""]) =>
      (name: string) =>
        name.replaceAll(plain, odd),
  ),
);

function next(bits: Iterator<boolean>): boolean {
  return bits.next().value === true;
}

const separator = fc.constantFrom("/", "/", "/", "//", "/./", "/nothing/../", "/././/");
const end = fc.constantFrom("", "", "", "/", "/.", "//", "/nothing/..");

/** The parts of a path, except its prefix. */
interface Spelling {
  readonly names: readonly string[];
  readonly changes: readonly ((name: string) => string)[];
  readonly separators: readonly string[];
  readonly end: string;
  readonly way: number;
}

function spelt({ names, changes, separators, end: last, way }: Spelling, { ways }: World): string {
  const parts = names.map(
    (name, index) =>
      `${index === 0 ? "" : (separators[index] ?? "/")}${changes.reduce((text, change) => change(text), name)}`,
  );
  return `${ways[way % ways.length] ?? ""}${parts.join("")}${last}`;
}

function spelling(paths: readonly string[], changes: fc.Arbitrary<Spelling["changes"]>): fc.Arbitrary<Spelling> {
  return fc.record({
    names: fc.constantFrom(...paths).map((path) => path.split("/")),
    changes,
    separators: fc.array(separator, { minLength: 4, maxLength: 4 }),
    end,
    way: fc.nat(),
  });
}

const through = [
  "to-git/config",
  "to-config",
  "to-git/new",
  "to-secret/key.txt",
  "to-key",
  "src/hop/key.txt",
  "src/hop/new",
  "here/to-git/hooks/x",
];
const plain = ["src/a.ts", "src/new.ts", "new.txt", "src", "..", "secrets.txt", "gitconfig"];

test("every path to a guarded file is refused, through any prefix and link", async () => {
  const world = await makeWorld();
  const { root } = world;
  const permission = gate(terms(root));
  const changes = fc.oneof(
    { weight: 3, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(forgiven, { maxLength: 2 }) },
  );
  let [met, others] = [0, 0];
  const property = fc.asyncProperty(spelling([...guarded, ...through, ...plain], changes), async (made) => {
    const path = spelt(made, world);
    if (!isGuarded(root, await leadsTo(root, path))) {
      others += 1;
      return;
    }
    met += 1;
    expect(await permission.decide(writing(path), deciding), JSON.stringify(path)).toMatchObject({ allowed: false });
    const isForbidden = /secret|café|straße/.test(relative(root, await leadsTo(root, path)));
    expect((await permission.decide(reading(path), deciding)).allowed).toBe(!isForbidden);
  });
  await fc.assert(property, { numRuns: 1500 });
  expect(met).toBeGreaterThan(300);
  expect(others).toBeGreaterThan(100);
}, 60_000);

test("a name that a more forgiving file system takes for a guarded file is refused as well", async () => {
  const world = await makeWorld();
  const permission = gate(terms(world.root));
  const changes = fc.array(forgiven, { minLength: 1, maxLength: 3 });
  const property = fc.asyncProperty(spelling(guarded, changes), async (made) => {
    const path = spelt(made, world);
    expect(await permission.decide(writing(path), deciding), JSON.stringify(path)).toMatchObject({ allowed: false });
    if (/^(?:secret|café|straße)/.test(made.names[0] ?? ""))
      expect(await permission.decide(reading(path), deciding)).toMatchObject({ allowed: false });
  });
  await fc.assert(property, { numRuns: 1500 });
}, 60_000);

test("unguarded files are allowed: the gate does not simply refuse everything", async () => {
  const world = await makeWorld();
  const permission = gate(terms(world.root));
  const property = fc.asyncProperty(
    spelling(["src/a.ts", "src/new.ts", "new.txt", "secrets.txt", "gitconfig", "src/my.git"], fc.constant([])),
    async (made) => {
      expect(await permission.decide(writing(spelt(made, world)), deciding)).toMatchObject({ allowed: true });
    },
  );
  await fc.assert(property, { numRuns: 200 });
});

test("a root that is reached through a link guards what is in it", async () => {
  const world = await makeWorld();
  const linked = join(dirname(world.root), "elsewhere");
  const permission = gate(terms(linked));
  for (const path of guarded)
    for (const way of [...world.ways, `${linked}/`])
      expect(await permission.decide(writing(way + path), deciding)).toMatchObject({ allowed: false });
});

/** The text of every file, and every link. */
async function photograph(root: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const shots = entries
    .filter((entry) => entry.isFile())
    .map(async (entry): Promise<[string, string]> => {
      const path = join(entry.parentPath, entry.name);
      return [path, await readFile(path, "utf8")];
    });
  return new Map(await Promise.all(shots));
}

test("and so the tools never change nor tell what is guarded, when the model tries all of it at once", async () => {
  const world = await makeWorld();
  const { root } = world;
  const before = [...(await photograph(root))].filter(([path]) => isGuarded(root, path));
  const changes = fc.oneof(fc.constant([]), fc.array(forgiven, { maxLength: 2 }));
  const property = fc.asyncProperty(
    fc.array(spelling([...guarded, ...through], changes), { minLength: 2, maxLength: 4 }),
    async (made) => {
      const paths = made.map((one) => spelt(one, world));
      const calls = paths.flatMap((path, index) => [
        call("read_file", { path }),
        call("write_file", { path, content: "owned" }),
        call("edit_file", { path, edits: [{ search: secret, replace: "owned" }] }),
        call("move_file", { from: path, to: "src/mine.txt", overwrite: true }),
        call("move_file", { from: "src/a.ts", to: path, overwrite: true }),
        call("delete_file", { path: paths[(index + 1) % paths.length] }),
      ]);
      const agent = createAgent({
        model: scriptedModel([calls, [call("task_completion", { result: "ok" })]]),
        tools: [...workspaceTools({ root }), taskCompletion()] as Tool[],
        permission: gate(terms(root)),
      });
      const { session, status } = await agent.run("Go.");
      expect(status).toBe("completed");
      const after = [...(await photograph(root))].filter(([path]) => isGuarded(root, path));
      expect(after).toEqual(before);
      const told = session.records.flatMap((record) =>
        record.type === "result" && record.result.ok ? [record.result] : [],
      );
      const forbidden = told.filter(({ name, text }) => name === "read_file" && text.includes(secret));
      for (const { callId } of forbidden) {
        const index = session.records
          .flatMap((record) => (record.type === "reply" ? record.reply.calls : []))
          .find(({ id }) => id === callId);
        const path = index?.type === "call" ? (index.input as { readonly path: string }).path : "";
        expect(relative(root, await leadsTo(root, path))).not.toMatch(/^(?:secret|café|straße)/);
      }
    },
  );
  await fc.assert(property, { numRuns: 60 });
}, 60_000);
