// Starts the service, and stops it in order.

import { clerkWith } from "./agent.ts";
import { isReal, model } from "./model.ts";
import { startService } from "./service.ts";
import { openStore, place } from "./store.ts";

const port = Number(process.env["PORT"] ?? 3000);
const { url, close } = await startService({ clerk: clerkWith(model), store: await openStore(), port });

if (!isReal) console.log("A script plays the model. Set OPENAI_API_KEY to ask a real one.");
console.log(`Sessions are kept in ${place}.`);
console.log(`POST ${url}sessions takes tickets; ${url}studio/ shows what becomes of them.`);

for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    void close().then(() => process.exit());
  });
