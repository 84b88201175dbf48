// A real model on this machine behind one address, with the same parameters for each caller.

import { once } from "node:events";
import { createServer } from "node:http";
import { openCache } from "../../scripts/real/cache.mjs";
import { models } from "../../scripts/real/models.mjs";

/** The names of the models. */
export const realModels = models.map(({ name }) => name);

/**
 * Starts the model's server, and a proxy that adds the model's parameters to each request.
 * @param {string} name One of `realModels`.
 * @param {{ cache: string | undefined, say: (line: string) => void }} options `cache`: as for `npm run real`.
 * @throws NotToBeHad if the model or its server can't be had.
 */
export async function startReal(name, { cache, say }) {
  const model = models.find((each) => each.name === name);
  const server = await model.start(openCache(cache), { say, offline: false });
  const proxy = createServer((incoming, outgoing) => {
    passOn(server.baseURL, model.params, incoming, outgoing).catch(() => outgoing.destroy());
  });
  await once(proxy.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${proxy.address().port}/v1`,
    async close() {
      proxy.closeAllConnections();
      proxy.close();
      await server.stop();
    },
  };
}

async function passOn(baseURL, params, incoming, outgoing) {
  const pieces = [];
  for await (const piece of incoming) pieces.push(piece);
  const asked = Buffer.concat(pieces).toString();
  const body = asked === "" ? undefined : JSON.stringify({ ...JSON.parse(asked), ...params });
  const answer = await fetch(`${baseURL}${incoming.url.replace(/^\/v1/, "")}`, {
    method: incoming.method,
    headers: { "content-type": "application/json" },
    ...(body !== undefined && { body }),
  });
  outgoing.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "application/json" });
  for await (const piece of answer.body ?? []) outgoing.write(piece);
  outgoing.end();
}
