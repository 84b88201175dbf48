import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { handler, say } from "./agents.mjs";

const app = new Hono();
app.all("/agents/*", ({ req }) => handler(req.raw));
app.get("/own", (context) => context.text("own"));
serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" }, ({ port }) => say(port));
