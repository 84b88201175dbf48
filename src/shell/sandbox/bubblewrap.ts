// The sandbox: bubblewrap (Linux) puts walls around each command.

import { homedir, release } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import type { Wall } from "../../core/index.js";
import { contains } from "../../files/index.js";
import { callFilter } from "../places/call-filter.js";
import { findProgram } from "./find-program.js";
import { projectOf } from "./home-folder.js";
import { mountsFor, placesOf, type Mount, type MountSettings } from "./mounts.js";
import { lookAround, lookOutside, type Outside } from "./outside-look.js";
import { readSandboxOptions, type SandboxOptions } from "./sandbox-options.js";
import { MovedMeanwhile, SandboxNotMade } from "../process/report.js";
import { runProcess } from "../process/run-process.js";
import { shellProgram, type CommandExit, type Shell } from "../port/shell.js";
import { expectPlaced, type Placed } from "../workspace/covers.js";
import { setAsideMade } from "../workspace/set-aside.js";
import { inTurn, takeTurn, unseen, type Known, type Turn } from "../workspace/turns.js";
import { expectWhole, walk, walkAround, type Watched } from "../workspace/walk.js";

/**
 * Runs commands in a sandbox of bubblewrap. Everything is read-only except the workspace and the sandbox's own folders
 * at `/tmp`, `/var/tmp`, `/run` and in the home folder. Other processes are invisible. The home folder is empty but for
 * toolchains, and so are the folders beside the workspace. `.env` and keys of the workspace are empty, git's data and
 * protected files can't be changed, and there is no network, unless the command opens these walls
 * (`ShellCommand.opens`). All processes end with the command, including processes that left its group, and also when
 * this process is killed. The kernel enforces the walls, so they are as good as the kernel; and any file that can be
 * read can be printed. Protected files that a command made are renamed after it. A command that a signal ended has the
 * exit code 128 plus the signal's number. `findSandbox` tries whether it works here.
 * @throws LastcallError `configuration` if bubblewrap is not installed, or only in the workspace, or the root can't be
 * used.
 */
export function bubblewrap(options: SandboxOptions): Shell {
  return bubblewrapOver(options, lookOutside);
}

/** The same sandbox for a command that is known to read nothing outside of the workspace: it begins sooner. */
export function bubblewrapForTrial(options: SandboxOptions): Shell {
  return bubblewrapOver(options, lookAround);
}

function bubblewrapOver(options: SandboxOptions, look: typeof lookOutside): Shell {
  const settings = readSandboxOptions("bubblewrap", options);
  const { root, writable, network, processes } = settings;
  const program = findProgram("bwrap", "bubblewrap", root);
  return {
    description: describe(settings),
    walls: wallsOf(settings),
    async run(command, signal) {
      const { opens = [], forbids, environment } = command;
      const project = await projectOf(root);
      const variables = environment["TMPDIR"] === undefined ? [] : ["--setenv", "TMPDIR", "/tmp"];
      const hasNetwork = network || opens.includes("network");
      const namespaces = ["--unshare-all", ...(hasNetwork ? ["--share-net"] : []), "--cap-drop", "ALL"];
      const lifetime = ["--die-with-parent", "--new-session", "--json-status-fd", "3", "--chdir", command.folder];
      const input = callFilter();
      const filter = input === undefined ? [] : ["--seccomp", String(firstInput)];
      const line = ["--", shellProgram, "-c", watchScript(processes), command.command];
      let looked: Outside | undefined;
      const forget = (): void => void (looked = undefined);
      const begin = async (turn: Turn): Promise<Ran> => {
        const watched = await walk(root, forbids);
        expectWhole(watched, { opens, forbids });
        const around = project === root ? undefined : await walkAround(project, root);
        const walks = around === undefined ? [watched] : [watched, around];
        const outside = (looked ??= await look({
          ...settings,
          opens,
          project,
          path: environment["PATH"] ?? "",
        }));
        const { mounts, hidden } = await mountsFor(settings, { opens, watched, around, outside });
        const places = placesOf(mounts, walks);
        const inProject = (one: string): boolean => contains(project, one) && one !== root && one !== project;
        const known = places.filter((place) => inProject(place.path)).map(knownOf);
        const folders = new Set(walks.flatMap((one) => [...one.folders]));
        const lost = unseen(project, turn.known, { places: known, folders });
        if (lost !== undefined) throw new MovedMeanwhile(lost);
        const args = [...namespaces, ...lifetime, ...variables, ...filter, ...mount(mounts, input), ...line];
        const emptyInputs = mounts.filter(({ kind }) => kind === "empty-file").length;
        let hasEnded = (): Promise<void> => Promise.resolve();
        const onMade = async (leader: number): Promise<void> => {
          expectPlaced(leader, places);
          hasEnded = await turn.begin(known);
        };
        try {
          const launch = { program, args, reports: "status", emptyInputs, onMade, input } as const;
          const exit = await runProcess(launch, command, signal);
          const told = hiddenFrom(hidden, walks);
          return { exit: told.length === 0 ? exit : { ...exit, hidden: told }, watched, hasEnded };
        } catch (thrown) {
          await hasEnded();
          throw thrown;
        }
      };
      const turn = await again(root, () => takeTurn(project, signal));
      const ran = await again(root, () => begin(turn), forget).finally(() => turn.end());
      if (!writable || opens.includes("protected")) {
        await ran.hasEnded();
        return ran.exit;
      }
      return await inTurn(project, async () => {
        const setAside = await setAsideMade(root, ran.watched, forbids);
        return setAside.length === 0 ? ran.exit : { ...ran.exit, setAside };
      }).finally(ran.hasEnded);
    },
  };
}

/** The hidden files that words about a failure may name: the files of the work, then the files at home. The system's files are left out. */
function hiddenFrom(hidden: readonly string[], walks: readonly Watched[]): readonly string[] {
  const secrets = new Set(walks.flatMap((walked) => [...walked.secrets.keys()]));
  const isAtHome = (path: string): boolean => contains(homedir(), path) && !secrets.has(path);
  return [...hidden.filter((path) => secrets.has(path)), ...hidden.filter(isAtHome)];
}

/** A command that has run. */
interface Ran {
  readonly exit: CommandExit;
  /** The workspace as it was before. */
  readonly watched: Watched;
  /** Says that it has ended. */
  readonly hasEnded: () => Promise<void>;
}

function knownOf({ path, entry: { number, folder } }: Placed): Known {
  return { path, number, folder };
}

/** The most times that a sandbox is tried to be made. */
const maxTries = 5;
/** Milliseconds for which it is tried if other programs move or replace files meanwhile. */
const patience = 5000;

/**
 * Repeats what made no sandbox, and ran nothing. A path that was to be hidden, the socket of another program for example, may be gone by
 * the time that bubblewrap mounts over it; and another command may move a folder. `elsewhere` is called if it was outside of the root.
 */
async function again<Value>(root: string, make: () => Promise<Value>, elsewhere?: () => void): Promise<Value> {
  const end = performance.now() + patience;
  for (let tries = 1; ; tries++) {
    try {
      return await make();
    } catch (thrown) {
      if (!(thrown instanceof SandboxNotMade)) throw thrown;
      // bubblewrap names a path of the workspace that it does not find.
      const isInside = ["/", " ", ":"].some((end) => thrown.message.includes(root + end));
      const isMoved = thrown instanceof MovedMeanwhile || isInside;
      if (isMoved && performance.now() > end) throw new MovedMeanwhile(root);
      if (!isMoved && tries >= maxTries) throw thrown;
      if (!isInside) elsewhere?.();
      await sleep(Math.min(tries, 20));
    }
  }
}

function wallsOf({ writable, network }: MountSettings): readonly Wall[] {
  return [
    "files",
    ...(writable ? [] : (["workspace"] as const)),
    "protected",
    ...(network ? [] : (["network"] as const)),
    "home",
    "secrets",
  ];
}

function describe({ root, writable, network }: MountSettings): string {
  const temporary = "a /tmp that ends with the command";
  const files = writable
    ? `only the workspace (${root}) without .git, and ${temporary}, can be changed`
    : `only ${temporary} can be changed`;
  const hidden = ".env, keys and the home folder but for toolchains are empty";
  return `A sandbox (bubblewrap): ${files}; ${hidden}; ${network ? "the network is open" : "there is no network"}.`;
}

/** The first descriptor behind the pipes of the report and of the gate. */
const firstInput = 5;

function mount(mounts: readonly Mount[], input: Buffer | undefined): readonly string[] {
  let descriptor = firstInput + (input === undefined ? 0 : 1);
  const made = mounts.flatMap(({ kind, path }): readonly string[] => {
    switch (kind) {
      case "read-only":
        return ["--ro-bind", path, path];
      case "writable":
        return ["--bind", path, path];
      case "own":
      case "empty-folder":
        return ["--tmpfs", path];
      case "empty-file":
        return ["--ro-bind-data", String(descriptor++), path];
      case "devices":
        return ["--dev", path];
      case "processes":
        return ["--proc", path];
    }
  });
  const sealed = mounts.filter(({ kind }) => kind === "empty-folder");
  return [...made, ...sealed.flatMap(({ path }) => ["--remount-ro", path])];
}

/**
 * The script that runs the command. When the command has ended, it asks the remaining processes to end, before
 * bubblewrap kills them. The signal that asks also reaches this script, which ignores it and keeps waiting: if the
 * script ended, everything would be killed at once.
 */
function watchScript(processes: number): string {
  const [major = 0, minor = 0] = release().split(".").map(Number);
  const counts = process.getuid?.() !== 0 && (major > 5 || (major === 5 && minor >= 14));
  const limit = `ulimit -u ${String(processes)} 2>/dev/null || ulimit -p ${String(processes)} 2>/dev/null;`;
  return [
    // The mounts are made, and are looked at before the command begins.
    "echo made >&4; read -r _ <&4 || exit 125; exec 4<&-",
    "trap : TERM",
    `(${counts ? limit : ""} exec ${shellProgram} -c -- "$0") 2>&1`,
    "code=$?",
    "kill -TERM -1 2>/dev/null || exit $code",
    "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25; do",
    "  sleep 0.02; kill -0 -1 2>/dev/null || break",
    "done",
    "exit $code",
  ].join("\n");
}
