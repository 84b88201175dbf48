// Asks the gate about commands, and says what it believes about those that it lets through.

import { homedir } from "node:os";
import { basename, resolve } from "node:path";
import { homeMark, linkedFolder } from "./fixture.mjs";

/** The shell that tar starts, and the programs that this one starts. */
const unpackers = /^(?:sh|dash|bash|gzip|bzip2|xz|zstd|lzma|lzip|lzop|compress)$/;

/** The laws: reading only; and writing with a folder that a rule forbids to read. */
export const laws = [
  { name: "read-only", options: { tier: "read-only" }, forbidden: [] },
  {
    name: "workspace-write without secret/",
    options: { tier: "workspace-write", deny: ["read(secret/**)"] },
    forbidden: ["secret/"],
  },
];

/** The command as it is asked about and run: with the home folder of this fixture. */
export function placed({ text, folder }) {
  return { text: text.replaceAll(homeMark, homedir()), folder };
}

/** The workspace of a command, and its folder there. */
export function placeOf({ folder }, root) {
  return folder === linkedFolder ? { root: resolve(root, folder), folder: "." } : { root, folder };
}

/** Returns a function that gives the names of the laws under which the gate lets a command through without a question; with `crash` if it throws. */
export function asking({ gate }, top) {
  const permissionsIn = (root) => laws.map(({ name, options }) => [name, gate({ root, ...options })]);
  const known = new Map([top, resolve(top, linkedFolder)].map((root) => [root, permissionsIn(root)]));
  const signal = new AbortController().signal;
  return async (command) => {
    const { text } = placed(command);
    const { root, folder } = placeOf(command, top);
    if (text.trim() === "" || text.includes("\0")) return [];
    const call = {
      id: "1",
      name: "run_command",
      effect: "execute",
      input: { command: text, working_dir: folder },
      reach: { command: text, folder },
    };
    const allowed = [];
    for (const [name, permission] of known.get(root)) {
      try {
        const decision = await permission.decide(call, { signal, session: "s", preview: async () => undefined });
        if (decision.allowed) allowed.push(name);
      } catch (thrown) {
        return Object.assign([], { crash: thrown instanceof Error ? thrown.message : String(thrown) });
      }
    }
    return allowed;
  };
}

/**
 * Patterns of the argument lists of the programs that the gate read in a text, each a list of words. Undefined if the
 * text has more than plain words, and the gate does not tell what these stand for.
 */
export function argvsIn({ readCommand, expandCommand }, { text, folder: from }, top) {
  const { root, folder } = placeOf({ folder: from }, top);
  const { commands, isPlain } = readCommand(text);
  if (isPlain) return commands.map(({ words }) => words.map(withHome));
  if (expandCommand === undefined) return undefined;
  const expanded = foldersOf(commands, resolve(root, folder)).flatMap((place) =>
    commands.map((command) => expandCommand(command, { root, folder: place })),
  );
  return expanded.flatMap((one) => (one.is === "known" ? one.commands : [])).map(({ words }) => words.map(withHome));
}

/** The folder that the command starts in, and those that its `cd` may lead to. */
function foldersOf(commands, start) {
  const targets = commands.flatMap(({ words }) => (words[0] === "cd" ? words.slice(1) : [])).map(withHome);
  return targets.reduce(
    (folders, target) => [...folders, ...folders.map((folder) => resolve(folder, target))],
    [start],
  );
}

function withHome(word) {
  return /^~(?:\/|$)/.test(word) ? homedir() + word.slice(1) : word;
}

/** What the gate believed about a command under a law. */
export function beliefAbout(library, command, law, { root, isOwn }) {
  const { forbidden } = laws.find(({ name }) => name === law);
  return {
    root: placeOf(command, root).root,
    isOwn,
    argvs: argvsIn(library, placed(command), root),
    asksForFolder: /\bpwd\b/.test(command.text),
    isSecret: library.isSecretFile,
    isForbidden: (path) => forbidden.some((folder) => path.startsWith(folder)),
    starts: (program, file) => {
      const runBy = library.safePrograms.get(basename(program))?.runBy;
      // These run others: what they open is looked at like all else.
      const name = basename(program);
      if (name === "xargs" || name === "find") return library.safePrograms.has(basename(file));
      if (name === "tar" || name === "sh" || name === "dash" || name === "bash") return unpackers.test(basename(file));
      return /\/git$/.test(program)
        ? /\/git$|\/git-core\//.test(file)
        : runBy !== undefined && runBy === basename(file);
    },
  };
}
