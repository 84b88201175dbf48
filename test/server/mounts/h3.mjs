import { createServer } from "node:http";
import { createApp, defineEventHandler, fromNodeMiddleware, toNodeListener } from "h3";
import { middleware, say } from "./agents.mjs";

// h3 1 is the router of Nitro 2.
const app = createApp();
app.use(fromNodeMiddleware(middleware));
app.use(
  "/own",
  defineEventHandler(() => "own"),
);
const server = createServer(toNodeListener(app)).listen(0, "127.0.0.1", () => say(server.address().port));
