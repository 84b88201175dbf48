// Walks README, the guide and every other page with code from an empty folder, with the packed package and exactly the packages that each
// page names: `node scripts/walk-guide.mjs --node 22 --with pnpm`. Words choose pages by their paths: `node scripts/walk-guide.mjs guide/1-`.
//
// A reader's folder is made by the first page of the guide. A page that installs more gets a folder of its own. Blocks of TypeScript are
// compiled as they stand and run; what they print is held against the page. Lines that call the command run, too, in a project with a
// failing test. `--node` is a release of the package `node`, by default the
// Node that runs this; `--with` is a package manager, such as pnpm, pnpm@10 or npm@11, by default the npm of the PATH. DATABASE_URL names a
// Postgres in which the walk may make databases; without it the blocks that need one are left out. It needs the network and a built `dist`.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { call, scriptedProvider } from "../dist/testing/index.js";
import { scripts, told } from "../test/snippets.mjs";
import { commandsOf, problemOfCommand } from "./walk/commands.mjs";
import { blocksOf, installsOf } from "./walk/pages.mjs";
import { makeShell } from "./walk/shell.mjs";
import { walkPage } from "./walk/walk-page.mjs";

const { values, positionals: wanted } = parseArgs({
  options: { node: { type: "string" }, with: { type: "string", default: "npm" } },
  allowPositionals: true,
});
const root = resolve(import.meta.dirname, "..");
const firstPage = "docs/guide/1-first-agent.md";
const home = mkdtempSync(join(realpathSync(tmpdir()), "lastcall-walk-"));
process.once("exit", () => rmSync(home, { recursive: true, force: true, maxRetries: 3 }));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(130));

const read = (page) => readFileSync(join(root, page), "utf8");
const pages = ["README.md", "SKILL.md", ...["skills", "docs/guide", "docs", "examples"].flatMap(pagesIn)].filter(
  (page) => wanted.length === 0 || wanted.some((word) => page.includes(word)),
);
let [passed, failed, leftOut] = [0, 0, 0];

const shell = makeShell({ home, tarball: pack(), node: values.node, manager: values.with });
console.log(`Node ${(await shell.run(home, "node --version")).stdout.trim()}, ${shell.manager}`);

if (pages.includes(firstPage)) await walkFirstPage();
const reader = await folderOf("reader", []);
await tryEntries(reader);
for (const page of pages) await walk(page);
for (const page of pages) await walkCommands(page);

console.log(`\n${passed} passed, ${failed} failed, ${leftOut} left out`);
process.exitCode = failed === 0 ? 0 : 1;

function pagesIn(folder) {
  const names = readdirSync(join(root, folder)).filter((name) => name.endsWith(".md"));
  return names.sort((a, b) => a.localeCompare(b, "en", { numeric: true })).map((name) => `${folder}/${name}`);
}

function pack() {
  const { stdout, status, stderr } = spawnSync("npm", ["pack", "--ignore-scripts", "--pack-destination", home], {
    cwd: root,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`npm pack: ${stderr}`);
  return join(home, stdout.trim().split("\n").at(-1));
}

function report(name, problem) {
  if (problem === undefined) passed += 1;
  else failed += 1;
  console.log(problem === undefined ? `ok     ${name}` : `FAILED ${name}\n${problem.replace(/^/gm, "       ")}`);
}

/** The first page, block by block. */
async function walkFirstPage() {
  const provider = await scriptedProvider([
    [call("read_log", { service: "billing" })],
    [call("escalate", { team: "storage", why: "billing has no space left on its device" })],
  ]);
  const folder = join(home, "first");
  mkdirSync(folder);
  const run = (at, lines) => shell.run(at, lines.replaceAll("http://127.0.0.1:11434/v1", provider.url));
  const { stdout } = await shell.run(home, "node -p process.features.typescript");
  const { problems } = await walkPage(read(firstPage), { folder, run, runsTypeScript: stdout.trim() === "strip" });
  await provider.close();
  report(firstPage, problems.length === 0 ? undefined : problems.join("\n"));
}

/** A folder as the first page makes it, with the packages of these lines. */
async function folderOf(name, installs) {
  const folder = join(home, name);
  mkdirSync(folder);
  const blocks = blocksOf(read(firstPage));
  const made = blocks[0].text.replace(/^mkdir .*\ncd .*\n/m, "");
  const lines = [made, ...installs.map((line) => `npm install ${line}`)];
  for (const line of lines) {
    const { status, stdout, stderr } = await shell.run(folder, line);
    if (status !== 0) report(`${name}: ${line.trim().replaceAll("\n", "; ")}`, `exit ${status}\n${stdout}${stderr}`);
  }
  writeFileSync(join(folder, "tsconfig.json"), blocks.find(({ kind }) => kind === "json").text);
  return folder;
}

/** Each entry of the package loads, and has types, without an optional package. */
async function tryEntries(folder) {
  const { exports } = JSON.parse(read("package.json"));
  const entries = Object.keys(exports).filter((name) => !name.endsWith(".json"));
  const imports = entries.map((name, at) => `import * as entry${at} from "lastcall${name.slice(1)}";\n`);
  const uses = entries.map((_, at) => `entry${at}`).join(", ");
  const code = `${imports.join("")}console.log([${uses}].every((entry) => Object(entry) === entry));\n`;
  await compile(folder, [{ name: "entries", code, ending: "ts" }], "--skipLibCheck false");
  const { stdout, stderr } = await shell.run(folder, "node out/entries.js");
  report("the entries of the package, without optional packages", stdout === "true\n" ? undefined : stdout + stderr);
}

/** Compiles files as a reader does. Returns the errors of each, by its name. */
async function compile(folder, files, options = "") {
  for (const { name, code, ending } of files) writeFileSync(join(folder, `${name}.${ending}`), code);
  const { stdout, stderr, status } = await shell.run(folder, `npx tsc ${options}`.trim());
  for (const { name, ending } of files) rmSync(join(folder, `${name}.${ending}`));
  const lines = `${stdout}${stderr}`.split("\n");
  const errors = files.map(({ name, ending }) => [name, lines.filter((line) => line.startsWith(`${name}.${ending}(`))]);
  const isTold = errors.some(([, own]) => own.length > 0);
  if (status !== 0 && !isTold) report(`${basename(folder)}: npx tsc ${options}`, stdout + stderr);
  return new Map(errors);
}

async function walk(page) {
  const text = read(page);
  const blocks = blocksOf(text).filter(({ kind }) => kind === "ts" || kind === "tsx");
  if (blocks.length === 0) return;
  const slug = page.replace(/\.md$/, "").replaceAll("/", "-");
  const installs = page === firstPage ? [] : installsOf(text);
  const folder = installs.length === 0 ? reader : await folderOf(slug, installs);
  const files = blocks
    .map((block) => ({
      ...block,
      name: `${slug}-${block.line}`,
      code: shell.inItsWords(block.text),
      ending: block.kind,
    }))
    .filter((file) => {
      const reason = reasonToLeaveOut(file);
      if (reason === undefined) return true;
      leftOut += 1;
      console.log(`left   ${page}:${file.line} (${reason})`);
      return false;
    });
  const errors = await compile(folder, files);
  for (const file of files) {
    const own = errors.get(file.name);
    report(`${page}:${file.line}`, own.length > 0 ? own.join("\n") : await problemOf(folder, file));
  }
}

/** Runs the lines of a page that call the command, in a folder that has the package. */
async function walkCommands(page) {
  const typescript = (await shell.run(home, "node -p process.features.typescript")).stdout.trim();
  const commands = commandsOf(read(page), typescript);
  if (commands.length === 0) return;
  const slug = page.replace(/\.md$/, "").replaceAll("/", "-");
  const installs = installsOf(read(page)).filter((line) => /^@modelcontextprotocol/.test(line));
  const folder = await folderOf(`${slug}-commands`, installs);
  await shell.run(folder, 'npm pkg set scripts.test="node test/sum.test.mjs"');
  await shell.run(folder, "cp -R node_modules/lastcall/examples . && cp examples/*.ts .");
  const write = (path, text) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const run = async (line, script) => {
    const provider = await scriptedProvider(script);
    const env = { OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: "sk-test", OPENAI_MODEL: "NAME" };
    const ended = await shell.run(folder, `export PATH="$PWD/node_modules/.bin:$PATH"\n${line}`, env);
    await provider.close();
    return ended;
  };
  for (const command of commands) {
    const { line, words, kind } = command;
    if (kind === undefined) report(`${page}:${line}`, `scripts/walk/commands.mjs says nothing about the line ${words}`);
    else if (kind.left !== undefined) {
      leftOut += 1;
      console.log(`left   ${page}:${line} (${kind.left})`);
    } else report(`${page}:${line} ${words}`, await problemOfCommand(command, { run, write }));
  }
}

function reasonToLeaveOut({ rest, kind, code }) {
  if (rest !== "" && rest !== "no-run") return "it is code of another library";
  if (rest === "no-run" || (kind === "tsx" && !code.includes("import "))) return "it is a part of a program";
  if (needsDatabase(code) && process.env["DATABASE_URL"] === undefined) return "there is no DATABASE_URL";
  return undefined;
}

function needsDatabase(code) {
  return code.includes("DATABASE_URL");
}

/** Runs a block, if it is a program. Returns the words about its output that is not as the page says. */
async function problemOf(folder, { name, code, ending, prints }) {
  if (ending === "tsx") return undefined;
  const known = scripts.find(({ words }) => code.includes(words));
  const expected = prints ?? known?.prints;
  const [, warning = ""] = Object.entries(told).find(([words]) => code.includes(words)) ?? [];
  const provider = await scriptedProvider(known?.script ?? []);
  const database = needsDatabase(code) ? { DATABASE_URL: await newDatabase() } : {};
  const env = { OPENAI_BASE_URL: provider.url, OPENAI_API_KEY: "sk-test", ...database };
  const { stdout, stderr, status } = await shell.run(folder, `node out/${name}.js`, env);
  await provider.close();
  const isSaid = expected instanceof RegExp ? expected.test(stdout) : withoutDatabaseWords(stdout) === (expected ?? "");
  if (status === 0 && isSaid && stderr === warning) return undefined;
  return `exit ${status}, expected:\n${String(expected)}\nprinted:\n${stdout}\non standard error:\n${stderr}`;
}

/** Page 20 says that DBOS speaks at its first start. */
function withoutDatabaseWords(stdout) {
  return stdout.replace(/^Running DBOS system database migrations\.\.\.\n/m, "");
}

async function newDatabase() {
  const { default: pg } = await import("pg");
  const url = new URL(process.env["DATABASE_URL"]);
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  const name = `walk_${process.pid}_${Date.now()}`;
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  url.pathname = `/${name}`;
  return url.href;
}
