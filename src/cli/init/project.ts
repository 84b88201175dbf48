// A project: made from a template in a new folder, or added to a folder that has one. Nothing that is there is overwritten.

import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { explain, isPlainObject } from "../../core/internal.js";
import { wrong } from "../args/options.js";
import { visible } from "../display/visible.js";
import { expectPackageName, likePackage } from "./package-name.js";
import type { Template } from "./template.js";

/** A folder for a project. */
export interface Place {
  /** The absolute path. It need not exist. */
  readonly folder: string;
  /** True if the user named the folder, so that npm has to take its name. */
  readonly isNamed: boolean;
  /** The package.json of the folder; undefined if it has none. */
  readonly manifest: string | undefined;
  /** The names in the folder. */
  readonly names: readonly string[];
}

/** A project that was made. */
export interface Project {
  /** The paths of the files that were made, relative to the folder. */
  readonly made: readonly string[];
  /** Files that were there already, and stay as they are. */
  readonly kept: readonly string[];
  /** Scripts of package.json that were there already, with the command that the template has for each. */
  readonly keptScripts: readonly (readonly [name: string, command: string])[];
}

/** Names that a folder without a package.json may have: a new repository has some of these. */
const beginnings: ReadonlySet<string> = new Set([
  ".git",
  ".gitignore",
  ".DS_Store",
  "LICENSE",
  "LICENSE.md",
  "README.md",
]);

/** Files of a template that a folder may have already: its own files stay. */
const shared: ReadonlySet<string> = new Set([".gitignore", "CHANGELOG.md", "README.md", "tsconfig.json"]);

/**
 * Looks at the folder.
 * @throws LastcallError `configuration` if it is no folder, can't be read, or has files and no package.json.
 */
export async function lookAt(folder: string, isNamed: boolean): Promise<Place> {
  const shown = visible(folder);
  const about = await stat(folder).catch(() => undefined);
  if (about === undefined) return { folder, isNamed, manifest: undefined, names: [] };
  if (!about.isDirectory()) throw wrong(`${shown} is a file. Name a folder: lastcall init my-agent`, "init");
  const { names, manifest } = await contentsOf(folder).catch((thrown: unknown) => {
    throw wrong(`${shown} can't be read: ${explain(thrown)}`, "init");
  });
  const [stranger] = names.filter((name) => !beginnings.has(name)).sort();
  if (manifest !== undefined || stranger === undefined) return { folder, isNamed, manifest, names };
  throw wrong(
    `${shown} is not empty: it has ${visible(stranger)}, and no package.json. Nothing was changed. Name a new folder, as in lastcall init my-agent, or make a package of this one: npm init -y`,
    "init",
  );
}

async function contentsOf(folder: string): Promise<Pick<Place, "names" | "manifest">> {
  const names = await readdir(folder);
  const hasManifest = names.includes("package.json");
  return { names, manifest: hasManifest ? await readFile(join(folder, "package.json"), "utf8") : undefined };
}

/**
 * Makes the project. Everything is checked before the first file is written.
 * @throws LastcallError `configuration` that says what is in the way.
 */
export async function makeProject(place: Place, template: Template): Promise<Project> {
  const { folder, names, manifest } = place;
  const joined = manifest === undefined ? newManifest(place, template) : joinManifests(place, template);
  const kept = [...template.files.keys()].filter((path) => names.includes(path) && shared.has(path));
  const files = [...template.files].filter(([path]) => !kept.includes(path));
  const there = await Promise.all(files.map(async ([path]) => ((await isThere(join(folder, path))) ? [path] : [])));
  const inTheWay = there.flat();
  if (inTheWay.length > 0)
    throw wrong(
      `${visible(folder)} has ${inTheWay.join(", ")} already, which the template has, too. Nothing was changed. Move what is there away, or name a new folder`,
      "init",
    );
  const written: string[] = [];
  try {
    for (const [path, text] of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text, { flag: "wx" });
      written.push(path);
    }
    await replace(join(folder, "package.json"), joined.text);
  } catch (thrown) {
    // The files would be in the way of the next try.
    await Promise.all(written.map((path) => rm(join(folder, path), { force: true })));
    throw wrong(
      `The project can't be written in ${visible(folder)}: ${explain(thrown)}. No file of it is left`,
      "init",
    );
  }
  const made = [...files.map(([path]) => path), ...(manifest === undefined ? ["package.json"] : [])];
  return { made, kept, keptScripts: joined.keptScripts };
}

/** The script `test` of `npm init`, which stands for none. */
const noTest = 'echo "Error: no test specified" && exit 1';

interface Joined extends Pick<Project, "keptScripts"> {
  readonly text: string;
}

function newManifest({ folder, isNamed }: Place, { manifest }: Template): Joined {
  const name = basename(folder);
  const packages = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies });
  const like = likePackage(name);
  if (isNamed) expectPackageName(name, packages);
  const fits = like !== "" && !packages.includes(like);
  return { text: textOf({ ...manifest, name: fits ? like : "my-agent" }), keptScripts: [] };
}

/**
 * The package.json of the folder with the scripts and packages of the template that it lacks.
 * @throws LastcallError `configuration` if it can't be read, or makes no ES modules.
 */
function joinManifests({ folder, manifest = "" }: Place, template: Template): Joined {
  const path = visible(join(folder, "package.json"));
  const own = parsed(manifest, path);
  if (own["type"] !== "module")
    throw wrong(
      `${path} has no "type": "module", and the files of a template are ES modules. Nothing was changed. Change it if nothing in the folder needs it otherwise: npm pkg set type=module`,
      "init",
    );
  const part = (name: string): Readonly<Record<string, unknown>> => (isPlainObject(own[name]) ? own[name] : {});
  const [dependencies, devDependencies] = [part("dependencies"), part("devDependencies")];
  const scripts = Object.fromEntries(Object.entries(part("scripts")).filter(([, line]) => line !== noTest));
  const missing = Object.entries(template.manifest.scripts).filter(([name]) => !(name in scripts));
  const lacks = ([name]: [string, string]): boolean => !(name in dependencies) && !(name in devDependencies);
  const added = (wanted: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(wanted).filter(lacks));
  const whole = {
    ...own,
    scripts: { ...scripts, ...Object.fromEntries(missing) },
    dependencies: sorted({ ...added(template.manifest.dependencies), ...dependencies }),
    devDependencies: sorted({ ...added(template.manifest.devDependencies), ...devDependencies }),
  };
  const keptScripts = Object.entries(template.manifest.scripts).filter(
    ([name, command]) => name in scripts && scripts[name] !== command,
  );
  const [, indent = "  "] = /^\{\r?\n([ \t]+)/.exec(manifest) ?? [];
  return { text: textOf(whole, indent), keptScripts };
}

function parsed(text: string, path: string): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(text);
    if (isPlainObject(read)) return read;
  } catch (thrown) {
    throw wrong(`${path} can't be read: ${explain(thrown)}. Nothing was changed. Mend it first`, "init");
  }
  throw wrong(`${path} holds no object. Nothing was changed. Mend it first`, "init");
}

function sorted(packages: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(packages).sort(([one], [other]) => (one < other ? -1 : 1)));
}

function textOf(manifest: Readonly<Record<string, unknown>>, indent = "  "): string {
  return `${JSON.stringify(manifest, null, indent)}\n`;
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Writes a file whole or not at all. */
async function replace(path: string, text: string): Promise<void> {
  const fresh = `${path}.${randomUUID()}.new`;
  await writeFile(fresh, text);
  await rename(fresh, path);
}
