// Writes the pages of the site from the pages of the repository: `src/content/docs` and `public/files`, which git does not keep.

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { base } from "./address.mjs";
import { apiPages } from "./api.mjs";
import { summaryOf, titled, withLinks } from "./rewrite.mjs";
import { placed, unplaced } from "./structure.mjs";

const root = resolve(import.meta.dirname, "..");
const content = join(import.meta.dirname, "src/content/docs");
const publicFiles = join(import.meta.dirname, "public/files");

const read = (file) => readFileSync(join(root, file), "utf8");

/** The Markdown files that have to be on the site. */
export function pagesOf() {
  const inFolder = (name) =>
    readdirSync(join(root, name))
      .filter((file) => file.endsWith(".md"))
      .map((file) => `${name}/${file}`);
  return ["docs", "docs/guide"].flatMap(inFolder);
}

/** The decisions, each with its file and its address. */
function decisions() {
  return readdirSync(join(root, "docs/adr"))
    .filter((file) => file.endsWith(".md"))
    .sort()
    .map((file) => ({ file: `docs/adr/${file}`, id: `why/decisions/${basename(file, ".md")}` }));
}

/** The examples: a file is a page, and a folder is a page of its README and its files. */
function examples() {
  const files = readdirSync(join(root, "examples"), { withFileTypes: true });
  return files.flatMap((entry) => {
    const path = `examples/${entry.name}`;
    if (entry.isFile() && /\.m?ts$/.test(entry.name)) return [{ file: path, files: [path] }];
    if (!entry.isDirectory()) return [];
    const inside = readdirSync(join(root, path))
      .filter((name) => !name.startsWith("."))
      .map((name) => `${path}/${name}`);
    const readme = `${path}/README.md`;
    if (!inside.includes(readme)) return inside.map((file) => ({ file, files: [file] }));
    return [{ file: readme, files: inside.filter((file) => file !== readme) }];
  });
}

const exampleId = (file) => {
  const name =
    basename(file) === "README.md" ? basename(dirname(file)) : basename(file).replace(/\.eval\.mjs$|\.\w+$/, "");
  return `start/examples/${name}`;
};

/** The address of a file that no list of the site has. */
const fileId = (file) =>
  `reference/files/${file
    .toLowerCase()
    .replace(/\.md$/, "")
    .replace(/[^a-z0-9]+/g, "-")}`;

/** Every page that is made of a file of the repository. */
function sources() {
  const pages = placed();
  const missing = unplaced(pagesOf());
  if (missing.length > 0)
    throw new Error(`No place on the site for ${missing.join(", ")}: give it one in site/structure.mjs.`);
  const gone = pages.filter(({ file }) => !existsSync(join(root, file)));
  if (gone.length > 0)
    throw new Error(`site/structure.mjs names ${gone.map(({ file }) => file).join(", ")}, and there is no such file.`);
  const of = (page) => ({ ...page, text: () => read(page.file) });
  return [
    ...pages.map(of),
    ...decisions().map((page) => ({ ...of(page), isDecision: true })),
    ...examples().map(({ file, files }) => ({ file, id: exampleId(file), text: () => exampleText(file, files) })),
  ];
}

/** An example as Markdown: what its README or its first comment says, then its files. */
function exampleText(file, files) {
  const intro = file.endsWith(".md") ? read(file).trimEnd() : `# ${basename(file)}\n\n${openingOf(read(file))}`;
  const isAlone = files.length === 1;
  const blocks = files
    .filter((each) => !/lock\.json$/.test(each) && statSync(join(root, each)).isFile())
    .map((each) => {
      const heading = isAlone ? "" : `## ${basename(each)}\n\n`;
      return `${heading}\`\`\`\`${languageOf(each)}\n${read(each).trimEnd()}\n\`\`\`\``;
    });
  return `${[intro, ...blocks].join("\n\n")}\n`;
}

/** The language of a file, for its colours. The highlighter does not know the language of workerd's settings. */
function languageOf(file) {
  const language = extname(file).slice(1);
  return language === "capnp" ? "text" : language;
}

/** The words of a file's first comment. */
function openingOf(code) {
  const lines = code.split("\n");
  const end = lines.findIndex((line) => !line.startsWith("//"));
  const words = lines.slice(0, end).map((line) => line.replace(/^\/\/ ?/, ""));
  return words.join("\n").trim();
}

function frontmatter(fields) {
  const lines = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  return `---\n${lines.join("\n")}\n---\n\n`;
}

/** The files that this run wrote, or found as they have to be. */
const written = new Set();

/** Writes a page if it is another one than before, so that a server that watches shows no more than the change. */
function write(id, fields, body) {
  const file = join(content, `${id}.md`);
  const text = `${frontmatter(fields)}${body}`;
  written.add(file);
  if (existsSync(file) && readFileSync(file, "utf8") === text) return;
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

function removeOthers() {
  for (const name of readdirSync(content, { recursive: true })) {
    const file = join(content, name);
    if (statSync(file).isFile() && !written.has(file)) rmSync(file);
  }
}

/** The address of a file of the repository on the site. A file without a page gets one: `more` is told of it. */
function addresses(pages, more) {
  const routes = new Map([["README.md", base], ...pages.map(({ file, id }) => [file, `${base}${id}/`])]);
  for (const { file, files } of examples()) for (const each of files) routes.set(each, `${base}${exampleId(file)}/`);
  return (target, from) => {
    const route = routes.get(target);
    if (route !== undefined) return route;
    if (target === "llms.txt") return `${base}llms.txt`;
    if (/\.(?:png|svg|json)$/.test(target)) return copied(target);
    if (!statSync(join(root, target), { throwIfNoEntry: false })?.isFile())
      throw new Error(`${from} links to ${target}, and there is no such file.`);
    const id = fileId(target);
    routes.set(target, `${base}${id}/`);
    more({ file: target, id, text: () => (target.endsWith(".md") ? read(target) : exampleText(target, [target])) });
    return `${base}${id}/`;
  };
}

/** The address of a picture, or of data, which the site has as it is. */
function copied(file) {
  mkdirSync(publicFiles, { recursive: true });
  copyFileSync(join(root, file), join(publicFiles, basename(file)));
  return `${base}files/${basename(file)}`;
}

/** The list of all decisions, the newest first. */
function decisionsPage() {
  const rows = decisions().map(({ file, id }) => {
    const { title, number } = titled(read(file));
    return `| ${String(number)} | [${title}](${base}${id}/) |`;
  });
  const text = `Each decision has its reasons, its costs, and what was rejected. The newest stands first.`;
  write(
    "why/decisions/index",
    { title: "Decisions", description: text, above: "Why", tableOfContents: false },
    `${text}\n\n| number | decision |\n| --- | --- |\n${rows.toReversed().join("\n")}\n`,
  );
}

/** Writes all pages, and removes pages of the past. The pages of the API are made of what TypeDoc wrote before: see api.mjs. */
function sync() {
  const pages = sources();
  // Pages that are found meanwhile come behind the others.
  const addressOf = addresses(pages, (page) => pages.push(page));
  const lastOfGuide = Math.max(...pages.map(({ file }) => Number(/^docs\/guide\/(\d+)-/.exec(file)?.[1] ?? 0)));
  for (const { file, id, section, text, isDecision } of pages) {
    const { title, number, body } = titled(text());
    const isGuide = file.startsWith("docs/guide/") && number !== undefined;
    const above = isDecision
      ? `Why · Decision ${String(number)}`
      : isGuide
        ? `${section} · Guide ${String(number)} of ${String(lastOfGuide)}`
        : (section ?? (file.startsWith("examples/") ? "Example" : "File"));
    const isListed = section !== undefined;
    const alone = isListed ? {} : { prev: false, next: false };
    write(id, { title, description: summaryOf(body), above, ...alone }, withLinks(body, file, addressOf));
  }
  decisionsPage();
  for (const { id, fields, body } of apiPages()) write(id, fields, body);
  removeOthers();
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) sync();
