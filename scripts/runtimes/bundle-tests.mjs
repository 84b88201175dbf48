// Bundles files of tests for one kind of runtime: `node` (Node, Bun and Deno, with the packages as they are installed) or `web` (workerd and
// browsers, with the sources as `dist/web` has them and with stand-ins for what the tests take from Node).

import { existsSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { build } from "rolldown";
import { forTheWeb, injectedGlobals, standIn } from "../bundle-web.mjs";

const root = resolve(import.meta.dirname, "../..");

/** Bundles the files, and run-file.mjs, into the folder. */
export async function bundleTests(kind, files, to) {
  rmSync(to, { recursive: true, force: true });
  const { output } = await build({
    cwd: root,
    input: {
      ...(kind === "web"
        ? { "run-visit": "scripts/runtimes/web/run-visit.mjs", worker: "scripts/runtimes/web/worker.mjs" }
        : {}),
      "run-file": "scripts/runtimes/run-file.mjs",
      ...Object.fromEntries(files.map((file) => [file.replace(/\.ts$/, ""), file])),
    },
    tsconfig: "tsconfig.json",
    transform: { target: "es2022" },
    // The manifest says that no file does anything by being loaded; these do.
    treeshake: { moduleSideEffects: [{ test: /\/scripts\/runtimes\/|\/test\//, sideEffects: true }] },
    logLevel: "warn",
    output: { dir: to, chunkFileNames: "chunks/[name]-[hash].js", keepNames: true },
    ...(kind === "web"
      ? web(files)
      : { platform: "node", external: /^(?![./\0]|@oxc-project)/, plugins: [places(root)] }),
  });
  return output.map(({ fileName }) => fileName);
}

function web(files) {
  const names = namesFromNode(files);
  return {
    platform: "neutral",
    resolve: { mainFields: ["browser", "module", "main"], conditionNames: ["workerd", "browser", "import", "default"] },
    plugins: [places("/"), forTests(names), forTheWeb],
    transform: {
      target: "es2022",
      define: { "import.meta.env": "process.env" },
      inject: { ...injectedGlobals(), process: [own("process"), "process"] },
    },
  };
}

/** A test finds its files beside itself: the bundle has the place of the source in the folder. */
const places = (folder) => ({
  name: "places of the sources",
  transform(code, id) {
    if (!code.includes("import.meta.") || id.includes("node_modules")) return null;
    const file = join(folder, relative(root, id));
    return code
      .replaceAll("import.meta.dirname", JSON.stringify(dirname(file)))
      .replaceAll("import.meta.filename", JSON.stringify(file))
      .replaceAll("import.meta.url", JSON.stringify(`file://${file}`));
  },
});

const own = (name) => resolve(import.meta.dirname, "web", `${name}.mjs`);

/** Stand-ins for files of tests and sources that a browser has in another form. */
const replaced = {
  "src/testing/index.ts": own("testing"),
  "test/processor-time.ts": own("processor-time"),
};

/** Packages that run on Node alone. */
const onlyNode = /^(?:node:.*|undici|@copilotkit\/aimock|typescript|openai-7\/auth\/x509-transport)$/;

/** Node's modules for tests: the stand-ins of the product, what tests need besides, and for all other names a value that leaves the test out. */
const forTests = (names) => ({
  name: "for tests",
  resolveId(source, importer) {
    if (/^openai(-7)?$/.test(source) && importer?.includes("/test/")) return own(source);
    if (onlyNode.test(source)) return `\0left-out:${source}`;
    if (importer === undefined || !source.startsWith(".")) return null;
    const file = relative(root, resolve(dirname(importer), source)).replace(/\.js$/, ".ts");
    return Object.hasOwn(replaced, file) && !importer.startsWith(import.meta.dirname) ? replaced[file] : null;
  },
  load(id) {
    if (!id.startsWith("\0left-out:")) return null;
    const module = id.slice("\0left-out:".length);
    const name = module
      .replace(/^node:/, "")
      .replaceAll("/", "-")
      .replaceAll("_", "-");
    const files = [own(name), standIn(name)].filter((file) => existsSync(file));
    const known = new Map(files.toReversed().flatMap((file) => exportsOf(file).map((one) => [one, file])));
    const missing = [...(names.get(module) ?? []), "default"].filter((one) => !known.has(one));
    return [
      `import { leftOut } from ${JSON.stringify(own("left-out"))};`,
      ...[...known].map(([one, file]) => `export { ${one} } from ${JSON.stringify(file)};`),
      ...missing.map((one) =>
        one === "default"
          ? `export default leftOut(${JSON.stringify(module)});`
          : `export const ${one} = leftOut(${JSON.stringify(`${one} of ${module}`)});`,
      ),
    ].join("\n");
  },
});

/** The names that a module exports. */
function exportsOf(file) {
  const text = readFileSync(file, "utf8");
  return [
    ...[...text.matchAll(/^export (?:async )?(?:const|class|function\*?) (\w+)/gm)].map(([, name]) => name),
    ...[...text.matchAll(/^export (default)\b/gm)].map(([, name]) => name),
    ...[...text.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, list]) =>
      list.split(",").flatMap((one) => /(?:\bas )?(\w+)\s*$/.exec(one.trim())?.[1] ?? []),
    ),
  ];
}

/** The names that tests and sources import from modules that run on Node alone, by module. */
function namesFromNode(files) {
  const names = new Map();
  const seen = new Set();
  const look = (file) => {
    if (seen.has(file) || !existsSync(file)) return;
    seen.add(file);
    const text = readFileSync(file, "utf8");
    for (const [, words, module] of text.matchAll(/^(?:import|export) ([^;"]*?) from "([^"]+)";/gm)) {
      if (module.startsWith(".")) look(resolve(dirname(file), module).replace(/\.js$/, ".ts"));
      else if (onlyNode.test(module)) {
        const list = /\{([^}]*)\}/.exec(words)?.[1] ?? "";
        const found = list.split(",").flatMap((one) => /^(?!type )(\w+)/.exec(one.trim())?.[1] ?? []);
        names.set(module, new Set([...(names.get(module) ?? []), ...found]));
      }
    }
  };
  for (const file of files) look(resolve(root, file));
  return names;
}
