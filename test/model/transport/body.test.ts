import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { Body } from "../../../src/model/transport/body.js";
import { answering, direct, requestTo } from "./servers.js";

async function bodyFrom(address: string): Promise<Body> {
  const { source } = await direct(requestTo(address), new AbortController().signal);
  return new Body(source, { idle: 10_000, waited: 0 });
}

/** Reads the first piece of a body and leaves it. */
async function readFirst(address: string): Promise<void> {
  const body = await bodyFrom(address);
  await body.read();
  body.leave();
}

describe("a body that is left before its end", () => {
  it("leaves its connection to the next request", async () => {
    const connections = new Set<unknown>();
    const address = await answering((response, { socket }) => {
      connections.add(socket);
      response.write("data: [DONE]\n\n");
      setTimeout(() => response.end(), 10);
    });
    for (let count = 0; count < 5; count += 1) {
      await readFirst(address);
      await sleep(200);
    }
    expect(connections.size).toBe(1);
  });

  it("is let go of where the end does not come", async () => {
    let closed: Promise<unknown> = Promise.resolve();
    const address = await answering((response) => {
      closed = once(response, "close");
      response.write("data: [DONE]\n\n");
    });
    const began = performance.now();
    await readFirst(address);
    expect(performance.now() - began).toBeLessThan(10_000);
    await closed;
  });
});

it("a body of more than 64 MiB is a fault, and the connection is closed", async () => {
  const piece = Buffer.alloc(1024 * 1024, "x");
  let closed: Promise<unknown> = Promise.resolve();
  const address = await answering((response) => {
    closed = once(response, "close");
    const write = (): void => {
      while (!response.destroyed && response.write(piece));
      response.once("drain", write);
    };
    write();
  });
  const body = await bodyFrom(address);
  let bytes = 0;
  const reading = async (): Promise<void> => {
    for (let part = await body.read(); part !== undefined; part = await body.read()) bytes += part.length;
  };
  await expect(reading()).rejects.toMatchObject({ code: "provider_rejected" });
  body.leave();
  expect(bytes).toBeLessThanOrEqual(64 * 1024 * 1024);
  await closed;
});
