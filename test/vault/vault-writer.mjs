// Counts up a text in a vault, as one of several processes. Arguments: the settings as JSON, the number of times, and the time at which it
// kills itself in the midst of a change (none: never).

import { vaultOf } from "../mcp/sign-in/vault-of.mjs";

const [settings, times, dies] = process.argv.slice(2);
const { vault, close } = await vaultOf(JSON.parse(settings));
for (let time = 0; time < Number(times); time += 1)
  await vault.change("count", async (now) => {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (time === Number(dies)) process.kill(process.pid, "SIGKILL");
    return { text: String(Number(now ?? 0) + 1) };
  });
await close();
