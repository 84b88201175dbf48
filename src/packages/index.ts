// The package of lastcall, and optional packages: loaded late, and told in words if they are missing or do not fit.

export { loadOptional, type OptionalPackage } from "./optional-package.js";
export { ownFolder, ownVersion } from "./own-package.js";
