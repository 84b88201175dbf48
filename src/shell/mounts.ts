// Mounts: what of the file system a sandbox shows, and how.

import { lstat, mkdir, realpath, stat } from "node:fs/promises";
import { homedir, userInfo } from "node:os";
import { dirname, join } from "node:path";
import { contains } from "../files/index.js";

/** A place in the sandbox, as a real path. */
export interface Mount {
  readonly path: string;
  readonly kind: "read-only" | "writable" | "own" | "empty-folder" | "empty-file" | "devices" | "processes";
}

/** What decides on the mounts. */
export interface Places {
  /** A real path. */
  readonly root: string;
  readonly writable: boolean;
  readonly network: boolean;
  /** Real paths. */
  readonly readable: readonly string[];
  /** Paths, also those of links. */
  readonly hidden: readonly string[];
  readonly readOnly: readonly string[];
}

/** Where others have files, and sockets, which a read-only file system does not keep anybody from using. */
const own: readonly string[] = ["/tmp", "/var/tmp", "/run", "/var/run"];

/** Where keys and what is like them usually are, in the home folder. */
const secrets: readonly string[] = [
  ...[".ssh", ".aws", ".gnupg", ".kube", ".docker", ".azure", ".oci", ".password-store", ".mozilla", ".terraform.d"],
  ...[".config/gh", ".config/hub", ".config/glab-cli", ".config/gcloud", ".config/op", ".config/doctl", ".config/sops"],
  ...[".config/google-chrome", ".config/chromium", ".config/git/credentials", ".local/share/keyrings"],
  ...[".netrc", ".npmrc", ".yarnrc.yml", ".git-credentials", ".pypirc", ".pgpass", ".my.cnf", ".vault-token"],
  ...[".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".m2/settings.xml"],
  ...[".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".mysql_history"],
];

/**
 * What a workspace may hold that is run, or says what is run, outside the sandbox by whoever works there next.
 *
 * What is left: where one of them does not exist, a command can make it (nothing can be bound to a path that isn't there),
 * as it can one of the files that git obeys unasked (`.git/commondir`; `readOnly: [".git"]` prevents it). A link among them
 * can be replaced. Repositories in folders of the workspace are not looked for, nor where `core.hooksPath` leads. And
 * scripts, Makefiles and tests are the work itself.
 */
const planted: readonly string[] = [
  ...[".git/hooks", ".git/config", ".git/modules", ".gitmodules", ".gitconfig", ".githooks", ".husky"],
  ...[".vscode", ".idea", ".devcontainer", ".envrc", ".npmrc", ".pre-commit-config.yaml", ".ripgreprc"],
  ...[".mcp.json", ".claude", ".codex", ".cursor", ".gemini"],
  ...[".profile", ".bashrc", ".bash_profile", ".bash_login", ".zshrc", ".zshenv", ".zprofile"],
];

/** The mounts for one command, in the order in which they are made: what lies deeper comes later, so that nothing covers it. */
export async function mountsFor(places: Places): Promise<readonly Mount[]> {
  const { root, writable, network } = places;
  // What became a link since may lead to what is hidden.
  const shown = (await existing(places.readable)).filter((path) => places.readable.includes(path));
  const secret = await existing([...secretPlaces(), ...places.hidden]);
  const hidden = await hide(secret.filter((path) => !shown.includes(path)));
  const mounts: readonly Mount[] = [
    { path: "/", kind: "read-only" },
    { path: "/dev", kind: "devices" },
    { path: "/proc", kind: "processes" },
    ...(await existing(own)).map((path): Mount => ({ path, kind: "own" })),
    ...(network ? (await existing(["/etc/resolv.conf"])).filter((path) => contains("/run", path)).map(readOnly) : []),
    ...hidden,
    { path: root, kind: writable ? "writable" : "read-only" },
    ...shown.map(readOnly),
    ...(writable ? await keep(places, hidden) : []),
  ];
  return mounts.toSorted((a, b) => depth(a.path) - depth(b.path));
}

const readOnly = (path: string): Mount => ({ path, kind: "read-only" });

function depth(path: string): number {
  return path.split("/").filter(Boolean).length;
}

/** The real paths of those that exist, each once. Who can't look at a place can't read it either. */
async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)));
  return [...new Set(real.filter((path) => path !== undefined))];
}

/** The home folder may be another than the user's own, by `HOME`. */
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
 * Makes places in a writable root read-only. The folders above them are bound to themselves: a folder in which something is mounted
 * could be moved away and made anew, one that is itself a mount can't.
 */
async function keep(places: Places, hidden: readonly Mount[]): Promise<readonly Mount[]> {
  const { root } = places;
  await makeHooks(root);
  const names = [...planted, ...places.readOnly].map((name) => join(root, name));
  // What is hidden would be shown again.
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

/** A repository without hooks gets the empty folder that git itself makes: what isn't there can't be bound. */
async function makeHooks(root: string): Promise<void> {
  const git = await lstat(join(root, ".git")).catch(() => undefined);
  if (git?.isDirectory() !== true) return;
  // Where this user can't make it, no command can.
  await mkdir(join(root, ".git/hooks")).catch(() => undefined);
}

/** `.git` as a file says where the repository is, as a link it leads there. */
async function gitFile(root: string): Promise<readonly string[]> {
  const git = await lstat(join(root, ".git")).catch(() => undefined);
  return git?.isFile() === true ? [join(root, ".git")] : [];
}
