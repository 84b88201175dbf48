// The walls of the sandbox: each is closed for a command unless it is opened, and real processes try it.

import { spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { OpenableWall } from "../../../src/index.js";
import { findProgram } from "../../../src/shell/sandbox/find-program.js";
import { bubblewrap, type SandboxOptions } from "../../../src/tools/index.js";
import type { CommandExit } from "../../../src/shell/index.js";
import { finding, folder, folderElsewhere, why } from "../sandboxes.js";
import { has, without } from "../../programs.js";

interface Terms extends Partial<SandboxOptions> {
  readonly opens?: readonly OpenableWall[];
  readonly forbids?: (access: "read" | "write", path: string) => boolean;
  readonly path?: string;
}

/** Runs a command in a sandbox with a writable workspace, with these walls open. */
async function inside(
  root: string,
  command: string,
  { opens = [], forbids, path = process.env["PATH"] ?? "", ...options }: Terms = {},
): Promise<{ readonly output: string; readonly exit: CommandExit }> {
  const shell = bubblewrap({ root, writable: true, ...options });
  const chunks: Uint8Array[] = [];
  const onOutput = (chunk: Uint8Array): void => void chunks.push(chunk);
  const environment = { PATH: path, HOME: process.env["HOME"] ?? "" };
  const exit = await shell.run(
    { command, folder: root, environment, seconds: 20, onOutput, opens, forbids },
    new AbortController().signal,
  );
  return { output: Buffer.concat(chunks).toString(), exit };
}

function put(root: string, path: string, text: string): string {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  return join(root, path);
}

/** A home folder with a workspace in it, until the end of the test. */
function live(): { readonly home: string; readonly root: string } {
  const home = folderElsewhere();
  const root = join(home, "dev/project");
  mkdirSync(root, { recursive: true });
  vi.stubEnv("HOME", home);
  onTestFinished(() => void vi.unstubAllEnvs());
  return { home, root };
}

/** Places in which programs keep keys, histories and accounts. */
const places = JSON.parse(
  readFileSync(join(import.meta.dirname, "../../cases/walls/places.json"), "utf8"),
) as readonly string[];

const isHere = import.meta.dirname.startsWith("/tmp/");
const whyNot = isHere ? " (left out: the tests are in /tmp, which the sandbox has of its own)" : "";

describe.skipIf(!finding.ok)(`the home folder${why}`, () => {
  test("shows none of fifty places of keys, histories and other projects", async () => {
    const { home, root } = live();
    places.forEach((path, index) => put(home, path, `PLANTED-${String(index)}\n`));
    expect(places.length).toBeGreaterThanOrEqual(50);
    const { output } = await inside(root, `grep -rhoa 'PLANTED-[0-9]*' '${home}' 2>/dev/null | sort -u`);
    expect(output).toBe("");
  });

  test.skipIf(isHere)(
    `is there if the wall is opened, but for the places of keys and of sessions${whyNot}`,
    async () => {
      const { home, root } = live();
      places.forEach((path, index) => put(home, path, `PLANTED-${String(index)}\n`));
      put(home, "notes.txt", "notes\n");
      const search = `cat '${home}/notes.txt'; grep -rhoa 'PLANTED-[0-9]*' '${home}' | sort -u`;
      const { output } = await inside(root, search, { opens: ["home"] });
      // The other project is the one that is there, because the person opened the home folder.
      expect(output).toBe(`notes\nPLANTED-${String(places.indexOf("dev/other/.env"))}\n`);
    },
  );

  test("shows toolchains, what is on the PATH with its libraries, and the settings of git", async () => {
    const { home, root } = live();
    put(home, ".nvm/versions/node", "nvm\n");
    put(home, "tools/thing/lib/thing.txt", "library\n");
    mkdirSync(join(home, "tools/thing/bin"));
    put(home, ".gitconfig", "[user]\n\tname = a\n");
    const command = `cat ~/.nvm/versions/node ~/tools/thing/lib/thing.txt ~/.gitconfig`;
    const path = `${join(home, "tools/thing/bin")}:/usr/bin:/bin`;
    expect((await inside(root, command, { path })).output).toBe("nvm\nlibrary\n[user]\n\tname = a\n");
  });

  test("can be written to by programs that insist, and nothing of it stays", async () => {
    const { home, root } = live();
    const { output } = await inside(root, "mkdir -p ~/.cache/x && echo 1 > ~/.cache/x/y && cat ~/.cache/x/y");
    expect(output).toBe("1\n");
    expect(existsSync(join(home, ".cache"))).toBe(false);
  });

  test("shows the repository around the workspace, and nothing beside it", async () => {
    const { home } = live();
    const root = join(home, "dev/mono/packages/a");
    mkdirSync(root, { recursive: true });
    mkdirSync(join(home, "dev/mono/.git"));
    put(home, "dev/mono/package.json", "mono\n");
    put(home, "dev/other/secret.txt", "other\n");
    const { output } = await inside(root, "cat ../../package.json; ls ../../..; touch ../../made");
    expect(output).toMatch(/^mono\nmono\ntouch: .*Read-only/);
  });

  test.each(["../other", "../../notes", "../other/.git/worktrees/a"])(
    "stays hidden if the .git that came with the repository names %s",
    async (named) => {
      const { home, root } = live();
      put(home, "dev/other/.git/HEAD", "other\n");
      put(home, "dev/other/.git/worktrees/a/gitdir", `${home}/dev/elsewhere/.git\n`);
      put(home, "notes/a", "other\n");
      put(root, ".git", `gitdir: ${named}\n`);
      expect((await inside(root, "cat ../other/.git/HEAD ../../notes/a 2>/dev/null")).output).toBe("");
    },
  );

  test("shows the data of git that a worktree and a submodule belong to", async () => {
    const { home, root } = live();
    put(home, "dev/main/.git/HEAD", "main\n");
    put(home, "dev/main/.git/worktrees/a/gitdir", `${root}/.git\n`);
    put(root, ".git", `gitdir: ${home}/dev/main/.git/worktrees/a\n`);
    expect((await inside(root, "cat ../main/.git/HEAD; ls -A ../main")).output).toBe("main\n.git\n");
    put(home, "dev/main/.git/modules/b/config", "[core]\n\tworktree = ../../../../project\n");
    put(root, ".git", `gitdir: ../main/.git/modules/b\n`);
    expect((await inside(root, "ls -A ../main/.git/modules/b; ls -A ../main/.git")).output).toBe("config\nmodules\n");
  });

  test("is also hidden for a workspace elsewhere, and so are the folders beside that", async () => {
    const place = folderElsewhere();
    const root = join(place, "group/project");
    mkdirSync(root, { recursive: true });
    mkdirSync(join(root, ".git"));
    put(place, "group/other/.env", "other\n");
    expect((await inside(root, `ls -A ..`)).output).toBe("project\n");
  });
});

describe.skipIf(!finding.ok)(`secrets of the workspace${why}`, () => {
  test("are empty at any depth, and whole if the wall is opened", async () => {
    const root = folder();
    for (const path of [".env", "a/b/.env.local", "a/server.pem", "a/.ssh/id_ed25519"]) put(root, path, "SECRET\n");
    put(root, "a/.env.example", "SAMPLE\n");
    const command = "grep -rh . . ; cat .env a/b/.env.local";
    expect((await inside(root, command)).output).toBe("SAMPLE\n");
    expect((await inside(root, command, { opens: ["secrets"] })).output.match(/SECRET/g)).toHaveLength(6);
    expect((await inside(root, "echo x > .env; mv .env b; rm a/server.pem")).output).not.toBe("");
    expect(readFileSync(join(root, ".env"), "utf8")).toBe("SECRET\n");
  });

  test("are empty in a folder of protected files as well", async () => {
    const root = folder();
    for (const path of [".devcontainer/.env", "a/.husky/b/.env"]) put(root, path, "SECRET\n");
    const { output, exit } = await inside(root, "cat .devcontainer/.env a/.husky/b/.env; echo 1 > a/.husky/b/c");
    expect(output).toMatch(/^[^\n]*Read-only file system\n$/);
    expect(exit.how === "exited" && exit.setAside).toBeUndefined();
  });

  test("stay empty if a command moves the folder that they are in", async () => {
    const root = folder();
    put(root, "a/.env", "SECRET\n");
    expect((await inside(root, "mv a b; cat b/.env a/.env 2>/dev/null; :")).output).toBe("");
  });

  test("that rules forbid are hidden whatever is opened", async () => {
    const root = folder();
    put(root, "secret/key", "SECRET\n");
    put(root, "open/key", "open\n");
    const forbids = (access: string, path: string): boolean =>
      access === "read" && path.startsWith(join(root, "secret"));
    const opens: readonly OpenableWall[] = ["secrets", "home", "protected", "network"];
    expect((await inside(root, "cat secret/key open/key", { forbids, opens })).output).toMatch(/^cat: .*\nopen\n$/);
  });
});

describe.skipIf(!finding.ok)(`protected files${why}`, () => {
  test("can't be changed, at any depth", async () => {
    const root = folder();
    const kept = [
      ...[".lastcallignore", "lastcall.config.yaml", "AGENTS.md", ".kiro/x", ".zed/tasks.json", "opencode.json"],
      ...["a/b/AGENTS.md", "a/.vscode/tasks.json", "a/.githooks/pre-commit", ".vimrc", ".config/git/config"],
    ];
    for (const path of kept) put(root, path, "kept");
    for (const path of kept)
      await inside(root, `echo x > ${path}; rm -rf ${path}; mv ${path} gone; sed -i s/kept/x/ ${path}`);
    for (const path of kept) expect(readFileSync(join(root, path), "utf8"), path).toBe("kept");
  });

  test("that rules forbid to write can't be changed either", async () => {
    const root = folder();
    put(root, "test/a.test.ts", "kept");
    const forbids = (access: string, path: string): boolean => access === "write" && path.endsWith("/test");
    expect((await inside(root, "echo x > test/a.test.ts; echo x > test/b", { forbids })).output).toMatch(/Read-only/);
    expect(readFileSync(join(root, "test/a.test.ts"), "utf8")).toBe("kept");
  });

  test("that a command makes are renamed after it, and it is told", async () => {
    const root = folder();
    put(root, "src/a.ts", "a");
    const made = [".vscode/tasks.json", "src/AGENTS.md", "src/deep/.git/config", ".envrc"];
    const command = made.map((path) => `mkdir -p $(dirname ${path}); echo x > ${path}`).join("; ");
    const { exit } = await inside(root, `${command}; echo y > src/b.ts`);
    expect([...(exit.setAside ?? [])].sort()).toEqual(
      [".envrc", ".vscode", "src/AGENTS.md", "src/deep/.git"].map((path) => join(root, path)),
    );
    for (const path of made) expect(existsSync(join(root, path)), path).toBe(false);
    expect(readFileSync(join(root, "src/b.ts"), "utf8")).toBe("y\n");
    expect(readFileSync(join(root, ".vscode.unasked/tasks.json"), "utf8")).toBe("x\n");
    expect((await inside(root, "echo z > .envrc")).exit.setAside).toEqual([join(root, ".envrc")]);
    expect(readFileSync(join(root, ".envrc.unasked-2"), "utf8")).toBe("z\n");
    const opened = await inside(root, command, { opens: ["protected"] });
    expect(opened.exit.setAside).toBe(undefined);
    expect(existsSync(join(root, ".vscode/tasks.json"))).toBe(true);
  });

  test("that are moved away and made anew are renamed, and the moved one stays", async () => {
    const root = folder();
    put(root, "a/AGENTS.md", "kept");
    const { exit } = await inside(root, "mv a b && mkdir a && echo evil > a/AGENTS.md");
    expect(exit.setAside).toEqual([join(root, "a/AGENTS.md")]);
    expect(readFileSync(join(root, "b/AGENTS.md"), "utf8")).toBe("kept");
  });

  test("that a person saves during a command stay: it was taken for the command's", async () => {
    const root = folder();
    put(root, "AGENTS.md", "kept");
    const running = inside(root, "touch started; while ! test -e saved; do sleep 0.02; done");
    while (!existsSync(join(root, "started"))) await sleep(10);
    // Editors write another file and rename it.
    put(root, "new", "the person's");
    renameSync(join(root, "new"), join(root, "AGENTS.md"));
    put(root, "saved", "");
    expect((await running).exit.setAside).toBe(undefined);
    expect(readFileSync(join(root, "AGENTS.md"), "utf8")).toBe("the person's");
  });

  test("that are links lead where they led", async () => {
    const root = folder();
    put(root, "AGENTS.md", "kept");
    symlinkSync("AGENTS.md", join(root, "CLAUDE.md"));
    await inside(root, "rm CLAUDE.md && echo evil > CLAUDE.md");
    expect(lstatSync(join(root, "CLAUDE.md")).isSymbolicLink() && readlinkSync(join(root, "CLAUDE.md"))).toBe(
      "AGENTS.md",
    );
    await inside(root, "rm CLAUDE.md");
    expect(readlinkSync(join(root, "CLAUDE.md"))).toBe("AGENTS.md");
  });

  test.skipIf(!has("git"))(`are all of git's data, so what was committed stays${without("git")}`, async () => {
    const root = folder();
    const git = (...words: string[]): string =>
      spawnSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...words], { cwd: root, encoding: "utf8" }).stdout;
    git("init", "-q");
    put(root, "a", "1\n");
    git("add", "a");
    git("commit", "-qm", "first");
    const before = git("rev-parse", "HEAD");
    await inside(
      root,
      "rm -rf .git; git update-ref -d HEAD; git reset -q --hard; git checkout -qb x; rm -rf .git/objects",
    );
    expect(git("rev-parse", "HEAD")).toBe(before);
    const who = "-c user.name=a -c user.email=a@b";
    const commit = `echo 2 > a && git ${who} commit -qam second && git log --format=%s`;
    expect((await inside(root, commit)).output).toMatch(/Read-only file system/);
    expect((await inside(root, commit, { opens: ["protected"] })).output).toBe("second\nfirst\n");
    expect((await inside(root, "git config core.fsmonitor ./x", { opens: ["protected"] })).output).not.toBe("");
  });

  test("do not divide the workspace: files are renamed across the folders above them", async () => {
    const root = folder();
    put(root, "packages/a/AGENTS.md", "kept");
    put(root, "packages/a/.env", "kept");
    put(root, "packages/a/x", "x");
    const rename = `${process.execPath} -e 'require("fs").renameSync("packages/a/x", "y")'`;
    expect((await inside(root, `${rename} && cat y`)).output).toBe("x");
  });
});

describe.skipIf(!finding.ok)(`a wall${why}`, () => {
  test("is listed by the shell that has it", () => {
    const root = folder();
    expect(bubblewrap({ root, writable: true }).walls).toEqual(["files", "protected", "network", "home", "secrets"]);
    expect(bubblewrap({ root, writable: false, network: true }).walls).toEqual([
      ...["files", "workspace", "protected", "home", "secrets"],
    ]);
  });

  test("around keys of the system holds for root as well", async () => {
    const { output } = await inside(
      folder(),
      "cat /etc/shadow /etc/gshadow /etc/ssh/ssh_host_*_key; ls /etc/ssl/private /etc/wireguard /var/backups | grep -v :",
      { opens: ["home"] },
    );
    expect(output.split("\n").filter((line) => line !== "" && !/^(?:cat|ls): /.test(line))).toEqual([]);
  });

  test.skipIf(isHere)(`keeps commands from sockets of other programs, wherever these are${whyNot}`, async () => {
    const { root } = live();
    const place = join(folderElsewhere(), "x.sock");
    const server = createServer((client) => client.end("REACHED\n"));
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(place, resolve));
    const script = `require("net").connect(process.argv[1]).on("data", (data) => process.stdout.write(data)).on("error", (error) => console.log(error.code))`;
    const command = `'${process.execPath}' -e '${script}' '${place}'`;
    expect((await inside(root, command, { opens: ["home", "network"] })).output).toMatch(
      /ECONNREFUSED|ENOENT|ENOTSOCK/,
    );
  });

  test.skipIf(isHere)(
    `is made again if the socket of another program is gone when it is mounted${whyNot}`,
    async () => {
      const { root } = live();
      const place = join(folderElsewhere(), "x.sock");
      const server = createServer();
      onTestFinished(() => void server.close());
      await new Promise<void>((resolve) => server.listen(place, resolve));
      const programs = folder();
      const program = put(
        programs,
        "bwrap",
        `#!/bin/sh\nrm -f '${place}'\nexec '${findProgram("bwrap", "bubblewrap", root)}' "$@"\n`,
      );
      chmodSync(program, 0o755);
      vi.stubEnv("PATH", `${programs}:${process.env["PATH"] ?? ""}`);
      expect((await inside(root, "echo done", { opens: ["home"] })).output).toBe("done\n");
      expect(existsSync(place)).toBe(false);
    },
  );

  test("that was closed for one command after it was opened for another is closed", async () => {
    const root = folder();
    put(root, ".env", "SECRET\n");
    expect((await inside(root, "cat .env", { opens: ["secrets"] })).output).toBe("SECRET\n");
    expect((await inside(root, "cat .env")).output).toBe("");
  });

  test("holds for a workspace that was moved since the shell was made", async () => {
    const root = join(folder(), "work");
    put(root, ".env", "SECRET\n");
    const shell = bubblewrap({ root, writable: true });
    renameSync(root, `${root}-old`);
    put(root, ".env", "NEW\n");
    const chunks: Uint8Array[] = [];
    const environment = { PATH: process.env["PATH"] ?? "" };
    await shell.run(
      { command: "cat .env", folder: root, environment, seconds: 10, onOutput: (chunk) => void chunks.push(chunk) },
      new AbortController().signal,
    );
    expect(Buffer.concat(chunks).toString()).toBe("");
    rmSync(`${root}-old`, { recursive: true });
    expect(basename(root)).toBe("work");
  });
});
