// The two doors between a host and Restate: requests of the host carry its headers, and a worker with keys refuses unsigned requests.

import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:http2";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createAgent } from "../../src/index.js";
import { fileStore } from "../../src/memory/index.js";
import { hostOnRestate } from "../../src/restate/index.js";
import { loadRestate } from "../../src/restate/restate-package.js";
import { RestateWorker } from "../../src/restate/restate-worker.js";
import { scriptedModel } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";

const agents = { worker: createAgent({ model: scriptedModel([]), tools: [taskCompletion()] }) };

/** The status with which a worker answers who asks it for its agents. */
async function discover(url: string): Promise<number> {
  const connection = connect(url);
  try {
    const accept = "application/vnd.restate.endpointmanifest.v4+json";
    const request = connection.request({ ":path": "/discover", accept });
    const [headers] = (await once(request, "response")) as [{ readonly ":status": number }];
    request.resume();
    return headers[":status"];
  } finally {
    connection.destroy();
  }
}

test("requests to ingress and admin API carry the headers of the options", async () => {
  const seen: (readonly [string, IncomingHttpHeaders])[] = [];
  const server = createServer((request, response) => {
    seen.push([request.url ?? "", request.headers]);
    response.end(JSON.stringify({ invocationId: "inv_1", rows: [] }));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  const headers = { authorization: "Bearer of-a-cloud" };
  const host = await hostOnRestate({
    ...{ agents, store: fileStore("never-written"), ingress: `${url}/in`, admin: `${url}/admin` },
    ...{ headers, work: false },
  });
  await host.give({ session: "a/b", input: "go", inputId: "1" });
  expect(await host.abort("a/b")).toBe(false);
  await host.close();
  server.close();
  expect(seen.map(([path]) => path)).toEqual(["/in/lastcall.worker/a%2Fb/deliver/send", "/admin/query"]);
  for (const [path, { authorization }] of seen) expect(authorization, path).toBe("Bearer of-a-cloud");
  expect(seen[0]![1]["idempotency-key"]).toBe("a%2Fb/i%3A1");
});

test.each([
  { keys: [], status: 200 },
  { keys: ["publickeyv1_w7YHemBctH5Ck2nQRQ47iBBqhNHy4FV7t2Usbye2A6f"], status: 401 },
])("a worker with the keys $keys answers an unsigned request with $status", async ({ keys, status }) => {
  const options = {
    ...{ agents, store: fileStore("never-written"), ingress: "http://127.0.0.1:1", admin: "http://127.0.0.1:1" },
    ...{ listen: { port: 0 }, identityKeys: keys },
  };
  const reasonOf = (): Promise<undefined> => Promise.resolve(undefined);
  const worker = new RestateWorker({ restate: await loadRestate(), queue: "lastcall", options, reasonOf });
  try {
    expect(await discover(await worker.listen())).toBe(status);
  } finally {
    await worker.close(0);
  }
});
