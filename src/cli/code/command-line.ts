// Command lines: the files and folders that one names for the program that it starts, as far as that can be told from its words.

import { basename, join, resolve } from "node:path";
import type { Language } from "./imports.js";

/** The parts of a command line that run code. */
export interface LineParts {
  /** Absolute paths that its words may mean: files, folders, or nothing. */
  readonly paths: readonly string[];
  /** Files or folders that a program runs as a whole: `node ./server`. */
  readonly programs: readonly string[];
  /** Files of settings that say what is run: `package.json`, for example. Absolute paths that need not exist. */
  readonly settings: readonly string[];
  /** Texts of code in the words themselves. */
  readonly texts: readonly { readonly text: string; readonly language: Language; readonly folder: string }[];
  /** Scripts of a `package.json` that it runs, by the folder and the name. */
  readonly scripts: readonly { readonly folder: string; readonly name: string }[];
  /** Folders in which Python looks for modules. */
  readonly bases: readonly string[];
  /** What it runs that can't be told, in words for people. */
  readonly untold: readonly string[];
}

type Parts = { -readonly [Name in keyof LineParts]: LineParts[Name][number][] };

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));
const shells = set("sh bash dash zsh ksh ash fish");
const evaluators = set("node nodejs bun deno tsx ts-node");
const packageRunners = set("npm pnpm yarn bun");
const fetchers = set("npx pnpx bunx uvx pipx");
const projects: Readonly<Record<string, readonly string[]>> = {
  deno: ["deno.json", "deno.jsonc", "import_map.json"],
  bun: ["bunfig.toml", ".env", ".env.local", "tsconfig.json"],
  tsx: ["tsconfig.json"],
  "ts-node": ["tsconfig.json"],
  uv: ["pyproject.toml", "uv.lock", "uv.toml"],
  poetry: ["pyproject.toml", "poetry.lock"],
  pdm: ["pyproject.toml"],
  hatch: ["pyproject.toml"],
  pipenv: ["Pipfile", "Pipfile.lock"],
  make: ["Makefile", "makefile", "GNUmakefile"],
  just: ["justfile", "Justfile", ".justfile"],
  go: ["go.mod", "go.sum", "go.work"],
  cargo: ["Cargo.toml", "Cargo.lock", "build.rs", ".cargo/config.toml"],
  gradle: ["build.gradle", "build.gradle.kts", "settings.gradle"],
  mvn: ["pom.xml"],
  dotnet: ["Directory.Build.props"],
  docker: ["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"],
};
/** Programs that build or find what they run by their own rules. */
const unclear = set("uv poetry pdm hatch pipenv make just go cargo gradle mvn dotnet docker podman");

/** Reads the words of a command line that starts in a folder. */
export function readLine(words: readonly string[], folder: string): LineParts {
  const parts = noParts();
  addWords(parts, words, folder, 0);
  return parts;
}

/** Reads the text of a script of a shell. Words that only the shell knows are untold. */
export function readScript(text: string, folder: string, scriptFolder: string = folder): LineParts {
  const parts = noParts();
  addScript(parts, text, { folder, scriptFolder, depth: 0 });
  return parts;
}

/** Nothing that runs code. */
export function noParts(): Parts {
  return { paths: [], programs: [], settings: [], texts: [], scripts: [], bases: [], untold: [] };
}

/** Deeper commands in the words of commands are not read. */
const deepest = 5;

function addWords(parts: Parts, words: readonly string[], folder: string, depth: number): void {
  if (depth > deepest) return;
  for (const word of words) parts.paths.push(...pathsIn(word).map((path) => resolve(folder, path)));
  for (const [index, word] of words.entries()) {
    const name = basename(word)
      .replace(/\.(?:exe|cmd)$/i, "")
      .replace(/@.*$/, "");
    const rest = words.slice(index + 1);
    addProgram(parts, name, { rest, folder, depth });
  }
}

/** The words behind a program. */
interface Call {
  readonly rest: readonly string[];
  readonly folder: string;
  readonly depth: number;
}

function addProgram(parts: Parts, name: string, { rest, folder, depth }: Call): void {
  const after = (option: RegExp): string | undefined =>
    rest[rest.findIndex((word) => option.test(word)) + 1 || rest.length];
  if (shells.has(name)) {
    const text = after(/^-[a-z]*c[a-z]*$/);
    if (text !== undefined) addScript(parts, text, { folder, scriptFolder: folder, depth: depth + 1 });
  }
  if (/^(?:python|pypy)[\d.]*w?$/.test(name)) {
    const [module, text] = [after(/^-[A-Za-z]*m$/), after(/^-[A-Za-z]*c$/)];
    if (module !== undefined || text !== undefined) parts.bases.push(folder);
    if (module !== undefined)
      parts.texts.push({ text: `import ${module}\nimport ${module}.__main__`, language: "python", folder });
    if (text !== undefined) parts.texts.push({ text, language: "python", folder });
  }
  if (evaluators.has(name) || /^(?:(?:python|pypy)[\d.]*w?|ruby|php|perl|go)$/.test(name))
    parts.programs.push(...rest.filter((word) => !word.startsWith("-")).map((word) => resolve(folder, word)));
  if (evaluators.has(name)) {
    const text = after(/^(?:-[ep]|-pe|--eval|--print|eval)$/);
    if (text !== undefined) parts.texts.push({ text, language: "javascript", folder });
  }
  const home = resolve(folder, after(/^(?:--prefix|-C|--cwd|--dir|--directory|--project|-f)$/) ?? ".");
  parts.settings.push(
    ...(Object.hasOwn(projects, name) ? (projects[name] ?? []) : []).flatMap((file) => [
      join(home, file),
      join(folder, file),
    ]),
  );
  if (packageRunners.has(name)) addPackage(parts, rest, home);
  if (name === "deno" && rest[0] === "task") parts.untold.push("the task of deno.json");
  if (fetchers.has(name) || (packageRunners.has(name) && /^(?:exec|dlx|x)$/.test(rest[0] ?? ""))) {
    const tool = rest.find((word) => !word.startsWith("-") && !/^(?:exec|dlx|x|run)$/.test(word)) ?? "";
    parts.paths.push(join(folder, "node_modules/.bin", (tool.split("/").at(-1) ?? "").replace(/@.*$/, "") || "."));
    parts.untold.push(`the package ${tool}, which ${name} finds or fetches`);
  }
  if (unclear.has(name)) parts.untold.push(`what ${name} builds or finds itself`);
}

/** A script of `package.json`: `npm run x`, `yarn x`, `npm start`. */
function addPackage(parts: Parts, rest: readonly string[], folder: string): void {
  const words = rest.filter(
    (word, index) => !word.startsWith("-") && !/^(?:--prefix|-C|--cwd|--dir)$/.test(rest[index - 1] ?? ""),
  );
  const name = /^(?:run|run-script)$/.test(words[0] ?? "") ? words[1] : words[0];
  parts.settings.push(join(folder, "package.json"));
  if (name !== undefined) parts.scripts.push({ folder, name });
}

/** The paths that one word may mean: the whole word, the value of an option, and the parts of a list. */
function pathsIn(word: string): readonly string[] {
  if (word === "" || word.length > 4096 || word.includes("\0")) return [];
  const values = [word, word.replace(/^-{1,2}[^=/]*=/, ""), word.replace(/^-[A-Za-z](?=[./])/, "")];
  const all = values
    .flatMap((value) => [value, ...value.split(/[:;,]/)])
    .map((value) => value.replace(/^(?:file:\/\/|@)/, ""));
  return [...new Set(all)].filter((path) => path !== "" && !/^-|^[a-z]+:\/\//i.test(path));
}

/** The folders of a script: the folder in which it starts, and the folder of its file. */
interface ScriptPlace {
  readonly folder: string;
  readonly scriptFolder: string;
  readonly depth: number;
}

function addScript(parts: Parts, script: string, { folder, scriptFolder, depth }: ScriptPlace): void {
  if (depth > deepest) return;
  // A substitution stands for a folder, most often the script's folder. It runs its own commands.
  const inner: string[] = [];
  const text = script.replace(/\$\(([^()]*)\)|`([^`]*)`/g, (_all, one?: string, other?: string) => {
    inner.push(one ?? other ?? "");
    return "$_";
  });
  for (const one of inner) addScript(parts, one, { folder, scriptFolder, depth: depth + 1 });
  let at = folder;
  for (const line of text.split(/[;&|\n()]+/)) {
    const said = wordsIn(line);
    const [program, to] = said;
    if (program === "cd" && to !== undefined) at = resolve(to.includes("$") ? scriptFolder : at, plainOf(to));
    const computed = said.filter((word) => word.includes("$"));
    for (const word of computed)
      if (!/^"?\$(?:[@*#?0-9]|_\b)/.test(word)) parts.untold.push(`words that a shell computes (${word.slice(0, 60)})`);
    const words = said.map((word) => (word.includes("$") ? plainOf(word) : word));
    addWords(parts, words, at, depth + 1);
    if (at !== scriptFolder)
      for (const word of words) parts.paths.push(...pathsIn(word).map((path) => resolve(scriptFolder, path)));
  }
}

/** The words of a line of a shell, without quotes and without a comment. */
function wordsIn(line: string): readonly string[] {
  const found = [...line.matchAll(/(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\<>])+/gs)].map(([word]) => word);
  const comment = found.findIndex((word) => word.startsWith("#"));
  return (comment < 0 ? found : found.slice(0, comment))
    .map((word) =>
      word.replace(
        /"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/gs,
        (_all, double?: string, single?: string, char?: string) =>
          double?.replace(/\\(["\\$`])/g, "$1") ?? single ?? char ?? "",
      ),
    )
    .filter((word) => word !== "" && word !== "{" && word !== "}");
}

/** The path without a variable or a substitution at its beginning. */
function plainOf(word: string): string {
  return word.replace(/^(?:\$\w+|\$\{[^}]*\})\/*/, "") || ".";
}
