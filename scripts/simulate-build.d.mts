/** Bundles the simulation, with a text of one source replaced if a plant is given. Returns the file to run. */
export function buildSimulation(
  name?: string,
  plant?: { readonly file: string; readonly text: string; readonly by: string },
): Promise<string>;
