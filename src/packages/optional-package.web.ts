// Optional packages in bundles: a bundle has the package, or was not made. Its version is not known.

import { LastcallError } from "../core/index.js";
import { explain } from "../core/internal.js";
import type { OptionalPackage } from "./optional-package.js";

/**
 * Loads an optional package.
 * @throws LastcallError `configuration` with the error of its loading.
 */
export async function loadOptional<Package>(
  { name, neededBy }: OptionalPackage,
  load: () => Promise<Package>,
): Promise<Package> {
  try {
    return await load();
  } catch (thrown) {
    const message = `The package ${name}, which ${neededBy} needs, can't be loaded: ${explain(thrown)}`;
    throw new LastcallError("configuration", message, { cause: thrown });
  }
}
