// The files of servers: what a command line runs, however it says so, is known, kept, and asked about after a change.

import { mkdir, realpath, symlink, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import type { ProgramFiles } from "../../../src/cli/code/program-files.js";
import { lineFiles, serverFiles, startable } from "../../../src/cli/code/server-files.js";
import type { StatedServer } from "../../../src/cli/mcp-config/stated-server.js";
import { ReadOnce } from "../../../src/cli/display/read-once.js";
import { temporary } from "../command.js";

interface World extends AsyncDisposable {
  readonly path: string;
  put(files: Readonly<Record<string, string>>): Promise<void>;
  find(server: Partial<StatedServer>): Promise<ProgramFiles>;
}

async function makeWorld(files: Readonly<Record<string, string>> = {}): Promise<World> {
  const folder = await temporary();
  const path = await realpath(folder.path);
  const world: World = {
    path,
    async put(more) {
      for (const [name, text] of Object.entries(more)) {
        await mkdir(dirname(join(path, name)), { recursive: true });
        await writeFile(join(path, name), text);
      }
    },
    find: (server) =>
      serverFiles([{ name: "s", source: join(path, ".mcp.json"), ...server }], {
        ...{ workdir: path, env: { SET: "tools" }, files: new ReadOnce() },
      }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
  await world.put(files);
  return world;
}

/** The names of what a program runs, and of the places that are asked about. */
function namesOf({ path }: World, { kept, asked }: ProgramFiles) {
  return {
    kept: kept.map((one) => relative(path, one)).sort(),
    asked: asked.map(({ folder, pattern }) => join(relative(path, folder), pattern)).sort(),
  };
}

const inc = "X = 1\n";

describe("a server runs", () => {
  test.each<[string, Readonly<Record<string, string>>, Partial<StatedServer>, readonly string[]]>([
    [
      "what a Python script imports beside it, in packages, and by relative names",
      {
        "server.py": "import os, helper as h\nfrom pkg import (\n  one,\n  two,\n)\n",
        "helper.py": inc,
        "pkg/__init__.py": "from .inner import x\n",
        "pkg/inner.py": "from ..other import y\nfrom . import three\n",
        "pkg/one.py": inc,
        "pkg/two/__init__.py": inc,
        "pkg/three.py": inc,
        "other.py": inc,
        "unused.py": inc,
      },
      { command: "python3", args: ["server.py"] },
      [
        "helper.py",
        "other.py",
        "pkg/__init__.py",
        "pkg/inner.py",
        "pkg/one.py",
        "pkg/three.py",
        "pkg/two/__init__.py",
        "server.py",
      ],
    ],
    [
      "a package of Python that it names with -m",
      { "app/__init__.py": inc, "app/__main__.py": "import app.run\n", "app/run.py": inc, "x.py": inc },
      { command: "python3.12", args: ["-u", "-m", "app"] },
      ["app/__init__.py", "app/__main__.py", "app/run.py"],
    ],
    [
      "modules on PYTHONPATH, and one that is named in a text",
      { "lib/a.py": inc, "lib/b.py": inc, "s.py": 'import a, importlib\nimportlib.import_module("b")\n' },
      { command: "python3", args: ["s.py"], env: { PYTHONPATH: "lib" } },
      ["lib/a.py", "lib/b.py", "s.py"],
    ],
    [
      "what the text of a shell runs, behind cd and exec",
      { "srv/server.mjs": 'import "./part.mjs";', "srv/part.mjs": "", "setup.sh": ". ./more.sh\n", "more.sh": "" },
      { command: "sh", args: ["-c", "./setup.sh && cd srv; exec node ./server.mjs --stdio"] },
      ["more.sh", "setup.sh", "srv/part.mjs", "srv/server.mjs"],
    ],
    [
      "what a script runs whose interpreter is in its first line",
      {
        "bin/run": '#!/usr/bin/env bash\nexec python3 "$(dirname "$0")/../py/main.py"\n',
        "py/main.py": "import dep\n",
        "py/dep.py": inc,
      },
      { command: "./bin/run" },
      ["bin/run", "py/dep.py", "py/main.py"],
    ],
    [
      "what a script runs from its own folder",
      { "bin/run.sh": 'cd "$(dirname "$0")/.." || exit\nexec node lib/main.mjs\n', "lib/main.mjs": "" },
      { command: "bash", args: ["bin/run.sh"] },
      ["bin/run.sh", "lib/main.mjs"],
    ],
    [
      "the script of package.json",
      {
        "package.json": '{"scripts": {"prestart": "node pre.js", "start": "node ./main.js"}}',
        "pre.js": "",
        "main.js": 'require("./lib")',
        "lib.js": "",
        "else.js": "",
      },
      { command: "npm", args: ["start", "--silent"] },
      ["lib.js", "main.js", "pre.js"],
    ],
    [
      "a script of a package.json elsewhere",
      {
        "sub/package.json": '{"scripts": {"mcp": "tsx src/main.ts"}}',
        "sub/src/main.ts": 'import "./a.js"',
        "sub/src/a.ts": "",
      },
      { command: "npm", args: ["--prefix", "sub", "run", "mcp"] },
      ["sub/src/a.ts", "sub/src/main.ts"],
    ],
    [
      "modules that options name, and workers that a text names",
      {
        "hook.cjs": "",
        "load.mjs": "",
        "s.js": 'new Worker("worker.js"); fork("child.mjs")',
        "worker.js": "",
        "child.mjs": "",
      },
      { command: "node", args: ["--import=./load.mjs", "s.js"], env: { NODE_OPTIONS: "--require ./hook.cjs" } },
      ["child.mjs", "hook.cjs", "load.mjs", "s.js", "worker.js"],
    ],
    [
      "a folder, by its main file",
      { "srv/package.json": '{"main": "./start.js"}', "srv/start.js": 'import x from "."', "srv/index.js": "" },
      { command: "node", args: ["./srv"] },
      ["srv/index.js", "srv/start.js"],
    ],
    [
      "files behind variables, in another folder, and archives in lists",
      { "tools/a.jar": "a", "tools/b.jar": "b", "tools/c.txt": "" },
      { command: "java", args: ["-cp", "${SET:-x}/../a.jar:b.jar", "Main"], cwd: "${SET}" },
      ["tools/a.jar", "tools/b.jar"],
    ],
    [
      "a text of the command line",
      { "x.mjs": "", "y.py": inc },
      { command: "env", args: ["A=1", "node", "-e", 'import("./x.mjs")'] },
      ["x.mjs"],
    ],
  ])("%s", async (_name, files, server, kept) => {
    await using world = await makeWorld(files);
    expect(namesOf(world, await world.find(server)).kept).toEqual(kept);
  });

  test("a program that a link leads to: the link, its target and the links on the way are kept", async () => {
    await using world = await makeWorld({ "real/server.mjs": 'import "./part.mjs";', "real/part.mjs": "" });
    await symlink("real", join(world.path, "way"));
    await symlink("way/server.mjs", join(world.path, "start.mjs"));
    const { kept, asked } = namesOf(world, await world.find({ command: "node", args: ["start.mjs"] }));
    expect(kept).toEqual(expect.arrayContaining(["real/server.mjs", "start.mjs"]));
    const through = namesOf(world, await world.find({ command: "node", args: ["way/server.mjs"] }));
    expect(through.kept).toEqual(expect.arrayContaining(["real/server.mjs", "way", "way/server.mjs", "way/part.mjs"]));
    expect([...asked, ...through.asked]).toContain("real");
  });

  test("a local program of packages, and a program that PATH finds in the workspace", async () => {
    await using world = await makeWorld({ "node_modules/tool/cli.js": "", "bin/serve": "#!/bin/sh\n" });
    await mkdir(join(world.path, "node_modules/.bin"));
    await symlink("../tool/cli.js", join(world.path, "node_modules/.bin/tool"));
    const local = await world.find({ command: "npx", args: ["-y", "tool@1.2", "stdio"] });
    expect(namesOf(world, local).kept).toEqual(["node_modules/.bin/tool", "node_modules/tool/cli.js"]);
    expect(local.untold.join()).toContain("the package tool@1.2, which npx finds or fetches");
    const found = await world.find({ command: "serve", env: { PATH: `/usr/bin:${join(world.path, "bin")}` } });
    expect(namesOf(world, found).kept).toEqual(["bin/serve"]);
  });
});

describe("a write is asked about", () => {
  test("in the folder of a server, unless that is the workspace", async () => {
    await using world = await makeWorld({ "srv/a.mjs": "", "srv/plugins/b.mjs": "", "c.mjs": "" });
    const found = await world.find({ command: "node", args: ["srv/a.mjs"] });
    expect(namesOf(world, found).asked).toEqual(["srv", "srv/plugins"]);
    expect(found.files.map(({ path }) => relative(world.path, path))).toContain("srv/plugins/b.mjs");
    expect(namesOf(world, await world.find({ command: "node", args: ["c.mjs"] })).asked).toEqual([]);
  });

  test("of a module that would take the place of another one of Python", async () => {
    await using world = await makeWorld({ "server.py": "import json\n" });
    const { asked } = namesOf(world, await world.find({ command: "python3", args: ["server.py"] }));
    expect(asked).toEqual(["*.py", "*.so", "*/__init__.py", "__pycache__/**"]);
  });

  test("of a file that is not there yet, and of the settings that say what is run", async () => {
    await using world = await makeWorld({ "a.js": 'try { require("./local") } catch {}', "package.json": "{}" });
    expect(namesOf(world, await world.find({ command: "node", args: ["a.js"] })).asked).toEqual(["local"]);
    expect(namesOf(world, await world.find({ command: "npm", args: ["run", "x"] })).asked).toEqual(["package.json"]);
    expect(namesOf(world, await world.find({ command: "node", args: ["dist/main.js"] })).asked).toEqual([
      "dist/main.js",
    ]);
  });
});

test("what can't be told is said", async () => {
  await using world = await makeWorld({
    "a.mjs": 'const f = process.env.F; await import(f); import "left-pad";',
    "b.sh": 'node "$HERE/x.js"\n',
  });
  const { untold } = await world.find({ command: "node", args: ["a.mjs"] });
  expect(untold).toEqual(["files whose names a.mjs computes", "packages that are installed"]);
  expect((await world.find({ command: "sh", args: ["b.sh"] })).untold.join()).toContain("words that a shell computes");
  expect((await world.find({ command: "uv", args: ["run", "x"] })).untold).toEqual(["what uv builds or finds itself"]);
  expect((await world.find({ command: "${NOWHERE}/x" })).untold).toEqual(["what ${NOWHERE} stands for"]);
});

test("a line after an edit is no server: its scripts are kept, and neither packages nor folders", async () => {
  await using world = await makeWorld({ "tools/fmt.sh": "", "node_modules/.bin/x": "" });
  const found = await lineFiles('npx x && sh ./tools/fmt.sh "{file}"', { workdir: world.path, files: new ReadOnce() });
  expect(namesOf(world, found)).toEqual({ kept: ["tools/fmt.sh"], asked: [] });
});

test("a program may have the name of a member of all objects", async () => {
  await using world = await makeWorld({ a: "" });
  const found = await lineFiles("constructor x && npx toString", { workdir: world.path, files: new ReadOnce() });
  expect(namesOf(world, found)).toEqual({ kept: [], asked: [] });
});

test("a large program is known whole, and a server does not start if a file is another one by then", async () => {
  const whole = "x".repeat(3 * 1024 * 1024);
  await using world = await makeWorld({ "bin/big": whole });
  const stated = { name: "s", source: join(world.path, ".mcp.json"), command: "./bin/big" };
  const place = { workdir: world.path, env: {}, files: new ReadOnce() };
  const { server } = await startable(stated, place);
  await server.beforeStart?.();
  await world.put({ "bin/big": `${whole.slice(1)}y` });
  await expect(server.beforeStart?.()).rejects.toThrow(
    "bin/big has changed since it was read, so nothing of it is run",
  );
});
