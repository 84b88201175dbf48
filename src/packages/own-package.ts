// The package of lastcall: its folder and its version.

import { existsSync, readFileSync } from "node:fs";

/** The folder of the nearest manifest above this code, wherever it was bundled to. */
export function ownFolder(): URL {
  let folder = new URL(".", import.meta.url);
  while (!existsSync(new URL("package.json", folder)) && folder.pathname !== "/") folder = new URL("..", folder);
  return folder;
}

/** The version in the manifest. */
export function ownVersion(): string {
  const text = readFileSync(new URL("package.json", ownFolder()), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}
