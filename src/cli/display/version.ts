// The version of lastcall.

import { existsSync, readFileSync } from "node:fs";

/** Reads the version from the nearest manifest above this code, wherever it was bundled to. */
export function ownVersion(): string {
  let folder = new URL(".", import.meta.url);
  while (!existsSync(new URL("package.json", folder)) && folder.pathname !== "/") folder = new URL("..", folder);
  const text = readFileSync(new URL("package.json", folder), "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}
