// The desk behind HTTP: the routes of lastcall/server, and a page. npm start, then open the address that it prints.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { fileStore } from "lastcall/memory";
import { createHandler, nodeHandler } from "lastcall/server";
import { deskWith } from "./agent.ts";
import { isReal, model } from "./model.ts";

const handler = createHandler({ agents: { desk: deskWith(model) }, store: fileStore("sessions"), studio: true });
const answer = nodeHandler(handler);
const page = readFileSync(new URL("page.html", import.meta.url));

const server = createServer((request, response) => {
  if (request.url === "/") response.setHeader("content-type", "text/html; charset=utf-8").end(page);
  else void answer(request, response, () => response.writeHead(404).end());
});

const port = Number(process.env["PORT"] ?? 3000);
server.listen(port, "127.0.0.1", () => {
  if (!isReal) console.log("A script plays the model. Set OPENAI_API_KEY to ask a real one.");
  console.log(`The desk: http://127.0.0.1:${String(port)}/`);
  console.log(`All sessions, step by step: http://127.0.0.1:${String(port)}/studio/`);
});

// A run that is interrupted here goes on at the next start.
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => {
    void handler.close().then(() => process.exit());
  });
