// The files that programs open by themselves, whatever their arguments: libraries, locales, and what measuring each program shows.

import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { find, runTraced } from "./run-traced.mjs";
import { readingOf } from "./compare.mjs";

/** The folders of the system that hold programs, libraries, locales and time zones. Nothing in them is private. */
const ofTheSystem =
  /^\/(?:usr|lib|lib64|bin|sbin)\/|^\/etc\/(?:ld\.so\.\w+|locale\.alias|alternatives\/[^/]+)$|^\/dev\/null$|^\/sys\/devices\/system\/cpu\/|^\/proc\/(?:cpuinfo|meminfo|stat|tty\/drivers|sys\/vm\/overcommit_memory)$/;

/** What measuring may find besides. Anything else counts as a difference, even if a program opens it without being told. */
const measurable = /^\/(?:etc|proc|sys|run|var\/run|dev)(?:\/|$)/;

/** The settings of git, and the files by which it and search programs know what to leave out, in every folder above and at home. */
const ignoreFiles =
  /^\/etc\/gitconfig$|\/(?:\.gitignore|\.ignore|\.rgignore|\.gitconfig|\.config\/git\/(?:ignore|config))$/;
const readsIgnoreFiles = /\/(?:rg|git)$/;

/** The files with the names of users, which tar shows beside each file. */
const userNames = /^\/etc\/(?:nsswitch\.conf|passwd|group)$/;

/** One name for the folder of any process in /proc. */
export function steady(path) {
  return path.replace(/^\/proc\/\d+(?:\/task\/\d+)?\//, "/proc/self/");
}

/** Returns a function that says whether the program may open the file by itself. `measured` has the result of `measure`. */
export function ownFiles(measured) {
  const known = new Map(measured.map(([program, files]) => [program, new Set(files)]));
  return (program, path) =>
    ofTheSystem.test(path) ||
    known.get(program)?.has(steady(path)) === true ||
    // The libraries of a program that is installed in a folder of its own.
    path.startsWith(resolve(program, "../../lib/")) ||
    (program.endsWith("/tar") && userNames.test(path)) ||
    (readsIgnoreFiles.test(program) && ignoreFiles.test(path));
}

/**
 * Runs each program of the table without operands, with `--version` and with each of its options, and each shell with
 * nothing to do. Returns the files of the system that each opened.
 */
export async function measure(table, { probe, shells, environment, scratch }) {
  const opened = new Map();
  mkdirSync(scratch, { recursive: true });
  for (const [name, shell] of shells) {
    const commands = ["true", "pwd", ...(name === [...shells.keys()][0] ? probesOf(table) : [])];
    const placed = commands.map((text) => ({ text, folder: probe }));
    for (const { calls } of await runTraced(placed, { shell, environment, scratch })) {
      for (const call of calls) {
        const path = readingOf(call);
        if (path === undefined || ofTheSystem.test(path) || path === probe || path.startsWith(`${probe}/`)) continue;
        if (readsIgnoreFiles.test(call.program) && ignoreFiles.test(path)) continue;
        if (!measurable.test(path)) continue;
        if (!opened.has(call.program)) opened.set(call.program, new Set());
        opened.get(call.program).add(steady(path));
      }
    }
  }
  return [...opened].map(([program, files]) => [program, [...files].sort()]);
}

function probesOf(table) {
  return table.flatMap(([name, { flags = "", valued = "", long = [], whole = [], isBuiltIn, maxWords, runBy }]) => {
    if (isBuiltIn || find(name) === undefined) return [];
    // A program that another one runs is slow to start.
    if (runBy !== undefined) return [`${name} --version`];
    const options = [
      ...[...flags].map((flag) => `-${flag}`),
      ...[...valued].flatMap((flag) => [`-${flag} 1`, `-${flag} root`]),
      ...long.map((one) => (one.endsWith("=") ? `--${one}1` : `--${one}`)),
    ];
    const operand = maxWords === 0 ? "" : " file";
    const late = whole.map((one) => (one.endsWith("=") ? `${one.slice(0, -1)} 1` : one));
    return [
      name,
      `${name} --version`,
      ...options.map((option) => `${name} ${option}${operand}`),
      ...late.map((option) => `${name}${operand} ${option}`),
    ];
  });
}
