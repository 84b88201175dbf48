// Optional packages where there is no file system.

export { loadOptional } from "./optional-package.js";
