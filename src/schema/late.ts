// Loads a package when a schema first needs it, so that importing lastcall costs nothing for the others.

import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * What `load` requires. An agent is made synchronously, so the package is loaded synchronously too.
 * @throws Error that says what to install where the package is not there.
 */
export function late<Package>(name: string, load: (require: NodeJS.Require) => Package): Package {
  try {
    return load(require);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== "MODULE_NOT_FOUND") throw thrown;
    throw new Error(`such a schema needs the package ${name}, which is not there; run npm install ${name}`, {
      cause: thrown,
    });
  }
}
