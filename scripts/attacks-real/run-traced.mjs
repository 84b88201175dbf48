// Runs commands one after the other under strace, each in a shell of its own, as run_command does.

import { spawn } from "node:child_process";
import { accessSync, constants, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { readTrace } from "./read-trace.mjs";

/** The calls that read, change, start or connect something. */
const calls = [
  ..."execve execveat open openat openat2 creat connect bind sendto write writev pwrite64".split(" "),
  ..."unlink unlinkat rename renameat renameat2 mkdir mkdirat rmdir link linkat symlink symlinkat mknod mknodat".split(
    " ",
  ),
  ..."truncate ftruncate chmod fchmod fchmodat chown lchown fchown fchownat mount umount2 setxattr kill ptrace".split(
    " ",
  ),
  ..."fork vfork clone clone3".split(" "),
];

/** Milliseconds without a traced call after which a command counts as hung. */
const patience = 8000;

/** The path of a program on PATH; undefined if it is not there. */
export function find(program) {
  return (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return statSync(file).isFile();
      } catch {
        return false;
      }
    });
}

/** The program of a shell, and the name that it runs under; by the name in `--shells`. A shell looks at its name to know the rules that it follows. */
export function shellOf(name) {
  const [program, as] = name.split("-as-");
  return { program, as: as ?? (program === "bash" ? "bash" : "sh") };
}

/** Links every shell under its name. Returns their paths. */
export function linkShells(folder, names) {
  return new Map(
    names.flatMap((name) => {
      const { program, as } = shellOf(name);
      const file = find(program);
      if (file === undefined) return [];
      const place = join(folder, "shells", name);
      mkdirSync(place, { recursive: true });
      rmSync(join(place, as), { force: true });
      symlinkSync(file, join(place, as));
      return [[name, join(place, as)]];
    }),
  );
}

/**
 * Runs the commands `{ text, folder }` in the shell. Returns for each the calls that it made, or that it was hung after
 * these calls.
 */
export async function runTraced(commands, { shell, environment, scratch }) {
  const results = [];
  while (results.length < commands.length) {
    const rest = commands.slice(results.length);
    const { isHung, trace } = await runOnce(rest, { shell, environment, scratch });
    const runs = readTrace(trace);
    if (!isHung && runs.length !== rest.length)
      throw new Error(
        `${runs.length} of ${rest.length} commands left a trace. The last one: ${rest[runs.length]?.text}`,
      );
    if (runs.length === 0) throw new Error(`strace traced nothing: ${trace.slice(0, 500)}`);
    results.push(...runs.map((calls, index) => ({ calls, isHung: isHung && index === runs.length - 1 })));
  }
  return results;
}

/** The script that starts every command as run_command does: with `-c --`, an empty input and one stream for all output. */
function scriptFor(commands, shell) {
  const quoted = (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`;
  return `exec 2>&1\n${commands.map(({ text, folder }) => `cd ${quoted(folder)}\n${quoted(shell)} -c -- ${quoted(text)}\n`).join("")}exit 0\n`;
}

async function runOnce(commands, { shell, environment, scratch }) {
  const [script, log] = [join(scratch, "script"), join(scratch, "trace")];
  writeFileSync(script, scriptFor(commands, shell));
  rmSync(log, { force: true });
  const options = [
    "--seccomp-bpf",
    "-f",
    "-qq",
    "-y",
    "-s",
    "65536",
    "-e",
    `trace=${calls.join(",")}`,
    "-e",
    "signal=none",
  ];
  const child = spawn("strace", [...options, "-o", log, "/bin/sh", script], {
    cwd: scratch,
    env: environment,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said = [];
  // Output goes to a pipe as it does for the agent: programs may do less if it goes to /dev/null.
  child.stdout.resume();
  child.stderr.on("data", (chunk) => said.push(chunk));
  const isHung = await untilClosed(child, log);
  try {
    return { isHung, trace: readFileSync(log, "latin1") };
  } catch (thrown) {
    throw new Error(`strace left no trace: ${Buffer.concat(said).toString() || thrown.message}`, { cause: thrown });
  }
}

/** Bytes of a trace after which a command counts as one that never ends. */
const longestTrace = 200_000_000;

/** Waits until the process has ended. Ends it if its trace does not grow any more, or without end; returns whether that was so. */
function untilClosed(child, log) {
  return new Promise((resolve, reject) => {
    let [size, since, isHung] = [-1, Date.now(), false];
    const watch = setInterval(() => {
      const now = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
      if (now !== size) [size, since] = [now, Date.now()];
      if ((Date.now() - since < patience && size < longestTrace) || isHung) return;
      isHung = true;
      process.kill(-child.pid, "SIGKILL");
    }, 200);
    child.once("error", reject);
    child.once("close", () => {
      clearInterval(watch);
      resolve(isHung);
    });
  });
}
