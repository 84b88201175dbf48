// Installs the packages of the libraries that docs/coming-from-*.md speak of: npm run peers:install [NAME]

import { comingFrom, installPeers } from "./packages.mjs";

const [name] = process.argv.slice(2);
const chosen = comingFrom.filter((peer) => name === undefined || peer.name === name);
if (chosen.length === 0) {
  console.error(`There is no library "${name}". There are: ${comingFrom.map((peer) => peer.name).join(", ")}.`);
  process.exit(4);
}
const { node, places } = installPeers(undefined, chosen, console.log);
console.log(["Installed:", node, ...places].join("\n  "));
