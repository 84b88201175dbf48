// The end of a client, by the signal of its request and by the response of Node.

import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { stopWith } from "../../../src/server/answer/client-stop.js";

function requestWith(signal: AbortSignal, res?: object): Request {
  const request = new Request("http://localhost/chat", { method: "POST", signal });
  return res === undefined ? request : Object.assign(request, { runtime: { name: "node", node: { res } } });
}

test("a client that hangs up is known by the signal of its request", () => {
  const signal = new AbortController();
  const { signal: stopped } = stopWith(requestWith(signal.signal));
  expect(stopped.aborted).toBe(false);
  signal.abort();
  expect(stopped.aborted).toBe(true);
  expect(stopWith(requestWith(AbortSignal.abort())).signal.aborted).toBe(true);
});

test("a stream under Nitro 3.0 ended with the body of its request: its srvx aborts the signal before the client has gone", () => {
  const response = Object.assign(new EventEmitter(), { destroyed: false });
  const { signal } = stopWith(requestWith(AbortSignal.abort(), response));
  expect(signal.aborted).toBe(false);
  response.emit("close");
  expect([signal.aborted, response.listenerCount("close")]).toEqual([true, 0]);
  const gone = Object.assign(new EventEmitter(), { destroyed: true });
  expect(stopWith(requestWith(new AbortController().signal, gone)).signal.aborted).toBe(true);
});
