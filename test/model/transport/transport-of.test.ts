// The choice of the transport, on Node and where there is no undici.

import { expect, onTestFinished, test, vi } from "vitest";
import { LastcallError } from "../../../src/index.js";
import { transportOf as onNode } from "../../../src/model/transport/transport-of.js";
import { transportOf } from "../../../src/model/transport/transport-of.web.js";

/** The headers that a request arrives with. */
async function sent(headers: Readonly<Record<string, string>>): Promise<unknown> {
  const asked = vi.fn((_url: string, _request: { readonly headers: unknown }) => Promise.resolve(new Response("{}")));
  vi.stubGlobal("fetch", asked);
  onTestFinished(() => {
    vi.unstubAllGlobals();
  });
  const request = { url: new URL("http://127.0.0.1:1/v1"), headers, body: [new Uint8Array()], timeout: 1000 };
  await transportOf({})(request, new AbortController().signal);
  return asked.mock.calls[0]?.[1].headers;
}

test("the runtime's fetch names itself, unless the caller gave a name", async () => {
  const accept = "application/json";
  expect(await sent({ accept, "user-agent": "lastcall" })).toEqual({ accept });
  expect(await sent({ accept, "user-agent": "shop/2" })).toEqual({ accept, "user-agent": "shop/2" });
});

test("a dispatcher of undici is refused in words", () => {
  const dispatcher = { dispatch: () => true };
  expect(() => transportOf({ dispatcher })).toThrow(LastcallError);
  expect(() => transportOf({ dispatcher })).toThrow("Give fetch instead.");
});

test("a dispatcher that sends nothing, as Bun gives in the place of undici's, is refused in words", () => {
  // The first request failed as a bug: dispatcher.dispatch is not a function.
  const dispatcher = {} as { dispatch: () => boolean };
  expect(() => onNode({ dispatcher })).toThrow(LastcallError);
  expect(() => onNode({ dispatcher })).toThrow("has no function dispatch");
});
