// The queue between a feed and one client.

import { expect, test } from "vitest";
import { LastcallError } from "../../../src/index.js";
import { longestQueue, Subscription, type Placed } from "../../../src/server/feed/subscription.js";

const placed: Placed = { frame: { cursor: "", event: { type: "text-delta", text: "a" } }, seq: 0, events: 1 };
const signal = new AbortController().signal;
const fault = new LastcallError("store", "The disk is full.");

test("a fault of the store ends the wait behind the frames that wait, and not before them", async () => {
  const client = new Subscription([]);
  client.push(placed);
  client.fail(fault);
  await client.wait(signal);
  expect(client.take()).toHaveLength(1);
  await expect(client.wait(signal)).rejects.toBe(fault);
});

test("a wait ends with the next frame, with a fault, and with its signal", async () => {
  const woken = async (wake: (client: Subscription) => void, stop = signal): Promise<void> => {
    const client = new Subscription([]);
    const waiting = client.wait(stop);
    wake(client);
    await waiting;
  };
  await woken((client) => {
    client.push(placed);
  });
  await woken((client) => {
    client.lose();
  });
  await expect(
    woken((client) => {
      client.fail(fault);
    }),
  ).rejects.toBe(fault);
  const stop = new AbortController();
  await woken(() => {
    stop.abort();
  }, stop.signal);
});

test("a client that is too slow loses all that waits, is told so once, and goes on", () => {
  const client = new Subscription([]);
  for (let at = 0; at < longestQueue; at += 1) client.push(placed);
  expect(client.takeLost()).toBe(false);
  client.push(placed);
  client.push(placed);
  expect(client.take()).toEqual([]);
  expect([client.takeLost(), client.takeLost()]).toEqual([true, false]);
  client.push(placed);
  expect(client.take()).toEqual([placed]);
});
