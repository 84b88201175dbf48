// Runs a script with folders at the paths that a container would give them, without root: in namespaces of bubblewrap.

import { readdir, readlink } from "node:fs/promises";
import { capture, describeExit, hostShell, plainVariables, type CommandExit } from "../../shell/index.js";

/** A script, and the folders that it sees. */
export interface PlacedScript {
  /** The program and its arguments, as paths of the container. */
  readonly command: readonly string[];
  /** The working directory, as a path of the container. */
  readonly folder: string;
  /** The folders of this machine by their paths in the container. The script can change them, and nothing else but `/tmp`. */
  readonly folders: Readonly<Record<string, string>>;
  readonly variables: Readonly<Record<string, string>>;
  readonly hasNetwork: boolean;
  /** Milliseconds. */
  readonly timeout: number;
}

/** The end of a script. */
export interface ScriptEnd {
  readonly exit: Exclude<CommandExit, { how: "aborted" }>;
  /** The end in words, with the output. */
  readonly why: string;
}

/** Bytes kept of each end of the output. */
const endBytes = 2 * 1024;

/** Folders that each namespace has of its own. */
const own: ReadonlySet<string> = new Set(["proc", "dev", "tmp"]);

/** Folders that programs are in: a work folder can't hide them. */
const taken: ReadonlySet<string> = new Set(["bin", "etc", "lib", "lib64", "run", "sbin", "sys", "usr", "var"]);

/** Folders that a task brings besides its work folder. */
const brought: ReadonlySet<string> = new Set(["logs", "solution", "tests"]);

/** True if a work folder can be put at this path of the container. */
export function canBePlaced(path: string): boolean {
  const top = path.split("/")[1] ?? "";
  return path.startsWith("/") && top !== "" && ![own, taken, brought].some((names) => names.has(top));
}

/**
 * Runs the script to its end. Everything of this machine is read-only for it.
 * @throws the signal's reason if it aborts.
 */
export async function runPlaced(script: PlacedScript, signal: AbortSignal): Promise<ScriptEnd> {
  const seconds = script.timeout / 1000;
  const output = capture(endBytes);
  const words = ["bwrap", ...(await namespaceOf(script)), "--", ...script.command];
  const environment = { ...plainVariables(), HOME: "/tmp", TMPDIR: "/tmp", ...script.variables };
  const command = `exec ${words.map(quoted).join(" ")}`;
  const exit = await hostShell().run({ command, folder: "/", environment, seconds, onOutput: output.onOutput }, signal);
  if (exit.how === "aborted") throw signal.reason;
  output.end();
  return { exit, why: `${describeExit(exit, seconds)}\n${output.text()}`.trim() };
}

/** The arguments of bubblewrap: the top of the file system anew, with the folders in it. */
async function namespaceOf({ folder, folders, hasNetwork }: PlacedScript): Promise<readonly string[]> {
  const tops = new Set(Object.keys(folders).map((path) => path.split("/")[1] ?? ""));
  const mounts: string[] = [];
  for (const entry of await readdir("/", { withFileTypes: true })) {
    const path = `/${entry.name}`;
    if (own.has(entry.name) || tops.has(entry.name)) continue;
    if (entry.isSymbolicLink()) mounts.push("--symlink", await readlink(path), path);
    else if (entry.isDirectory()) mounts.push("--ro-bind", path, path);
  }
  return [
    ...["--unshare-all", ...(hasNetwork ? ["--share-net"] : []), "--cap-drop", "ALL"],
    ...["--die-with-parent", "--new-session"],
    ...mounts,
    ...["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp"],
    ...Object.entries(folders).flatMap(([path, here]) => ["--bind", here, path]),
    ...["--remount-ro", "/", "--chdir", folder],
  ];
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
