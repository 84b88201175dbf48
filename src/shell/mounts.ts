// The mounts of a sandbox: the parts of the file system it contains, and how.

import { lstat, mkdir, realpath, stat } from "node:fs/promises";
import { homedir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { contains } from "../files/index.js";

/** A path in the sandbox, as a real path, and how it is mounted. */
export interface Mount {
  readonly path: string;
  readonly kind: "read-only" | "writable" | "own" | "empty-folder" | "empty-file" | "devices" | "processes";
}

/** The settings that determine the mounts. */
export interface MountSettings {
  /** A real path. */
  readonly root: string;
  readonly writable: boolean;
  readonly network: boolean;
  /** Real paths. */
  readonly readable: readonly string[];
  /** Paths; links are possible. */
  readonly hidden: readonly string[];
  readonly readOnly: readonly string[];
}

/**
 * Folders with files of other users, and with sockets: a read-only file system does not prevent connections to sockets.
 * The sandbox has its own.
 */
const privateFolders: readonly string[] = ["/tmp", "/var/tmp", "/run", "/var/run"];

/** The usual places of keys and other secrets in the home folder. */
const secrets: readonly string[] = [
  ...[".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure", ".oci", ".password-store", ".mozilla", ".terraform.d"],
  ...[".config/gh", ".config/hub", ".config/glab-cli", ".config/gcloud", ".config/op", ".config/doctl", ".config/sops"],
  ...[".config/google-chrome", ".config/chromium", ".config/git/credentials", ".local/share/keyrings"],
  ...[".netrc", ".npmrc", ".yarnrc.yml", ".git-credentials", ".pypirc", ".pgpass", ".my.cnf", ".vault-token"],
  ...[".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml"],
  ...[".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history"],
];

/**
 * Files of a workspace that the next person's programs run, or obey, outside the sandbox.
 *
 * Known gaps: If one of them does not exist, a command can make it, because nothing can be bound to a missing path. The
 * same holds for files that git obeys unasked (`.git/commondir`; `readOnly: [".git"]` prevents it). A link among them
 * can be replaced. Repositories in folders of the workspace are not looked for, nor is the folder that `core.hooksPath`
 * names. And scripts, Makefiles and tests are the work itself.
 */
const trustedFiles: readonly string[] = [
  ...[
    ".git/hooks",
    ".git/config",
    ".git/config.worktree",
    ".git/modules",
    ".gitmodules",
    ".gitconfig",
    ".githooks",
    ".husky",
  ],
  ...[".vscode", ".idea", ".devcontainer", ".envrc", ".npmrc", ".pre-commit-config.yaml", ".ripgreprc"],
  ...[".mcp.json", ".claude", ".codex", ".cursor", ".gemini"],
  ...[".profile", ".bashrc", ".bash_profile", ".bash_login", ".zshrc", ".zshenv", ".zprofile"],
];

/**
 * The mounts for one command, in the order in which they are made: deeper paths come later, so that no mount covers
 * them.
 */
export async function mountsFor(settings: MountSettings): Promise<readonly Mount[]> {
  const { root, writable, network } = settings;
  // A path that has become a link since may lead to a hidden file.
  const shown = (await existing(settings.readable)).filter((path) => settings.readable.includes(path));
  const secret = await existing([...secretPlaces(), ...settings.hidden]);
  const hidden = await hide(secret.filter((path) => !shown.includes(path)));
  const mounts: readonly Mount[] = [
    { path: "/", kind: "read-only" },
    { path: "/dev", kind: "devices" },
    { path: "/proc", kind: "processes" },
    // The kernel's settings belong to root, who may write them also without capabilities.
    { path: "/proc/sys", kind: "read-only" },
    ...(await existing(privateFolders)).map((path): Mount => ({ path, kind: "own" })),
    ...(network ? (await existing(["/etc/resolv.conf"])).filter((path) => contains("/run", path)).map(readOnly) : []),
    ...hidden,
    { path: root, kind: writable ? "writable" : "read-only" },
    ...shown.map(readOnly),
    ...(writable ? await keep(settings, hidden) : []),
  ];
  return mounts.toSorted((a, b) => depth(a.path) - depth(b.path));
}

const readOnly = (path: string): Mount => ({ path, kind: "read-only" });

function depth(path: string): number {
  return path.split("/").filter(Boolean).length;
}

/** The real paths of those that exist, each once. A path that this user can't look up can't be read by a command either. */
async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)));
  return [...new Set(real.filter((path) => path !== undefined))];
}

/** `HOME` may name another folder than the user's own, so both count. */
function secretPlaces(): readonly string[] {
  const homes = new Set([homedir(), userInfo().homedir]);
  return [...homes].flatMap((home) => secrets.map((place) => join(home, place)));
}

async function hide(paths: readonly string[]): Promise<readonly Mount[]> {
  return await Promise.all(
    paths.map(async (path): Promise<Mount> => {
      const isFolder = (await stat(path)).isDirectory();
      return { path, kind: isFolder ? "empty-folder" : "empty-file" };
    }),
  );
}

/**
 * Makes paths in a writable root read-only. The folders above them are bound to themselves: a folder that contains a
 * mount could be moved away and made anew; a folder that is itself a mount can't.
 */
async function keep(settings: MountSettings, hidden: readonly Mount[]): Promise<readonly Mount[]> {
  const { root } = settings;
  await makeHooks(root);
  const names = [...trustedFiles, ...settings.readOnly].map((name) => join(root, name));
  // A mount inside a hidden path would show it again.
  const isHidden = (path: string): boolean =>
    hidden.some((place) => contains(root, place.path) && contains(place.path, path));
  const found = await existing([...names, ...(await gitFile(root))]);
  const kept = found.filter((path) => path !== root && contains(root, path) && !isHidden(path));
  const above = new Set(kept.flatMap((path) => foldersAbove(root, path)));
  return [...[...above].map((path): Mount => ({ path, kind: "writable" })), ...kept.map(readOnly)];
}

function foldersAbove(root: string, path: string): readonly string[] {
  const folder = dirname(path);
  return folder === root ? [] : [folder, ...foldersAbove(root, folder)];
}

/** Makes the empty hooks folder in a repository without one, as git itself does: a missing path can't be bound. */
async function makeHooks(root: string): Promise<void> {
  const git = await lstat(join(root, ".git")).catch(() => undefined);
  if (git?.isDirectory() !== true) return;
  // If this user can't make it, no command can.
  await mkdir(join(root, ".git/hooks")).catch(() => undefined);
}

/** `.git` as a file names the repository's folder. As a link it leads there, and needs no mount of its own. */
async function gitFile(root: string): Promise<readonly string[]> {
  const git = await lstat(join(root, ".git")).catch(() => undefined);
  return git?.isFile() === true ? [join(root, ".git")] : [];
}
