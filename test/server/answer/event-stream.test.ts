// A stream of server-sent events: its text, its end, and a client that hangs up.

import { expect, test } from "vitest";
import { endOf, sse, type SentEvent } from "../../../src/server/answer/event-stream.js";

/** A source of these events that says when it was left. */
function source(events: readonly SentEvent[], stop: AbortController) {
  let isLeft = false;
  const all = async function* (): AsyncGenerator<SentEvent, void, void> {
    try {
      yield* events;
      while (!stop.signal.aborted) await new Promise((resolve) => setTimeout(resolve, 5));
    } finally {
      isLeft = true;
    }
  };
  return { all: all(), isLeft: () => isLeft };
}

async function isOver(response: Response): Promise<boolean> {
  const late = new Promise<boolean>((resolve) => setTimeout(resolve, 20, false));
  return Promise.race([endOf(response)!.then(() => true), late]);
}

test("events are written with their kind and their cursor, behind the time of the next try", async () => {
  const stop = new AbortController();
  const { all } = source([{ data: "1" }, { id: "0.1", event: "reset", data: "{}" }], stop);
  const response = sse(all, { stop, headers: { "x-own": "1" } });
  setTimeout(() => {
    stop.abort();
  }, 20);
  expect(await response.text()).toBe("retry: 1000\n\ndata: 1\n\nevent: reset\nid: 0.1\ndata: {}\n\n");
  expect(Object.fromEntries(response.headers)).toMatchObject({ "x-own": "1", "cache-control": "no-store" });
  expect(await isOver(response)).toBe(true);
});

test("a client that hangs up stops the source, and the stream is over", async () => {
  const stop = new AbortController();
  const { all, isLeft } = source([{ data: "1" }], stop);
  const response = sse(all, { stop });
  expect(await isOver(response)).toBe(false);
  const reader = response.body!.getReader();
  for (let at = 0; at < 2; at += 1) await reader.read();
  await reader.cancel();
  expect([stop.signal.aborted, isLeft()]).toEqual([true, true]);
  expect(await isOver(response)).toBe(true);
});

test("a stream whose client is gone before it is read is over", async () => {
  const [before, after] = [new AbortController(), new AbortController()];
  before.abort();
  expect(await isOver(sse(source([], before).all, { stop: before }))).toBe(true);
  const response = sse(source([], after).all, { stop: after });
  after.abort();
  expect(await isOver(response)).toBe(true);
});

test("a source that fails breaks the stream off, and it is over", async () => {
  const stop = new AbortController();
  const fails = async function* (): AsyncGenerator<SentEvent, void, void> {
    yield { data: "1" };
    throw await Promise.resolve(new Error("the disk is full"));
  };
  const response = sse(fails(), { stop });
  await expect(response.text()).rejects.toThrow("the disk is full");
  expect(await isOver(response)).toBe(true);
});

test("an idle stream gives a sign of life", async () => {
  const stop = new AbortController();
  const response = sse(source([], stop).all, { stop, keepAlive: 10 });
  setTimeout(() => {
    stop.abort();
  }, 80);
  expect(await response.text()).toMatch(/^retry: 1000\n\n(?::\n\n)+$/);
});
