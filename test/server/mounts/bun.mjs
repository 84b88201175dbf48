import { handler, say } from "./agents.mjs";

const own = (request) => (new URL(request.url).pathname === "/own" ? new Response("own") : handler(request));
// Bun ends a connection that is silent for ten seconds. The handler's sign of life comes after fifteen.
const server = Bun.serve({ fetch: own, port: 0, hostname: "127.0.0.1", idleTimeout: 30 });
say(server.port);
