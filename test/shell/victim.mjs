// Runs a command in a sandbox, and is killed meanwhile: `victim.mjs ROOT COMMAND`.

import { bubblewrap } from "../../dist/tools/index.js";

const [root, command] = process.argv.slice(2);
const environment = { PATH: process.env.PATH };
const terms = { command, folder: root, environment, seconds: 60, onOutput: () => undefined };
await bubblewrap({ root, writable: true }).run(terms, new AbortController().signal);
