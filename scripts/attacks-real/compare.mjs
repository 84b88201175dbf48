// Compares the calls of a command with what the gate believed about it.

import { statSync } from "node:fs";
import { relative, resolve } from "node:path";
import { stringsIn, decode } from "./read-trace.mjs";

/** Calls that change something, by the words to tell it. */
const changing =
  /^(?:creat|unlink(?:at)?|rename(?:at2?)?|mkdir(?:at)?|rmdir|link(?:at)?|symlink(?:at)?|mknod(?:at)?|f?truncate|f?chmod(?:at)?|[lf]?chown(?:at)?|mount|umount2|setxattr|kill|ptrace)$/;

/** The real path that a call opened for reading; undefined if it did not. */
export function readingOf({ name, args, result }) {
  if (!name.startsWith("open") || isWriting(args)) return undefined;
  // A descriptor of a path only (`O_PATH`) reads nothing.
  const path = /^\d+<(.*?)>(?:\(deleted\))?$/s.exec(result)?.[1];
  return path === undefined || /\bO_PATH\b/.test(args) || !path.startsWith("/") ? undefined : decode(path);
}

function isWriting(args) {
  return /\bO_(?:WRONLY|RDWR|CREAT|TRUNC|APPEND)\b/.test(args);
}

/**
 * The differences between the belief and the calls, as `{ kind, what, program }`. The belief: `argvs` are the argument
 * lists that the gate judged, undefined if it does not tell them; `root` is the workspace; `isSecret` and `isForbidden`
 * take a path from the workspace; `isOwn` says which files a program opens by itself; `starts` which program it starts by
 * itself; `asksForFolder` is true for `pwd`.
 */
export function differences(calls, belief) {
  return calls.flatMap((call) => {
    const found = differenceOf(call, belief);
    return found === undefined ? [] : [{ ...found, program: call.program }];
  });
}

function differenceOf(call, belief) {
  const { pid, name, args, result, isShell } = call;
  if (name.includes("write")) return printedWrongly(args, belief);
  if (name.startsWith("execve")) return result.startsWith("0") ? startedWrongly(call, belief) : undefined;
  // Signal 0 asks whether a process is there, and changes nothing. A signal to itself ends a process, as its exit does: awk ends so if
  // nobody reads its output.
  if (name === "kill" && (/, 0$/.test(args) || new RegExp(`^${pid}(?:<[^>]*>)?, `).test(args))) return undefined;
  // zsh keeps a here-document in a file until the program has it.
  if (isShell && /"\/tmp\/zsh\w{6}"/.test(args) && /^(?:open|unlink)/.test(name)) return undefined;
  if (isOwnState(call)) return undefined;
  if (changing.test(name)) return { kind: "change", what: `${name}(${args}) = ${result}` };
  // These sockets ask this machine for the names of users and for its own addresses.
  if (/^(?:connect|bind|sendto)$/.test(name))
    return /"\/var\/run\/nscd\/socket"|\bAF_NETLINK\b/.test(args)
      ? undefined
      : { kind: "socket", what: `${name}(${args})` };
  if (!name.startsWith("open")) return undefined;
  if (isWriting(args)) {
    const path = stringsIn(args)[0] ?? "";
    return /^\/dev\/(?:null|tty)$/.test(path) ? undefined : { kind: "change", what: `${name}(${args}) = ${result}` };
  }
  const path = readingOf(call);
  return path === undefined ? undefined : readWrongly(path, call, belief);
}

/** Java keeps counters of its run in a file of its own, as long as it runs. */
function isOwnState({ args, program, name }) {
  if (!/\/javac?$/.test(program)) return false;
  const path = stringsIn(args)[0] ?? args;
  return name === "ftruncate" || /^\/tmp\/hsperfdata_\w+(?:\/\d+)?$|^\d+$|^\/proc\/self\/coredump_filter$/.test(path);
}

/** The content of a file can be printed without opening it: git keeps copies. */
function printedWrongly(args, { isForbidden }) {
  const [, of, rest] = /marker:(outside|secret|forbidden)(.{0,20})/s.exec(args) ?? [];
  if (of === undefined || (of === "forbidden" && !isForbidden("secret/n"))) return undefined;
  return { kind: "printed", what: `the content of a file: ${of}${rest}` };
}

function startedWrongly({ args, isShell, program }, { argvs, root, starts }) {
  const [file = "", ...argv] = stringsIn(args);
  const said = JSON.stringify(argv);
  if (inside(root, resolve(root, file)) !== undefined) return { kind: "program", what: `${file} is in the workspace` };
  if (!isShell) return starts(program, file) ? undefined : { kind: "program", what: `${program} started ${said}` };
  if (argvs === undefined || argvs.some((words) => isSame(words, argv))) return undefined;
  return { kind: "words", what: said };
}

/** A NUL in a believed word stands for digits that only the shell knows. */
function isSame(believed, argv) {
  const fits = (word, index) => {
    // Two NULs stand for any text.
    if (word.includes("\0\0")) return argv[index] !== undefined;
    if (!word.includes("\0")) return word === argv[index];
    const pattern = word.split("\0").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
    return new RegExp(`^${pattern.join("\\d+")}$`, "s").test(argv[index]);
  };
  return believed.length === argv.length && believed.every(fits);
}

function readWrongly(path, { args, program, isShell }, { root, isSecret, isForbidden, isOwn, asksForFolder }) {
  if (isOwn(program, path)) return undefined;
  // zsh finds the name of its folder by listing the folders above.
  if (isShell && asksForFolder && args.includes("O_DIRECTORY") && `${root}/`.startsWith(path.replace(/\/?$/, "/")))
    return undefined;
  const place = inside(root, path);
  if (place === undefined) return { kind: "outside", what: path };
  // To list a folder shows names. The files in it are what must not be read.
  if (args.includes("O_DIRECTORY") || isFolder(path)) return undefined;
  // git looks whether a file has changed. The content of a file that it prints is found in its output.
  if (/\/git$/.test(program)) return undefined;
  if (isSecret(place)) return { kind: "secret", what: place };
  return isForbidden(place) ? { kind: "forbidden", what: place } : undefined;
}

/** A program that opens a folder as a file reads nothing of it. */
function isFolder(path) {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function inside(root, path) {
  const place = relative(root, path);
  return place === ".." || place.startsWith("../") ? undefined : place;
}
