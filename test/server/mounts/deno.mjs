import { handler, say } from "./agents.mjs";

const own = (request) => (new URL(request.url).pathname === "/own" ? new Response("own") : handler(request));
Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: ({ port }) => say(port) }, own);
