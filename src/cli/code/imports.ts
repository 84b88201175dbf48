// Imports: the files that a text of code names, as far as that can be told from its words.

import { extname, join, resolve } from "node:path";

/** The language of a text, by which its imports are found. */
export type Language = "javascript" | "python" | "shell" | "other";

/** The files that a text names. */
export interface Named {
  /** Of each name, the absolute paths that it may mean: first as it is written. They need not exist, and may be folders. */
  readonly paths: readonly (readonly string[])[];
  /** True if it runs files whose names it computes. */
  readonly isComputed: boolean;
  /** True if it names packages that are installed. */
  readonly hasPackages: boolean;
}

/** A text of code, and the folders from which it names files. */
export interface Code {
  readonly text: string;
  /** The folder of its file. */
  readonly folder: string;
  /** The folders in which its names are looked up besides: the folder in which the program starts, and the folders of Python's path. */
  readonly bases: readonly string[];
}

/** The endings of files that Node, Deno or Bun may run, or that modules import as data. */
const scriptEndings: readonly string[] = [".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx", ".json"];

/** The endings of files that some program runs. */
export const codeEndings: ReadonlySet<string> = new Set([
  ...scriptEndings.filter((ending) => ending !== ".json"),
  ...".py .pyw .pyc .pth .so .rb .php .pl .pm .lua .sh .bash .zsh .node .wasm .jar .class .dll .exe".split(" "),
]);

/** The language of a file, by its ending or its first line. */
export function languageOf(path: string, text: string): Language {
  const ending = extname(path);
  const [first = ""] = /^#![^\n]*/.exec(text) ?? [];
  if (scriptEndings.includes(ending) || /\b(?:node|deno|bun|tsx|ts-node)\b/.test(first)) return "javascript";
  if (/^\.pyw?$/.test(ending) || /\b(?:python|pypy)/.test(first)) return "python";
  return /^\.(?:ba|z|k)?sh$/.test(ending) || /\b(?:ba|da|z|k|a)?sh\b/.test(first) ? "shell" : "other";
}

/**
 * The files that a text names in JavaScript, in Python, or in quotes. The files that a shell's code names are words: see `command-line.ts`.
 */
export function namedInCode(language: Language, code: Code): Named {
  return language === "python" ? namedInPython(code) : namedInQuotes(language, code);
}

/** The quoted words that are relative paths, or end as code does. A path may lack its ending, or have the compiled file's ending. */
function namedInQuotes(language: Language, { text, folder, bases }: Code): Named {
  const paths = quotedIn(text).flatMap((word): readonly (readonly string[])[] => {
    const [plain = ""] = word.split("${");
    const isCut = plain !== word;
    const path = isCut ? plain.replace(/[^/]*$/, "") : plain.replace(/^file:\/\//, "");
    if (/^\.{1,2}(?:\/|$)/.test(path)) {
      const named = resolve(folder, path);
      return [isCut ? [named] : withEndings(language, named)];
    }
    return isCut || !codeEndings.has(extname(path)) ? [] : [folder, ...bases].map((base) => [resolve(base, path)]);
  });
  const isComputed =
    /\b(?:import|require|eval|Function)\s*\(\s*(?!["'`)])/.test(text) || /`[^`]*\$\{[^`]*`\s*\)/.test(text);
  const hasPackages = /(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*["'](?!\.|node:|file:|\/)/.test(text);
  return { paths, isComputed, hasPackages };
}

/** What stands between two quotes of any kind. An apostrophe in a comment hides no word. */
function quotedIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/["'`]([^"'`\n\\]{1,300})(?=["'`])/g)].map(([, word = ""]) => word))];
}

function withEndings(language: Language, path: string): readonly string[] {
  if (language !== "javascript") return [path, `${path}.rb`, `${path}.php`, `${path}.pl`, `${path}.lua`];
  return [
    path,
    path.replace(/\.([mc]?)js$/, ".$1ts"),
    path.replace(/\.js$/, ".tsx"),
    ...[...scriptEndings, ".node"].flatMap((ending) => [`${path}${ending}`, join(path, `index${ending}`)]),
  ];
}

/** The modules that Python may find on its path, or beside the file itself, and quoted names of files of code. */
function namedInPython({ text, folder, bases }: Code): Named {
  const paths: string[] = [];
  const add = (from: string, name: string, members: readonly string[]): void => {
    const parts = name.split(".").filter((part) => part !== "");
    const ways = parts.map((_part, index) => join(from, ...parts.slice(0, index + 1)));
    const inside = ["", ...members].map((member) => join(from, ...parts, member));
    for (const way of [...ways, ...inside]) paths.push(`${way}.py`, join(way, "__init__.py"));
  };
  for (const [, dots = "", name = "", members = ""] of text.matchAll(
    /^[^\S\n]*from\s+(\.*)([\w.]*)\s+import\s+(\([^)]*\)|[^\n#]+)/gm,
  )) {
    const above = resolve(folder, ...Array.from({ length: Math.max(0, dots.length - 1) }, () => ".."));
    for (const from of dots === "" ? bases : [above]) add(from, name, members.match(/\b[A-Za-z_]\w*/g) ?? []);
  }
  const names = [...text.matchAll(/(?:^|[;:])[^\S\n]*import\s+([^\n#;]+)/gm)].flatMap(([, list = ""]) =>
    list.split(","),
  );
  for (const name of names) for (const from of bases) add(from, /[\w.]+/.exec(name)?.[0] ?? "", []);
  const isComputed = /\b(?:importlib|__import__|exec|eval|runpy)\b/.test(text);
  for (const word of quotedIn(text)) {
    const isModule = isComputed && /^[A-Za-z_][\w.]*$/.test(word);
    for (const from of isModule ? bases : []) add(from, word, []);
    if (codeEndings.has(extname(word))) paths.push(...[folder, ...bases].map((base) => resolve(base, word)));
  }
  return { paths: paths.map((path) => [path]), isComputed, hasPackages: true };
}
