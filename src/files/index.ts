// Files: where a path leads, which ones patterns mean, and what they hold. Behind tools, checks and permission; no entry.

export { digestFiles, type Digests } from "./digest-files.js";
export { ignoringNothing, type Ignoring } from "./ignoring.js";
export { codeOf, contains, expand, isStrangeOnWindows, locate, locateItself, openRoot, shown } from "./locate.js";
export { matcher } from "./matcher.js";
export { pathIn } from "./path-in.js";
export { isSecretFile } from "./secret-files.js";
