// Bundles the simulation, with a bug planted in a source if one is given.

import { join, resolve } from "node:path";
import { build } from "rolldown";

const root = resolve(import.meta.dirname, "..");

/**
 * Bundles the simulation into a folder of its own, and returns the file to run. `plant` replaces a text in one source.
 * @throws Error if the text does not stand in the source exactly once.
 */
export async function buildSimulation(name = "sound", plant = undefined) {
  const folder = join(root, "test/.cache/simulation", name);
  let times = 0;
  const planting = {
    name: "planting",
    transform: (code, id) => {
      if (plant === undefined || id !== join(root, plant.file)) return undefined;
      times += code.split(plant.text).length - 1;
      return code.replace(plant.text, () => plant.by);
    },
  };
  await build({
    input: { main: join(root, "test/simulation/main.ts") },
    platform: "node",
    external: /^[^./]/,
    tsconfig: join(root, "tsconfig.json"),
    plugins: [planting],
    output: { dir: folder, sourcemap: plant === undefined },
  });
  if (plant !== undefined && times !== 1)
    throw new Error(`${plant.file} has the text of the bug ${name} ${times} times, and needs it once: ${plant.text}`);
  return join(folder, "main.js");
}
