// A workspace in a home folder, and a command that exchanges folders and links in it all the time.

import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { has } from "../programs.js";
import { folderElsewhere } from "../shell/sandboxes.js";

/** A home folder with keys, and a workspace in it. */
export interface Contested {
  readonly home: string;
  readonly root: string;
  /** A workspace within the workspace. */
  readonly inner: string;
  /** @throws Error if anything in the home folder, outside of the workspace, is not as it was. */
  expectUntouched(): void;
}

const put = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

/** Makes the folders. The keys outside hold `HOMEKEY`, those of the workspace `INSIDEKEY`. */
export function contested(): Contested {
  const home = folderElsewhere();
  const root = join(home, "dev/project");
  for (const name of [".bashrc", ".profile", ".netrc", ".envrc", ".claude/x", ".env", "m/.env", "trap/app/file"])
    put(join(home, name), `HOMEKEY in ${name}\n`);
  for (const name of ["d/.env", "p1/m/.env", "q/deep/m/id_rsa"]) put(join(root, name), `INSIDEKEY in ${name}\n`);
  for (const name of ["d/.claude/x", "d/.vscode/x", "evil.sh", "packages/app/file", "p2/x"])
    put(join(root, name), "x\n");
  for (const name of ["pry.sh", "packages/app/pry.sh"]) put(join(root, name), script);
  symlinkSync("../..", join(root, "s"));
  symlinkSync("../../trap", join(root, "other"));
  const before = stateOf(home);
  return {
    home,
    root,
    inner: join(root, "packages/app"),
    expectUntouched() {
      expect(stateOf(home)).toEqual(before);
    },
  };
}

/** Every file, folder and link of the home folder but for the workspace, with its content. */
function stateOf(home: string): readonly string[] {
  const look = (folder: string): readonly string[] =>
    readdirSync(folder).flatMap((name) => {
      const path = join(folder, name);
      if (path === join(home, "dev")) return [];
      const stats = lstatSync(path);
      if (stats.isDirectory()) return [`${path}/ ${String(stats.mode)}`, ...look(path)];
      if (stats.isSymbolicLink()) return [`${path} -> ${readlinkSync(path)}`];
      return [`${path} ${createHash("sha256").update(readFileSync(path)).digest("hex")}`];
    });
  return look(home).toSorted();
}

/** In perl, which has the system call that exchanges two names at one moment. */
const inPerl = String.raw`
my $call = (qx(uname -m) =~ /aarch64/) ? 276 : 316;
my ($d, $s, $p, $o) = qw(d s packages other);
for (my $n = 0; ; $n++) {
  symlink "$ENV{PWD}/evil.sh", "d/.bashrc";
  symlink "$ENV{PWD}/evil.sh", "d/.zshrc";
  syscall $call, -100, $d, -100, $s, 2;
  rename "p1/m", "p2/m"; rename "q/deep", "q/m";
  syscall $call, -100, $p, -100, $o, 2;
  select undef, undef, undef, rand 0.01;
  syscall $call, -100, $p, -100, $o, 2;
  rename "p2/m", "p1/m"; rename "q/m", "q/deep";
  select undef, undef, undef, rand 0.02 if $n % 3;
}`;

const inNode = `
const { renameSync, symlinkSync } = require("node:fs");
const quiet = (work) => { try { work(); } catch {} };
const exchange = (a, b) => quiet(() => { renameSync(a, "tmp-x"); renameSync(b, a); renameSync("tmp-x", b); });
const rest = () => { const end = performance.now() + 8 * Math.random(); while (performance.now() < end); };
for (;;) {
  quiet(() => symlinkSync(process.cwd() + "/evil.sh", "d/.bashrc"));
  exchange("d", "s");
  quiet(() => renameSync("p1/m", "p2/m"));
  exchange("packages", "other"); rest(); exchange("packages", "other");
  quiet(() => renameSync("p2/m", "p1/m")); rest();
}`;

/** The command that exchanges until it is ended. It makes the file `began` first. */
export const exchanging = `: > began; exec ${has("perl") ? `perl -e '${inPerl}'` : `node -e '${inNode}'`}`;

/** A script that prints every key that it finds, inside and outside, and changes what it can. */
const script = `echo mine > mine
for path in d/.env d/.claude/x s/.claude/x ~/.claude/x ~/.netrc ~/.env m/.env p1/m/.env p2/m/.env q/*/m/id_rsa q/m/m/id_rsa s/.env \\
  other/app/file packages/app/file ../*/file ../../*/.env; do cat $path; done 2>/dev/null
true
`;

/** The command that runs it. Its words need no wall open. */
export const prying = "sh pry.sh";
