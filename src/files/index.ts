// Files: where paths lead, which files patterns match, and what files contain. Used by tools, checks and permission; no
// entry point.

export { digestFiles, type Digests } from "./digest-files.js";
export { forPaths, holdFolder, MovedFolder, type HeldFolder } from "./held-folder.js";
export { ignoringNothing, type Ignoring } from "./ignoring.js";
export { codeOf, contains, expand, isStrangeOnWindows, locate, locateItself, openRoot, shown } from "./locate.js";
export { matcher, nameFilter } from "./matcher.js";
export { pathIn } from "./path-in.js";
export { askedFor, neverWritten, protectionOf } from "./protected-files.js";
export { bytesToLookAt, holdsSecret, type Beginning } from "./secret/secret-content.js";
export { isSecretFile, isSecretFolder, secretNames, suspicionOf, type Suspicion } from "./secret/secret-files.js";
export { isSecretAt, isSecretFound } from "./secret/look-for-secret.js";
export { gitPlaces, otherNames, type GitPlace, type OtherNames } from "./other-names.js";
export { testFiles, usualTests } from "./test-files.js";
export { wayOf, wayTo, type Way } from "./steps-of-link.js";
export { KnownFolders, type FolderEntry } from "./known-folders.js";
