// Secret files: those that are likely to hold keys and passwords, by their names.

import { matcher } from "./matcher.js";

const names: readonly string[] = [
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

/** What looks like one and is made to be read. */
const samples = /\.(?:example|sample|template|dist|defaults?|schema)$/;

let matches: ((path: string) => boolean) | undefined;

/** True for a path, with slashes and in whatever letters, of a file that is likely to hold secrets. */
export function isSecretFile(path: string): boolean {
  matches ??= matcher(names);
  const folded = path.toLowerCase();
  return matches(folded) && !samples.test(folded);
}
