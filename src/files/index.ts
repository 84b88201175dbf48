// Files: which ones patterns mean, and what they hold. Behind checks; no entry.

export { digestFiles, type Digests } from "./digest-files.js";
export { matcher } from "./matcher.js";
export { pathIn } from "./path-in.js";
