// The part of the home folder that commands see in a sandbox: toolchains, their caches, and settings without keys.

import { readFile, realpath, stat } from "node:fs/promises";
import { homedir, userInfo } from "node:os";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { contains, wayTo } from "../../files/index.js";

/** Toolchains, caches and settings that programs need, and that usually hold no keys. All else in the home folder is hidden. */
const shownAtHome: readonly string[] = [
  ...[".nvm", ".fnm", ".volta", ".n", ".asdf", ".proto", ".bun", ".deno", ".node-gyp", ".npm", ".yarn", ".pnpm-store"],
  ...[".pyenv", ".rye", ".virtualenvs", ".pipx", ".conda", "miniconda3", "anaconda3", "miniforge3", ".rbenv", ".rvm"],
  ...[".cargo/bin", ".cargo/registry", ".cargo/git", ".cargo/env", ".cargo/config.toml", ".rustup", "go", ".go"],
  ...[".sdkman", ".jenv", ".m2/repository", ".m2/wrapper", ".gradle/caches", ".gradle/wrapper", ".ivy2", ".sbt"],
  ...[".dotnet", ".nuget/packages", ".ghcup", ".stack", ".cabal", ".opam", ".elan", ".julia", ".mix", ".hex", ".gem"],
  ...[".linuxbrew", ".nix-profile", ".nix-defexpr", ".local/state/nix", ".guix-profile", ".swiftpm", ".pub-cache"],
  ...[".local/bin", ".local/lib", ".local/share/mise", ".local/share/rtx", ".local/share/fnm", ".local/share/pnpm"],
  ...[".local/share/uv", ".local/share/pipx", ".local/share/virtualenvs", ".local/share/gem", ".local/share/rustup"],
  ...[".cache/pip", ".cache/uv", ".cache/pypoetry", ".cache/go-build", ".cache/node", ".cache/node-gyp", ".cache/yarn"],
  ...[".cache/pnpm", ".cache/pre-commit", ".cache/ms-playwright", ".cache/puppeteer", ".cache/Cypress", ".cache/bazel"],
  ...[".cache/electron", ".cache/deno", ".cache/zig", ".cache/ccache", ".gitconfig", ".config/git/config"],
  ...[".config/git/ignore", ".config/git/attributes", ".config/mise", ".tool-versions", ".nvmrc", ".terminfo"],
  // macOS
  ...["Library/pnpm", "Library/Python", "Library/Caches/pip", "Library/Caches/uv", "Library/Caches/pypoetry"],
  ...["Library/Caches/Yarn", "Library/Caches/pnpm", "Library/Caches/node-gyp", "Library/Caches/go-build"],
  ...["Library/Caches/ms-playwright", "Library/Caches/Cypress", "Library/Caches/deno", "Library/Java"],
];

/** Folders whose subfolders are not the projects of a person. A workspace in such a folder hides nothing beside it. */
const systemFolders: readonly string[] = [
  "/",
  "/usr",
  "/usr/local",
  "/opt",
  "/etc",
  "/var",
  "/var/lib",
  "/tmp",
  "/private/tmp",
  "/Volumes",
];

/** Folders that are hidden, and the places in them that are shown all the same. All are real paths, and exist. */
export interface HiddenHome {
  /** The home folders of this user. A command can write there, and no change stays. */
  readonly homes: readonly string[];
  /** Other folders that are empty: the homes of other users, and the folder beside the workspace. */
  readonly empty: readonly string[];
  readonly shown: readonly string[];
}

/** The places in which a command and its tools are. */
export interface Places {
  /** The workspace: a real path. */
  readonly root: string;
  /** The project: the repository around the workspace, or the workspace itself. A real path. */
  readonly project: string;
  /** The folders of programs, in the form of `PATH`. */
  readonly path: string;
}

/** The real paths of this user's home folders: `HOME` may name another folder than the user's own. */
export async function homeFolders(): Promise<readonly string[]> {
  return await existing([homedir(), userInfo().homedir]);
}

/** Finds what to hide. A folder that the workspace contains is not hidden. */
export async function hiddenHome({ root, project, path }: Places): Promise<HiddenHome> {
  const homes = (await homeFolders()).filter((home) => !contains(root, home) && home !== "/");
  const beside = dirname(project);
  const others = await existing([
    // A home folder that is a link there has to stay a link.
    ...([homedir(), userInfo().homedir].some((home) => home.startsWith("/home/") && !homes.includes(home))
      ? []
      : ["/home"]),
    ...["/root", "/Users"],
    ...(systemFolders.includes(beside) ? [] : [beside]),
  ]);
  const empty = others.filter((place) => !homes.includes(place) && !contains(root, place));
  const isHidden = (place: string): boolean => [...homes, ...empty].some((folder) => contains(folder, place));
  const own = homes.flatMap((home) => shownAtHome.map((name) => join(home, name)));
  const tools = [
    ...own,
    ...programFolders(path),
    dirname(dirname(process.execPath)),
    ...(await commonGitFolder(project)),
  ];
  const shown = (await existing([project, ...tools.filter((place) => !isLedBy(project, place))])).filter(
    (place) => isHidden(place) && !contains(place, root) && ![...homes, ...empty].some((one) => contains(place, one)),
  );
  return { homes, empty, shown: [...shown, ...(project === root ? [] : [project])] };
}

/**
 * True for a place in the project, and for a place that a link in the project leads to: a command may have made that link, to
 * whatever it wants to see. `project` is a real path.
 */
function isLedBy(project: string, place: string): boolean {
  const way = wayTo(resolve(place));
  return way === undefined || [place, ...way.links].some((path) => contains(project, path));
}

/**
 * The parts of an installation that programs need beside their `bin`. In a hidden folder, such as `~/.pulumi`, a program also keeps its
 * accounts and its state, so of such a folder only these are shown.
 */
const programParts: readonly string[] = [
  ...["lib", "lib32", "lib64", "libexec", "share", "include", "sbin", "shims", "versions", "installs", "plugins"],
  ...["store", "envs", "tools", "toolchains", "candidates", "pkg", "src", "jmods", "conf", "release", "VERSION"],
  ...["go.env", "pyvenv.cfg", "package.json", "node_modules"],
];

/** The folders of programs. The folder around a `bin` has the libraries of its programs. */
function programFolders(path: string): readonly string[] {
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .flatMap((folder) => {
      const hasLibraries = ["bin", "sbin", "shims"].includes(basename(folder));
      const around = dirname(folder);
      if (!hasLibraries || basename(around) === ".local") return [folder];
      const isState = basename(around).startsWith(".");
      return [folder, ...(isState ? programParts.map((part) => join(around, part)) : [around])];
    });
}

/** The nearest folder with a `.git`, from the workspace upwards; the workspace if there is none, or only at home or above. */
export async function projectOf(root: string): Promise<string> {
  const homes = await homeFolders();
  for (let folder = root; folder !== dirname(folder); folder = dirname(folder)) {
    if (homes.some((home) => contains(folder, home))) return root;
    if (await isThere(join(folder, ".git"))) return folder;
  }
  return root;
}

/**
 * The data of git that the `.git` of the project names, if it is a file. It counts only if that folder names the project as well:
 * the file came with the repository, and could name any folder.
 */
async function commonGitFolder(project: string): Promise<readonly string[]> {
  const [, named] = /^gitdir: (.+)$/m.exec(await beginning(join(project, ".git"))) ?? [];
  if (named === undefined) return [];
  const folder = resolve(project, named.trim());
  if (basename(dirname(folder)) === "worktrees") {
    const back = resolve(folder, (await beginning(join(folder, "gitdir"))).trim());
    return (await existing([back]))[0] === join(project, ".git") ? [dirname(dirname(folder))] : [];
  }
  const [, worktree] = /^\s*worktree\s*=\s*(.+)$/m.exec(await beginning(join(folder, "config"))) ?? [];
  if (worktree === undefined) return [];
  return (await existing([resolve(folder, worktree.trim())]))[0] === project ? [folder] : [];
}

/** The beginning of a file; empty if it can't be read. */
async function beginning(path: string): Promise<string> {
  const isFile = (await stat(path).catch(() => undefined))?.isFile() === true;
  return isFile ? (await readFile(path, "utf8").catch(() => "")).slice(0, 4096) : "";
}

/** The real paths of the paths that exist, each once. A path that this user can't look up can't be read by a command either. */
export async function existing(paths: readonly string[]): Promise<readonly string[]> {
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => undefined)));
  return [...new Set(real.filter((path) => path !== undefined))];
}

async function isThere(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
