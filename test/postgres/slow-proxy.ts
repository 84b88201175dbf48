// A proxy in front of Postgres that makes the way to it longer, as a database in another building does.

import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface SlowProxy extends AsyncDisposable {
  /** The address of the database over the proxy. */
  readonly url: string;
}

/** Starts a proxy over which each way to the database at `url` takes so many milliseconds more. */
export async function startSlowProxy(url: string, ms: number): Promise<SlowProxy> {
  const { port, hostname } = new URL(url);
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const pass = (from: Socket, into: Socket): void => {
      open.add(from);
      from.on("data", (chunk: Buffer) => setTimeout(() => into.write(chunk), ms));
      // A connection that broke is closed next.
      from.on("error", () => undefined);
      from.on("close", () => {
        open.delete(from);
        setTimeout(() => into.destroy(), ms + 1);
      });
    };
    pass(client, upstream);
    pass(upstream, client);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const over = new URL(url);
  over.port = String((server.address() as AddressInfo).port);
  return {
    url: over.href,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
