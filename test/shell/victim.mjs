// Runs a command in a sandbox, and is killed meanwhile: `victim.mjs ROOT COMMAND [SANDBOX]`. The sandbox is bubblewrap if none is named.

import { bubblewrap, hostShell, landlock, sandboxExec } from "../../dist/tools/index.js";

const [root, command, name = "bubblewrap"] = process.argv.slice(2);
const make = { bubblewrap, host: hostShell, Landlock: landlock, "sandbox-exec": sandboxExec }[name];
const environment = { PATH: process.env.PATH };
const terms = { command, folder: root, environment, seconds: 60, onOutput: () => undefined };
await make({ root, writable: true }).run(terms, new AbortController().signal);
