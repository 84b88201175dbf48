// A provider of another maker on loopback: it answers each request with the next step of a script, over one of the wires.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { speaker, type Script, type ScriptedReply } from "../../src/testing/scripted/script.js";
import type { Wire } from "./wires.js";

/** A request that the provider got. */
export interface WireRequest {
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Readonly<Record<string, unknown>>;
}

/** A running provider. */
export interface WireProvider extends AsyncDisposable {
  /** The address without a path: `http://127.0.0.1:<port>`. */
  readonly origin: string;
  readonly requests: readonly WireRequest[];
  /** The number of replies whose client hung up before their end. */
  readonly left: number;
}

/** Starts a provider that speaks the wire. The `cutAfter` of a reply counts its events, not bytes. */
export async function wireProvider(wire: Wire, script: Script): Promise<WireProvider> {
  const speaking = speaker(script);
  const requests: WireRequest[] = [];
  let left = 0;

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = JSON.parse(await textOf(incoming)) as WireRequest["body"];
    requests.push({ path: incoming.url ?? "", headers: incoming.headers, body });
    const step = speaking.say("");
    if ("status" in step) {
      outgoing.writeHead(step.status, { "content-type": "application/json", ...step.headers });
      outgoing.end(JSON.stringify(wire.error(step)));
      return;
    }
    outgoing.once("close", () => {
      if (!outgoing.writableFinished) left += 1;
    });
    await say(outgoing, step, wire.lines(step, requests.length));
  }

  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => {
      outgoing.destroy();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${String(port)}`,
    requests,
    get left() {
      return left;
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}

async function say(outgoing: ServerResponse, reply: ScriptedReply, { content, finish }: ReturnType<Wire["lines"]>) {
  const { delay = 0, pause = 0, cut, cutAfter } = reply;
  if (delay > 0) await sleep(delay);
  const all = cut === undefined || cutAfter !== undefined ? [...content, ...finish] : content;
  outgoing.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  outgoing.flushHeaders();
  for (const line of all.slice(0, cutAfter)) {
    if (outgoing.destroyed) return;
    await new Promise((resolve) => outgoing.write(line, resolve));
    if (pause > 0) await sleep(pause);
  }
  // What was written has to arrive before a reset, which throws it away otherwise.
  if (cut === "reset") await sleep(20);
  if (cut === "reset") outgoing.socket?.resetAndDestroy();
  else outgoing.end();
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
