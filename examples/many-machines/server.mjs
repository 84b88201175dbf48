// The HTTP server with the studio: it gives inputs to the queue, shows every run while it goes on, and runs no agent.

import { hostOnDbos } from "lastcall/dbos";
import { pgStore } from "lastcall/postgres";
import { createHandler, serve } from "lastcall/server";
import pg from "pg";
import { agents } from "./agent.mjs";
import { url } from "./postgres.mjs";

const pool = new pg.Pool({ connectionString: url, max: 20, keepAlive: true });
const store = pgStore(pool);
const host = await hostOnDbos({ agents, store, pool, work: false, poll: 200 });
const token = process.env["LASTCALL_SERVER_TOKEN"];
const handler = createHandler({ host, studio: true, token });
const server = await serve(handler, {
  port: Number(process.env["PORT"] ?? 8123),
  host: process.env["LISTEN"] ?? "127.0.0.1",
});
// A log is no place for the token itself.
console.log(
  `Studio: http://127.0.0.1:${server.port}/studio/${token === undefined ? "" : "#token=$LASTCALL_SERVER_TOKEN"}`,
);
process.once("SIGTERM", async () => {
  await handler.close();
  await server.close();
  await host.close();
  await store[Symbol.asyncDispose]();
  await pool.end();
  process.exit(0);
});
