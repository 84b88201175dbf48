// Counts up a text in a vault, as one of several processes. Arguments: the folder, the number of times.

import { fileVault } from "lastcall/mcp";

const [folder, times] = process.argv.slice(2);
const vault = fileVault({ folder });
for (let time = 0; time < Number(times); time += 1)
  await vault.change("count", async (now) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return { text: String(Number(now ?? 0) + 1) };
  });
