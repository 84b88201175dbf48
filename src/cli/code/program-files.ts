// The files of a program: the files that it is started with, the files that they import, and the places at which a new file would
// take part.

import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, extname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { isPlainObject } from "../../core/internal.js";
import type { ReadFile, ReadOnce } from "../display/read-once.js";
import { noParts, readLine, readScript, type LineParts } from "./command-line.js";
import { codeEndings, languageOf, namedInCode, type Code, type Language } from "./imports.js";

/** A place of which files that are made or changed take part in a program. */
export interface Place {
  /** The absolute path of the folder. */
  readonly folder: string;
  /** The names in it, as a pattern; a plain name is escaped already. */
  readonly pattern: string;
}

/** What is known of the code of a program, as far as it lies in the workspace. */
export interface ProgramFiles {
  /** The files, as they were read. Their digest is the program's digest. */
  readonly files: readonly ReadFile[];
  /** Absolute paths that no tool writes: the files that run, and the links that lead to them. */
  readonly kept: readonly string[];
  /** Places in which a write is asked about. */
  readonly asked: readonly Place[];
  /** What it runs that can't be told, in words for people. */
  readonly untold: readonly string[];
}

/** A command line, with the folder that it starts in and its own variables. */
export interface ProgramLine {
  readonly words: readonly string[];
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
  /** True if it is a tool for the work, so that the folders of its files are no part of the program. */
  readonly isForFiles?: boolean;
}

/** Files that one program may consist of. */
const mostFiles = 400;

/** Folders that are no part of a program, or whose files are told otherwise. */
const passedOver: ReadonlySet<string> = new Set(["node_modules", ".git", "__pycache__", ".venv", "venv"]);

/** Collects the files of programs. */
export class ProgramWalk {
  readonly #root: string;
  readonly #within: string;
  readonly #read: ReadOnce;
  readonly #files = new Map<string, ReadFile>();
  readonly #kept = new Set<string>();
  readonly #asked = new Map<string, Place>();
  readonly #untold = new Set<string>();
  readonly #bases = new Set<string>();
  readonly #seen = new Set<string>();

  /** Files outside of `within` are no part of a program. The workspace, and the folders around it, are never one as a whole. */
  constructor(root: string, read: ReadOnce, within: string = root) {
    this.#root = resolve(root);
    this.#within = resolve(within);
    this.#read = read;
  }

  get found(): ProgramFiles {
    return {
      files: [...this.#files.values()],
      kept: [...this.#kept],
      asked: [...this.#asked.values()],
      untold: [...this.#untold],
    };
  }

  /** Adds a command line. The folders of the files that it names are part of the program. */
  async line({ words, folder, variables, isForFiles = false }: ProgramLine): Promise<void> {
    const [command = "", ...args] = words;
    const path = variables["PATH"] ?? process.env["PATH"] ?? "";
    const programs = /[\\/]/.test(command) ? [] : path.split(":").map((one) => resolve(folder, one, command));
    for (const one of variables["PYTHONPATH"]?.split(":") ?? []) this.#bases.add(resolve(folder, one));
    const inVariables = readLine(
      Object.values(variables).flatMap((value) => value.split(/\s+/)),
      folder,
    ).paths;
    const isNamed = (word: string): boolean => /[\\/]/.test(word) || codeEndings.has(extname(word));
    const whole = readLine(words, folder);
    // A program without a slash is found on PATH, and not in the folder.
    const named = whole.paths.filter((one) => /[\\/]/.test(command) || one !== resolve(folder, command));
    const paths = [...named, ...programs, ...inVariables];
    if (isForFiles) {
      const scripts = paths.filter((one) => !one.includes(`${sep}node_modules${sep}`));
      return this.#parts({ ...noParts(), paths: scripts }, { folder, isEntry: false });
    }
    await this.#parts({ ...whole, paths }, { folder, isEntry: true });
    for (const word of args.filter(isNamed)) await this.#missing(resolve(folder, word));
  }

  /** Adds the files that a module consists of. Its folder does not take part, unless it computes names. */
  async module(path: string): Promise<void> {
    await this.#file(path, dirname(path), true);
  }

  async #parts(
    parts: LineParts,
    { folder, isEntry }: { readonly folder: string; readonly isEntry: boolean },
  ): Promise<void> {
    for (const base of parts.bases) this.#base(base);
    for (const what of parts.untold) this.#untold.add(what);
    for (const path of new Set(parts.paths))
      if ((await this.#file(path, folder, true)) && isEntry) await this.#folderOf(path);
    for (const path of parts.programs) await this.#program(path, folder);
    for (const path of parts.settings) await this.#settings(path);
    for (const { text, language, folder: at } of parts.texts) await this.#text(language, { text, folder: at }, at);
    for (const { folder: at, name } of parts.scripts) await this.#script(at, name);
  }

  /** A file that runs, under all of its names. True if there is one in the workspace. `isStarted`: it is no import. */
  async #file(path: string, start: string, isStarted = false): Promise<boolean> {
    const real = await realpath(path).catch(() => undefined);
    if (real === undefined || !(await isFile(real))) return false;
    const names = [...new Set([resolve(path), real])].filter((name) => this.#isInside(name));
    if (names.length === 0) return false;
    for (const name of names) for (const kept of [name, ...(await this.#links(name))]) this.#kept.add(kept);
    const [name = path] = names;
    if (this.#files.has(name)) return true;
    if (this.#files.size >= mostFiles) {
      this.#untold.add(`more than ${String(mostFiles)} files`);
      return true;
    }
    const read = await this.#read.code(name).catch(() => undefined);
    if (read === undefined) {
      this.#untold.add(`${basename(name)}, which can't be read`);
      return true;
    }
    this.#files.set(name, read);
    if (extname(name) === ".json") return true;
    const language = languageOf(name, read.text);
    const folder = dirname(name);
    if (language === "python" && isStarted) this.#base(folder);
    if (language === "shell")
      await this.#parts(readScript(read.text, start, folder), { folder: start, isEntry: false });
    else await this.#text(language, { text: read.text, folder }, start, name);
    const [first = ""] = /^#![^\n]*/.exec(read.text) ?? [];
    if (first !== "")
      await this.#parts(readLine(first.slice(2).trim().split(/\s+/).slice(1), start), {
        folder: start,
        isEntry: false,
      });
    return true;
  }

  /** The files that a text names. */
  async #text(language: Language, { text, folder }: Omit<Code, "bases">, start: string, path?: string): Promise<void> {
    if (language === "shell") return this.#parts(readScript(text, start, folder), { folder: start, isEntry: false });
    const bases = language === "python" ? [...this.#bases] : [start];
    const { paths, isComputed, hasPackages } = namedInCode(language, { text, folder, bases });
    const subject = path === undefined ? "its command line" : basename(path);
    if (isComputed) this.#untold.add(`files whose names ${subject} computes`);
    if (isComputed && path !== undefined) await this.#folderOf(path);
    if (hasPackages) this.#untold.add("packages that are installed");
    if (/["'`]#[\w/]/.test(text)) await this.#settings(join(folder, "package.json"));
    for (const [written = "", ...others] of paths) {
      const isFound = await this.#file(written, start);
      for (const other of others) await this.#file(other, start);
      if (isFound || language === "python") continue;
      if (written.endsWith("/") || (isComputed && (await isFolder(written)))) await this.#folder(resolve(written));
      else await this.#missing(written);
    }
  }

  /** A file or folder that a program runs as a whole. */
  async #program(path: string, start: string): Promise<void> {
    if (!(await isFolder(path)) || !this.#isInside(path)) return;
    const names = ["index.js", "index.mjs", "index.cjs", "index.ts", "__main__.py", "main.go", "main.ts"];
    for (const name of names) await this.#file(join(path, name), start);
    const main = await this.#settings(join(path, "package.json"));
    for (const [, to = ""] of main.matchAll(/"((?:\.\/)?[^"\n]+\.[mc]?[jt]s)"/g))
      await this.#file(resolve(path, to), start);
    await this.#folder(path);
  }

  /** A file that says what is run. A tool may change it if a person agrees. Returns its text; empty without one. */
  async #settings(path: string): Promise<string> {
    if (!this.#isInside(path)) return "";
    this.#ask(dirname(path), escaped(basename(path)));
    const read = (await isFile(path)) ? await this.#read.code(path).catch(() => undefined) : undefined;
    if (read !== undefined) this.#files.set(path, read);
    return read?.text ?? "";
  }

  /** A script of a `package.json`, with the scripts that run before and after it. */
  async #script(folder: string, name: string): Promise<void> {
    const text = await this.#settings(join(folder, "package.json"));
    let scripts: unknown;
    try {
      scripts = (JSON.parse(text) as { readonly scripts?: unknown }).scripts;
    } catch {
      scripts = undefined;
    }
    const lines = [`pre${name}`, name, `post${name}`].map((one) => (isPlainObject(scripts) ? scripts[one] : undefined));
    for (const line of lines) if (typeof line === "string") await this.#text("shell", { text: line, folder }, folder);
  }

  async #folderOf(path: string): Promise<void> {
    const real = await realpath(path).catch(() => path);
    for (const name of new Set([resolve(path), real])) await this.#folder(dirname(name));
  }

  /** A folder whose files are part of the program, unless it is the workspace itself. */
  async #folder(folder: string): Promise<void> {
    if (contains(folder, this.#root) || !this.#isInside(folder) || passedOver.has(basename(folder))) return;
    if (this.#seen.has(folder)) return;
    this.#seen.add(folder);
    this.#ask(folder, "");
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) await this.#folder(path);
      else if (codeEndings.has(extname(entry.name)) && (await isFile(path))) await this.#part(path);
    }
  }

  /** A file of a folder. It may change if a person agrees. */
  async #part(path: string): Promise<void> {
    if (this.#files.has(path)) return;
    const read = this.#files.size < mostFiles ? await this.#read.code(path).catch(() => undefined) : undefined;
    if (read === undefined) this.#untold.add(`files of ${relative(this.#root, dirname(path))}`);
    else this.#files.set(path, read);
  }

  /** A folder in which Python looks for modules: a module that is made there takes the place of any other module of its name. */
  #base(folder: string): void {
    this.#bases.add(folder);
    if (!this.#isInside(folder)) return;
    for (const pattern of ["*.py", "*.so", "*/__init__.py", "__pycache__/**"]) this.#ask(folder, pattern);
  }

  /** A path at which there is nothing yet, and which the program would run. */
  async #missing(path: string): Promise<void> {
    if (contains(path, this.#root) || !this.#isInside(path)) return;
    const isThere = await stat(path).then(
      () => true,
      () => false,
    );
    if (!isThere) this.#ask(dirname(path), escaped(basename(path)));
  }

  #ask(folder: string, pattern: string): void {
    this.#asked.set(join(folder, pattern), { folder, pattern });
  }

  #isInside(path: string): boolean {
    return contains(this.#within, path);
  }

  /** The links on the way from the workspace to the path. */
  async #links(path: string): Promise<readonly string[]> {
    const links: string[] = [];
    for (let at = path; !contains(at, this.#root) && this.#isInside(at); at = dirname(at))
      if ((await lstat(at).catch(() => undefined))?.isSymbolicLink() === true) links.push(at);
    return links;
  }
}

/** True if the path is the folder, or in it. */
function contains(folder: string, path: string): boolean {
  const below = relative(folder, path);
  return !isAbsolute(below) && below.split(sep)[0] !== "..";
}

/** The name as a pattern that means it alone. */
export function escaped(name: string): string {
  return name.replace(/[*?[\]{}()!+@\\]/g, "\\$&");
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
