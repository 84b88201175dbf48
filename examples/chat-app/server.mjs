// Serves the agent and the page. Chats are kept in the folder `chats`: stop the server at any time, and start it again.

import { fileStore } from "lastcall/memory";
import { createHandler, serve } from "lastcall/server";
import { createServer } from "vite";
import { host } from "./agent.mjs";

// It goes on with the runs that the last process left.
const handler = createHandler({ agents: { host }, store: fileStore("chats") });
const api = await serve(handler);

// The page and its proxy serve this machine alone. Before others reach them, give the handler a token or `authenticate`.
// In production, build the page with `vite build`, and mount the handler wherever you serve it.
const page = await createServer({
  server: { port: Number(process.env.PORT ?? 5173), proxy: { "/chat": { target: api.url } } },
});
await page.listen();
page.printUrls();

for (const signal of ["SIGINT", "SIGTERM"])
  process.once(signal, async () => {
    await handler.close(); // suspends runs, for the next process
    process.exit();
  });
