// Needs of a command: the walls that it will probably run into. They serve to ask early. No safety depends on them, because the walls hold.

import { dirname } from "node:path";
import type { OpenableWall } from "../../core/index.js";
import type { SimpleCommand } from "../command/read-command.js";
import { TooMuchWork } from "../command/decision-work.js";
import type { Word } from "../command/words.js";
import type { CommandLaw } from "../rules/law.js";
import { home, within, type ResolvedPath } from "../rules/place.js";
import { maxPathLength, valueOf } from "./touched-files.js";

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));

/** Programs that are of no use without the network. */
const networkPrograms = set(
  "curl wget http https aria2c ssh scp sftp ftp telnet nc ncat netcat socat ping dig nslookup whois traceroute gh glab hub docker podman kubectl helm terraform aws gcloud az apt apt-get dnf yum apk pacman brew snap rclone gsutil s3cmd lynx w3m mail sendmail",
);

/** Subcommands that need the network, by program. `install` and the like often do. */
const networkSubcommands: Readonly<Record<string, ReadonlySet<string>>> = {
  npm: set("install i ci add update up upgrade publish login audit outdated view info search create init exec"),
  pnpm: set("install i add update up upgrade publish login audit outdated view info dlx create fetch"),
  yarn: set("install add up upgrade publish login audit outdated info dlx create"),
  bun: set("install i add update upgrade publish outdated create x"),
  pip: set("install download search index wheel"),
  pip3: set("install download search index wheel"),
  uv: set("sync add lock tool python"),
  poetry: set("install add update lock publish"),
  cargo: set("install add fetch update publish search login"),
  go: set("get install mod"),
  gem: set("install update fetch push search"),
  bundle: set("install update add outdated"),
  composer: set("install require update create-project"),
  git: set("clone fetch pull push ls-remote submodule"),
  pnpx: set(""),
};

/** Subcommands of git that change nothing of its data. */
const gitReaders = set(
  "status log diff show blame annotate grep ls-files ls-tree ls-remote rev-parse rev-list describe shortlog cat-file merge-base name-rev for-each-ref show-ref check-ignore check-attr count-objects fsck diff-tree diff-index diff-files whatchanged cherry range-diff var version help archive verify-commit verify-tag bugreport clone",
);

/** The steps of a command, and of a look for secrets. */
const stepsOfCommand = 3;
const stepsOfSecret = 20;

/** Programs that act on the machine and not on the workspace. No sandbox makes them useful. */
const machinePrograms = set(
  "sudo doas su pkexec mount umount systemctl service launchctl shutdown reboot poweroff halt crontab useradd usermod passwd iptables insmod modprobe sysctl",
);

/** Programs that make, remove or rename each file that they name. They change its folder, and not what a link leads to. */
const removers = set("rm rmdir unlink mkdir mv");

/** Programs that change the last file that they name, and may only read the other files. */
const copiers = set("cp touch truncate");

/** Places of the sandbox's own. What is written there is gone after the command, as anybody expects. */
const isPassing = (path: string): boolean => /^\/(?:dev|tmp|var\/tmp)(?:\/|$)/.test(path);

/** The walls that the command needs open, as its words tell, and whether it acts on the machine. */
export interface Needs {
  readonly walls: readonly OpenableWall[];
  /** The program that acts on the machine; undefined for none. */
  readonly machine: string | undefined;
  /** A file outside of the workspace that the command changes or removes; undefined for none. */
  readonly outside: string | undefined;
}

/** Reads the needs from the words of all commands, as far as the work that is left suffices. */
export async function needsOf(
  law: Pick<CommandLaw, "root" | "protector" | "work" | "lookup">,
  commands: readonly SimpleCommand[],
  folder: string,
): Promise<Needs> {
  const known: Known = { walls: new Set(), machine: undefined, outside: undefined, moves: false };
  try {
    for (const command of commands) await addNeeds(known, law, command, folder);
  } catch (thrown) {
    if (!(thrown instanceof TooMuchWork)) throw thrown;
  }
  return { walls: [...known.walls], machine: known.machine, outside: known.outside };
}

/** What is known after some of the commands. */
interface Known {
  readonly walls: Set<OpenableWall>;
  machine: string | undefined;
  outside: string | undefined;
  /** True once the folder in which the rest runs is unknown. */
  moves: boolean;
}

async function addNeeds(
  known: Known,
  { root, protector, work, lookup }: Pick<CommandLaw, "root" | "protector" | "work" | "lookup">,
  { words, parts, reads, writes }: SimpleCommand,
  folder: string,
): Promise<void> {
  await work.pause();
  work.spend(stepsOfCommand);
  const isRelative = (word: string): boolean => !/^[/~]/.test(word);
  const resolved = (word: string): Promise<ResolvedPath> =>
    lookup.resolve(isRelative(word) ? `${folder}/${word}` : word);
  const isOutside = async (word: string): Promise<boolean> =>
    !isPassing(word) && (await resolved(word)).inside === undefined;
  const [name = "", ...rest] = words.map((word, index) => (index === 0 ? word.replace(/^.*\//s, "") : word));
  const subcommand = rest.find((word, index) => !word.startsWith("-") && !/^-[cC]$/.test(rest[index - 1] ?? ""));
  if (machinePrograms.has(name)) known.machine ??= name;
  if (networkPrograms.has(name) || isAmong(networkSubcommands[name], subcommand, name)) known.walls.add("network");
  if (name === "git" && changesGit(subcommand, rest)) known.walls.add("protected");
  for (const word of [...rest.map(valueOf), ...reads]) {
    if (word === "" || word.length > maxPathLength) continue;
    const target = await resolved(word);
    work.spend(stepsOfSecret);
    if (target.inside !== undefined && protector.isSecret(root, target)) known.walls.add("secrets");
    if (target.inside === undefined && target.absolute.some((path) => within(home(), path) !== undefined))
      known.walls.add("home");
  }
  known.moves ||= name === "cd" || name === "pushd" || name === "popd";
  for (const { path, place } of [...writes.map(changeOf), ...changedBy(name, parts.slice(1))])
    if (!(known.moves && isRelative(place)) && (await isOutside(place))) known.outside ??= path;
}

/** A file that a command changes. */
interface Change {
  readonly path: string;
  /** The file or folder that has to be in the workspace. */
  readonly place: string;
}

const changeOf = (path: string): Change => ({ path, place: path });

/** The files that a program changes or removes, as far as they are plain to see. */
function changedBy(name: string, rest: readonly Word[]): readonly Change[] {
  const isPlain = ({ text, parts }: Word): boolean =>
    !/^-|^$/.test(text) && text.length <= maxPathLength && parts.every(({ is }) => is !== "variable");
  const operands = rest.filter(isPlain).map(({ text }) => text);
  if (removers.has(name)) return operands.map((path) => ({ path, place: folderOf(path) }));
  return copiers.has(name) ? operands.slice(-1).map(changeOf) : [];
}

/** The folder that a file is in. A path that ends with `.`, `..` or `~` names a folder itself. */
function folderOf(path: string): string {
  return /^~\/*$|(?:^|\/)\.\.?\/*$/.test(path) ? path : dirname(path);
}

function isAmong(known: ReadonlySet<string> | undefined, subcommand: string | undefined, name: string): boolean {
  if (known === undefined) return false;
  // `yarn` alone installs.
  return subcommand === undefined ? name === "yarn" : known.has(subcommand);
}

/** `git branch`, `git tag`, `git remote`, `git stash` and `git config` list without further words, and change with them. */
function changesGit(subcommand: string | undefined, rest: readonly string[]): boolean {
  if (subcommand === undefined || gitReaders.has(subcommand)) return false;
  const after = rest.slice(rest.indexOf(subcommand) + 1);
  switch (subcommand) {
    case "branch":
    case "tag":
      return (
        after.some((word) => !word.startsWith("-")) &&
        !after.some((word) => /^(?:-l|--list|--contains|--merged|--points-at)/.test(word))
      );
    case "remote":
      return after.some((word) => /^(?:add|remove|rm|rename|set-\w+|prune|update)$/.test(word));
    case "stash":
    case "worktree":
    case "reflog":
    case "notes":
    case "bisect":
    case "submodule":
      return !after.some((word) => /^(?:list|show|log|status|summary)$/.test(word));
    case "config":
      return (
        !after.some((word) => /^(?:--get\S*|--list|-l|get|list)$/.test(word)) &&
        after.filter((word) => !word.startsWith("-")).length > 1
      );
    default:
      return true;
  }
}

const names: Readonly<Record<OpenableWall, string>> = {
  network: "the network",
  home: "your home folder",
  secrets: "files with secrets",
  protected: "to change the data of git, or protected files",
};

/** Says in words what a command needs. */
export function needsInWords(walls: readonly OpenableWall[]): string {
  return `it needs ${walls.map((wall) => names[wall]).join(", ")}, which the sandbox does not give it`;
}
