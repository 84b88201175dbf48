import { once } from "node:events";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { body } from "../../../src/model/http/body.js";

let server: Server;

afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function listen(answer: (response: ServerResponse) => void): Promise<string> {
  server = createServer((_request, response) => {
    answer(response);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
}

/** Reads the first chunk of a body and stops. */
async function readFirst(address: string): Promise<void> {
  for await (const _piece of body(await fetch(address), new AbortController().signal, { idle: 10_000, waited: 0 }))
    break;
}

describe("a body that is left before its end", () => {
  it("leaves its connection to the next request", async () => {
    const address = await listen((response) => {
      response.write("data: [DONE]\n\n");
      setTimeout(() => response.end(), 10);
    });
    let connections = 0;
    server.on("connection", () => (connections += 1));
    for (let count = 0; count < 5; count += 1) {
      await readFirst(address);
      await sleep(50);
    }
    expect(connections).toBe(1);
  });

  it("is let go of where the end does not come", async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const address = await listen((response) => {
      closed = once(response, "close");
      response.write("data: [DONE]\n\n");
    });
    const began = performance.now();
    await readFirst(address);
    expect(performance.now() - began).toBeLessThan(900);
    await closed;
  });
});

it("a body of more than 64 MiB is a fault, and the connection is closed", async () => {
  const piece = Buffer.alloc(1024 * 1024, "x");
  const address = await listen((response) => {
    const write = (): void => {
      while (!response.destroyed && response.write(piece));
      response.once("drain", write);
    };
    write();
  });
  let bytes = 0;
  const reading = async (): Promise<void> => {
    for await (const part of body(await fetch(address), new AbortController().signal, { idle: 10_000, waited: 0 }))
      bytes += part.length;
  };
  await expect(reading()).rejects.toMatchObject({ code: "provider_rejected" });
  expect(bytes).toBeLessThanOrEqual(64 * 1024 * 1024);
});
