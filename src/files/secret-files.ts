// Recognizes files that are likely to hold keys and passwords, by their names.

import { matcher } from "./matcher.js";

/** Patterns of their names. */
export const secretNames: readonly string[] = [
  ".env",
  ".env.*",
  ".netrc",
  ".pgpass",
  ".git-credentials",
  ".ssh",
  ".gnupg",
  ".aws",
  "id_rsa",
  "id_ecdsa",
  "id_ed25519",
  "*.pem",
  "*.p12",
  "*.pfx",
];

/** Samples look like secret files and are made to be read. */
const samples = /\.(?:example|sample|template|dist|defaults?|schema)$/;

let matches: ((path: string) => boolean) | undefined;

/** True if a file is likely to hold secrets. The path has slashes; case is ignored. */
export function isSecretFile(path: string): boolean {
  matches ??= matcher(secretNames);
  const folded = path.toLowerCase();
  return matches(folded) && !samples.test(folded);
}
