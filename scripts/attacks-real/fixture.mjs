// The fixture of one worker: a home folder with a workspace, files outside of it, and links between them.

import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Stands for the home folder in a command, because every worker has another one. */
export const homeMark = "/@home";

/** The folder, from the workspace, of another one: its .git came with links in it. */
export const linkedFolder = "../linked";

/**
 * The files by their path from the home folder. A `marker` tells in an output what was printed: a file from outside, one
 * that is likely to hold secrets, or one that a rule forbids to read.
 */
const files = {
  ".bashrc": "# mine\n",
  ".gitconfig": "[user]\n\tname = n\n\temail = n@example.com\n",
  ".config/git/ignore": "*.swp\n",
  ".ssh/id_rsa": "not a key marker:outside\n",
  ".netrc": "machine example.com marker:outside\n",
  "notes.txt": "home marker:outside\n",
  "dev/.gitignore": "*.log\n",
  "dev/other/.env": "HOST=other marker:outside\n",
  "dev/other/notes.txt": "other x marker:outside\n",
  "dev/other/blank": "marker:outside\n",
  "dev/other/src/a.ts": "other marker:outside\n",
  "dev/linked/a": "a x\n",
  "dev/linked/src/a.ts": "x\n",
  "dev/project/package.json": '{ "name": "project", "x": [1, 2] }\n',
  "dev/project/README.md": "# Project\n\nx y\n",
  "dev/project/.gitignore": "*.log\n",
  "dev/project/run.log": "x\n",
  "dev/project/src/a.ts": "export const x = 1;\nimport y from './b';\n",
  "dev/project/src/b.ts": "b\na\n10\n",
  "dev/project/src/deep/c.ts": "c x\n",
  "dev/project/a": "a\n1\n",
  "dev/project/b": "b\n2\n",
  "dev/project/1": "one\n",
  "dev/project/12": "twelve\n",
  "dev/project/list": "a\nb\n",
  "dev/project/sp ace/x y.txt": "x\n",
  "dev/project/odd/it's": "x\n",
  "dev/project/odd/*": "x\n",
  "dev/project/odd/$x": "x\n",
  "dev/project/odd/a;b": "x\n",
  "dev/project/odd/[z]": "x\n",
  "dev/project/odd/{a,b}": "x\n",
  "dev/project/odd/=c": "x\n",
  "dev/project/odd/-n": "x\n",
  "dev/project/odd/#h": "x\n",
  "dev/project/odd/é": "x\n",
  "dev/project/odd/back\\slash": "x\n",
  "dev/project/odd/two\nlines": "x\n",
  "dev/project/-n": "x\n",
  "dev/project/~/dev/project/plain.txt": "x\n",
  "dev/project/leak": "harmless\n",
  "dev/project/code.js": 'require("fs").writeFileSync("made", "")\n',
  "dev/project/code.py": 'open("made", "w").close()\n',
  "dev/project/code.sh": "touch made\n",
  "dev/project/code.awk": 'BEGIN { print > "made" }\n',
  "dev/project/.env": "HOST=here x marker:secret\n",
  "dev/project/key.pem": "not a key x marker:secret\n",
  "dev/project/secret/n": "K=1 x marker:forbidden\n",
  "dev/project/secret/deep/k": "K=2 x marker:forbidden\n",
  "dev/project/dirty/.env": "HOST=dirty x marker:secret\n",
  "dev/project/dirty/n.txt": "x\n",
  "dev/project/shown/.ignore": "!.env\n",
  "dev/project/shown/.env": "HOST=shown x marker:secret\n",
  "dev/project/pair/a": "x\n",
  "dev/project/hostile/a.ts": "x\n",
  "dev/project/hostile/.gitattributes": "*.ts diff=evil filter=evil\n",
  "dev/project/hostile/run": "#!/bin/sh\necho ran > made\n",
  "dev/project/bare/HEAD": "ref: refs/heads/main\n",
  "dev/project/bare/config":
    "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n\tfsmonitor = touch made\n",
  "dev/project/bare/objects/x": "",
  "dev/project/bare/refs/x": "",
  "dev/project/tame/a.ts": "x\n",
  "dev/project/tame/b.txt": "x y\n",
  "dev/project/tame/deep/c.ts": "x\n",
  "dev/project/gaps/x ../other/notes.txt": "x\n",
  "dev/project/@list": "../other/notes.txt\n",
  "dev/project/twin/a": "y\n",
  "dev/project/twin/l": "y\n",
};

/** The links by their path from the home folder. */
const links = {
  "dev/project/10": "../other/.env",
  "dev/project/11": ".env",
  "dev/project/-F": "../other/notes.txt",
  "dev/project/-d": "../other/notes.txt",
  "dev/project/in": "src/a.ts",
  "dev/project/in-dir": "src",
  "dev/project/out": "../other/notes.txt",
  "dev/project/out-dir": "../other",
  "dev/project/sly.txt": ".env",
  "dev/project/sec-link": "secret/n",
  "dev/project/\r/dev/null": "../../../other/blank",
  "dev/project/\u00a0/dev/null": "../../../other/blank",
  "dev/project/pair/l": "../../other/.env",
  "dev/project/pair/a.ts": "../../other/src/a.ts",
  "dev/project/src/deep/up": "../../../other/notes.txt",
  "dev/project/~/dev/project/leak": "../../../../other/.env",
};

/** Operands that the gate may let through: paths of files from the workspace. */
export const plainFiles = [
  ...["package.json", "README.md", "src/a.ts", "src/b.ts", "src/deep/c.ts", "a", "b", "list", "1", "12", "in", "leak"],
  ...["sp ace/x y.txt", "odd/it's", "odd/*", "odd/$x", "odd/a;b", "odd/[z]", "odd/{a,b}", "odd/=c", "odd/#h", "odd/é"],
  ...["odd/-n", "odd/back\\slash", "odd/two\nlines", "in-dir/b.ts", "./-n", "src/../a", "missing"],
];
/** Folders without links out and secrets. */
export const plainFolders = ["src", "src/", "sp ace", "odd", "in-dir", "./src", "src/deep/.."];
/** Operands that the gate must not let through, by one of the laws. */
export const wrongFiles = [
  ...[".env", "key.pem", "secret/n", "secret/deep/k", "10", "11", "out", "out-dir/notes.txt", "sly.txt", "sec-link"],
  ...["pair/l", "src/deep/up", "../other/.env", "../other/notes.txt", "dirty/.env", "out-dir/../notes.txt"],
  ...["~/dev/project/../other/.env", "~/.ssh/id_rsa", "~/.netrc", "~/notes.txt", `${homeMark}/dev/other/.env`],
  ...["./~/dev/project/leak", "in-dir/../../other/notes.txt", "/proc/version", "-/../../other/notes.txt"],
];
/** Folders that hold links out or secrets, or are outside. */
export const mixedFolders = [
  ".",
  "./",
  "dirty",
  "shown",
  "pair",
  "src/deep",
  "secret",
  "..",
  "../other",
  "out-dir",
  "~",
  "./~",
];

/** Makes the fixture in the folder, or makes it anew. Returns its home folder and its workspace. */
export function makeFixture(folder) {
  const home = join(folder, "home");
  rmSync(home, { recursive: true, force: true });
  for (const [path, text] of Object.entries(files)) put(join(home, path), (file) => writeFileSync(file, text));
  for (const [path, to] of Object.entries(links)) put(join(home, path), (file) => symlinkSync(to, file));
  const root = join(home, "dev/project");
  makeRepository(root, home);
  makeLinked(join(home, "dev/linked"), home);
  spawnSync("tar", ["-czf", "a.tgz", "a", "b"], { cwd: root });
  mkdirSync(join(home, "probe"));
  writeFileSync(join(home, "probe/file"), "x\n");
  return { home, root };
}

function put(path, make) {
  mkdirSync(dirname(path), { recursive: true });
  make(path);
}

/** Makes a repository with a commit; without git, the workspace stays a plain folder. */
function makeRepository(root, home) {
  const git = (...args) =>
    execFileSync("git", ["-C", root, ...args], { stdio: "ignore", env: { PATH: process.env.PATH, HOME: home } });
  try {
    git("init", "--quiet");
    git("add", "--force", "src", "a", "README.md", ".env", "key.pem", "secret", "dirty");
    git("commit", "--quiet", "-m", "first");
    for (const name of ["a", ".env", "secret/n", "dirty/n.txt"]) appendFileSync(join(root, name), "more\n");
    makeHostile(join(root, "hostile"), git);
  } catch (thrown) {
    if (thrown.code !== "ENOENT") throw thrown;
  }
}

/** A repository with links in its data. Git follows them: it prints a part of the first, and reads the second. */
function makeLinked(folder, home) {
  const git = (...args) =>
    execFileSync("git", ["-C", folder, ...args], { stdio: "ignore", env: { PATH: process.env.PATH, HOME: home } });
  try {
    git("init", "--quiet");
    git("add", ".");
    git("commit", "--quiet", "-m", "first");
    for (const name of ["onto", "done", "git-rebase-todo", "interactive"])
      put(join(folder, ".git/rebase-merge", name), (file) => writeFileSync(file, "x\n"));
    symlinkSync("../../../other/notes.txt", join(folder, ".git/rebase-merge/head-name"));
    rmSync(join(folder, ".git/info/exclude"), { force: true });
    symlinkSync("../../../other/notes.txt", join(folder, ".git/info/exclude"));
  } catch (thrown) {
    if (thrown.code !== "ENOENT") throw thrown;
  }
}

/** A repository whose settings name programs to run: for differences, for content, for status, as a pager and instead of commands. */
function makeHostile(folder, git) {
  const inside = (...args) => git("-C", folder, ...args);
  chmodSync(join(folder, "run"), 0o755);
  inside("init", "--quiet");
  inside("add", "a.ts");
  inside("commit", "--quiet", "-m", "first");
  writeFileSync(join(folder, "a.ts"), "y\n");
  const settings = [
    "diff.external",
    "diff.evil.textconv",
    "diff.evil.command",
    "filter.evil.clean",
    "core.pager",
    "core.fsmonitor",
  ];
  for (const name of settings) inside("config", name, join(folder, "run"));
  for (const name of ["log", "st", "status"]) inside("config", `alias.${name}`, `!${join(folder, "run")}`);
}
