// Installs the programs that some tests need besides Node and a shell. It needs npm, and root and apt-get for most of them. Without the programs these tests are left out.

import { spawnSync } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { bringFramework, cacheFolder, frameworks } from "./runtimes/bring.mjs";

/** Each program with its Debian package. */
const programs = [
  ["bwrap", "bubblewrap"],
  ["rg", "ripgrep"],
  ["git", "git"],
  ["strace", "strace"],
  ["zsh", "zsh"],
  ["chromium-headless-shell", "chromium-headless-shell"],
  ["initdb", "postgresql"],
];

/** Debian keeps the programs of each version of Postgres in a folder of its own. */
const ofPostgres = () => {
  const folder = "/usr/lib/postgresql";
  return existsSync(folder) ? readdirSync(folder).map((version) => join(folder, version, "bin")) : [];
};
const folders = () => [...(process.env["PATH"] ?? "").split(delimiter), ...ofPostgres()];
const isThere = (program) => folders().some((folder) => existsSync(join(folder, program)));
const missing = () => programs.filter(([program]) => !isThere(program)).map(([, name]) => name);

function aptGet(...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync("apt-get", ["-qq", ...args], { env, stdio: "ignore", timeout: 120_000 }).status === 0;
}

if (missing().length > 0 && process.getuid() === 0) {
  if (!aptGet("install", "-y", ...missing())) {
    aptGet("update");
    // One by one: a package that is not to be had holds up no other.
    if (!aptGet("install", "-y", ...missing())) for (const name of missing()) aptGet("install", "-y", name);
  }
}

/** The server of Restate: a package of npm that is too large for the development dependencies. Its scripts, which report uses, do not run. */
const restate = join(import.meta.dirname, "../test/.cache/restate");
const server = `@restatedev/restate-server-${process.platform}-${process.arch}`;
const hasRestate = () => existsSync(join(restate, "node_modules", server, "bin/restate-server"));
if (!hasRestate()) {
  const args = ["install", "--prefix", restate, "--ignore-scripts", "--no-audit", "--no-fund", `${server}@1.7.12`];
  spawnSync("npm", args, { stdio: "ignore", timeout: 300_000 });
}

/** Brings a framework for test/server/built-mounts.slow.test.ts. Returns whether it is there. */
function hasFramework(name) {
  try {
    return bringFramework(name, cacheFolder()) !== undefined;
  } catch {
    // npm has said why.
    return false;
  }
}
/** A check in which the test has no turn leaves them out: they have 460 MB. */
const areWanted = !process.argv.includes("--without-frameworks");
const absent = areWanted ? Object.keys(frameworks).filter((name) => !hasFramework(name)) : [];

const left = [...missing(), ...(hasRestate() ? [] : ["restate-server"]), ...absent];
console.log(
  left.length === 0
    ? "All programs are installed."
    : `Not installed: ${left.join(", ")}. The tests that need them are left out.`,
);
