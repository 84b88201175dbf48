#!/usr/bin/env node
// npm create lastcall: the command `lastcall init`, of the lastcall that this package depends on.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";

const lastcall = dirname(createRequire(import.meta.url).resolve("lastcall/package.json"));
process.argv.splice(2, 0, "init");
await import(pathToFileURL(join(lastcall, "dist/cli/bin.js")).href);
