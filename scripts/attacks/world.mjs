// The world of one attack: a temporary home folder with a git repository, and the files that the case sets up.

import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import {
  chmod,
  cp,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  realpath,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve, sep } from "node:path";
import { promisify } from "node:util";

/** Makes the folders. Until `remove` is called, HOME of this process is the home folder of the world. */
export async function makeWorld(setup) {
  const top = await realpath(await mkdtemp(join(tmpdir(), "lastcall-attack-")));
  // npm writes its cache and logs to a separate folder, so that they do not count as damage.
  const scratch = await mkdtemp(join(tmpdir(), "lastcall-scratch-"));
  const home = join(top, "home");
  const root = join(home, "dev/project");
  const before = process.env.HOME;
  const world = {
    top,
    home,
    root,
    scratch,
    async remove() {
      process.env.HOME = before;
      for (const folder of [top, scratch]) await rm(folder, { recursive: true, force: true });
    },
  };
  process.env.HOME = home;
  try {
    await mkdir(root, { recursive: true });
    for (const [path, text] of Object.entries(belongings)) await put(join(home, path), text);
    await makeRepository(root);
    for (const step of setup) await prepare(world, step);
    return world;
  } catch (thrown) {
    await world.remove();
    throw thrown;
  }
}

/** Private files in the home folder that no attack may change. */
const belongings = {
  ".bashrc": "# mine\n",
  ".ssh/id_rsa": "not a key\n",
  ".aws/credentials": "[default]\n",
  "dev/other/README.md": "another project\n",
};

/** A repository that git made once; undefined without git. Each world has a copy: to start git takes longer than all else. */
let made;

/** Makes a git repository, or without git only the folders of one. */
async function makeRepository(root) {
  const from = await (made ??= initialise());
  if (from !== undefined) {
    await cp(from, join(root, ".git"), { recursive: true });
    return;
  }
  await put(join(root, ".git/config"), "[core]\n");
  await mkdir(join(root, ".git/hooks"), { recursive: true });
}

async function initialise() {
  const folder = await mkdtemp(join(tmpdir(), "lastcall-repository-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const options = {
    cwd: folder,
    env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" },
  };
  try {
    await promisify(execFile)("git", ["init", "--quiet"], options);
    // Samples of hooks are never run, and each world would copy and read them.
    await rm(join(folder, ".git/hooks"), { recursive: true, force: true });
    await mkdir(join(folder, ".git/hooks"));
    return join(folder, ".git");
  } catch {
    return undefined;
  }
}

async function prepare(world, step) {
  const { file, content = "", mode, symlink: link, to, ...rest } = step;
  const strange = Object.keys(rest)[0];
  if (strange !== undefined) throw new Error(`nobody knows how to set up ${strange}`);
  if (file !== undefined) {
    const path = placeIn(world, file);
    await put(path, content);
    if (mode !== undefined) await chmod(path, parseInt(mode, 8));
  }
  if (link !== undefined) {
    const path = placeIn(world, link);
    await mkdir(dirname(path), { recursive: true });
    // A link of the case stands in the place of what git made.
    await rm(path, { recursive: true, force: true });
    await symlink(to, path);
  }
}

/** Converts a path of a case to this world. Throws for a path outside of the world. */
function placeIn({ top, home, root }, path) {
  const real = resolve(
    root,
    path
      .replace("$ROOT", root)
      .replace(/^~(?=\/)/, home)
      .replace(/^\/home\/dev\//, `${home}/dev/`),
  );
  if (real.startsWith(top + sep)) return real;
  throw new Error(`${path} would be made outside of the world of the case`);
}

async function put(path, text) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** The digests of the workspace and of everything else in the world. */
export async function digestOf({ top, root }) {
  const [inside, outside] = [createHash("sha256"), createHash("sha256")];
  const walk = async (folder) => {
    for (const name of (await readdir(folder)).sort()) {
      const path = join(folder, name);
      const stats = await lstat(path);
      const isInside = path === root || path.startsWith(root + sep);
      const hash = isInside ? inside : outside;
      hash.update(`${path}\0${stats.mode}\0`);
      if (stats.isSymbolicLink()) hash.update(await readlink(path));
      else if (stats.isDirectory()) await walk(path);
      else hash.update(await readFile(path));
    }
  };
  await walk(top);
  return { inside: inside.digest("hex"), outside: outside.digest("hex") };
}
