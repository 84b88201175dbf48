// The server of Restate behind a redirect: the inputs of people and the keys in the headers stay with the server they are for.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { RestateServer } from "../../src/restate/restate-server.js";

async function listening(answer: (url: string) => readonly [number, Record<string, string>]) {
  const got: string[] = [];
  const server = createServer((request, response) => {
    request.setEncoding("utf8").on("data", (text: string) => got.push(text));
    request.on("end", () => void response.writeHead(...answer(request.url ?? "")).end("{}"));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, got };
}

test("a redirect takes no delivery and no key to another server", async () => {
  const other = await listening(() => [200, {}]);
  const given = await listening((url) => [307, { location: `${other.url}${url}` }]);
  const restate = new RestateServer({ ingress: given.url, admin: given.url, headers: { "x-key": "mine" } });
  const sent = restate.send({ service: "s", session: "a", name: "n", work: { input: "private" }, delay: undefined });
  await expect(sent).rejects.toMatchObject({
    code: "configuration",
    message: expect.stringContaining(`It redirects to ${other.url}`) as string,
  });
  await expect(restate.live("a")).rejects.toThrow("nothing is sent there");
  expect(other.got).toEqual([]);
  restate.close();
});
