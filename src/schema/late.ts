// Loads a package when a schema first needs it, so that programs without such schemas do not pay for it.

import { createRequire } from "node:module";

const require = createRequire(import.meta.url);

/**
 * Loads a package with `load`. It is synchronous because making an agent is synchronous.
 * @throws Error that says what to install if the package is missing.
 */
export function late<Package>(name: string, load: (require: NodeJS.Require) => Package): Package {
  try {
    return load(require);
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    // A package that is there may lack a package of its own.
    if (code !== "MODULE_NOT_FOUND" || !message.includes(`'${name}`)) throw thrown;
    throw new Error(`such a schema needs the package ${name}, which is not there; run npm install ${name}`, {
      cause: thrown,
    });
  }
}
