// Measures how many bytes an agent brings to a page, and fails if it is more than the budget and three per cent: `npm run size`, with `-- --write`
// for a budget of now. It needs `dist`.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "rolldown";

const root = resolve(import.meta.dirname, "..");
const file = join(root, "bench/bundle-budget.json");
const folder = join(root, "test/.cache/size");

const tools = `
const number = { type: "number" };
const input = { type: "object", properties: { a: number, b: number }, required: ["a", "b"] };
const add = tool({ name: "add", description: "Adds two numbers.", input, run: ({ a, b }) => a + b });
const done = tool({ name: "done", description: "Ends with a sum.", input: { type: "object", properties: { sum: number } }, isLoopBreaking: true });
`;

/** The programs: an agent with a tool and an ending, whose model somebody else brings, and the same with a provider. */
const programs = {
  hello: `import { createAgent, tool } from "lastcall";${tools}
export const run = (model, words) => createAgent({ model, tools: [add, done] }).run(words);`,
  openai: `import { createAgent, tool } from "lastcall"; import { openai } from "lastcall/model";${tools}
export const run = (apiKey, words) => createAgent({ model: openai({ apiKey }), tools: [add, done] }).run(words);`,
};

/** Bytes of gzip that a program brings: with its first load, and in all. */
export async function sizesOf(name) {
  mkdirSync(folder, { recursive: true });
  const input = join(folder, `${name}.mjs`);
  writeFileSync(input, programs[name]);
  const { output } = await build({
    cwd: root,
    input,
    platform: "browser",
    write: false,
    tsconfig: false,
    logLevel: "silent",
    resolve: { conditionNames: ["browser", "import", "default"] },
    output: { minify: true },
  });
  const chunks = new Map(output.filter(({ type }) => type === "chunk").map((chunk) => [chunk.fileName, chunk]));
  const first = new Set();
  const take = (fileName) => {
    if (first.has(fileName)) return;
    first.add(fileName);
    chunks.get(fileName).imports.forEach(take);
  };
  take([...chunks.values()].find(({ isEntry }) => isEntry).fileName);
  const sum = (list) => list.reduce((bytes, { code }) => bytes + gzipSync(code, { level: 9 }).length, 0);
  return {
    first: sum([...chunks.values()].filter(({ fileName }) => first.has(fileName))),
    all: sum([...chunks.values()]),
  };
}

/** The sizes that are over the budget, in words. */
export async function overBudget(budget = JSON.parse(readFileSync(file, "utf8"))) {
  const over = [];
  for (const [name, allowed] of Object.entries(budget)) {
    const sizes = await sizesOf(name);
    for (const [part, bytes] of Object.entries(allowed))
      if (sizes[part] > bytes * 1.03) over.push(`${name}, ${part}: ${sizes[part]} bytes, and the budget is ${bytes}`);
  }
  return over;
}

if (process.argv[1] === import.meta.filename) {
  const sizes = {};
  for (const name of Object.keys(programs)) sizes[name] = await sizesOf(name);
  console.log(JSON.stringify(sizes, null, 2));
  if (process.argv.includes("--write")) writeFileSync(file, `${JSON.stringify(sizes, null, 2)}\n`);
  for (const line of await overBudget()) {
    console.log(`Over the budget: ${line}`);
    process.exitCode = 1;
  }
}
