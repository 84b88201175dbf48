// Optional packages: each is loaded when it is first needed, so that a program without them need not install them.

import { explain, LastcallError } from "./fault.js";

/** An optional package. */
export interface OptionalPackage {
  readonly name: string;
  /** The subject of the message: the option, function or entry that needs the package. */
  readonly neededBy: string;
  /** The command that installs the package. Default: `npm install NAME`. */
  readonly install?: string;
}

/**
 * Loads an optional package.
 * @throws LastcallError `configuration`: with the command that installs the package if it is missing, else with the error of its loading.
 */
export async function loadOptional<Package>(
  { name, neededBy, install = `npm install ${name}` }: OptionalPackage,
  load: () => Promise<Package>,
): Promise<Package> {
  try {
    return await load();
  } catch (thrown) {
    const { code } = (thrown ?? {}) as { readonly code?: unknown };
    const words = explain(thrown);
    // A package that is there may lack a package of its own.
    const isMissing = code === "ERR_MODULE_NOT_FOUND" && words.includes(`'${name}'`);
    const message = isMissing
      ? `${neededBy} needs the package ${name}, which is not installed: ${install}`
      : `The package ${name}, which ${neededBy} needs, can't be loaded: ${words}`;
    throw new LastcallError("configuration", message, { cause: thrown });
  }
}
