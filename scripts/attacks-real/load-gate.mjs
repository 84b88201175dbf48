// Builds the gate from the sources, with or without a planted fault, into a folder of its own.

import { existsSync, readFileSync, symlinkSync } from "node:fs";
import { join, resolve } from "node:path";
import { build } from "rolldown";

const root = resolve(import.meta.dirname, "../..");
const entry = "lastcall-gate";

/** The public gate; and the parts that say which words it read, which options it knows, and which files count as secret. */
const source = [
  ["gate", "src/permission/index.ts"],
  ["safePrograms", "src/permission/command/programs.ts"],
  ["readCommand", "src/permission/command/read-command.ts"],
  ["isSecretFile", "src/files/index.ts"],
  ["plainVariables", "src/shell/index.ts"],
  // Present once the gate expands patterns and variables by itself.
  ["expandCommand", "src/permission/decide/expand-command.ts"],
]
  .filter(([, file]) => existsSync(join(root, file)))
  .map(([name, file]) => `export { ${name} } from ${JSON.stringify(join(root, file))};`)
  .join("\n");

/**
 * Builds the gate into the folder. Returns the path of the module.
 * @throws Error if a change of the fault can't be made: its text must be in its file exactly once.
 */
export async function buildGate(folder, changes = []) {
  for (const change of changes) expectPlace(change);
  const file = join(folder, "gate.mjs");
  const packages = join(folder, "node_modules");
  if (!existsSync(packages)) symlinkSync(join(root, "node_modules"), packages);
  await build({
    input: entry,
    platform: "node",
    external: (id) => id !== entry && /^[^./]/.test(id),
    logLevel: "silent",
    plugins: [
      {
        name: "gate",
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? { code: source, moduleType: "ts" } : null),
        transform: (code, id) =>
          changes
            .filter((change) => id === join(root, change.file))
            .reduce((text, { from, to }) => text.replace(from, () => to), code),
      },
    ],
    output: { file, codeSplitting: false },
  });
  return file;
}

function expectPlace({ file, from }) {
  const places = readFileSync(join(root, file), "utf8").split(from).length - 1;
  if (places !== 1) throw new Error(`${file} has the text ${JSON.stringify(from)} ${places} times`);
}
