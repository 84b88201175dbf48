// A proxy in front of Postgres that cuts connections at random, at any byte of either direction.

import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";

export interface CuttingProxy extends AsyncDisposable {
  readonly port: number;
  /** The number of connections that were cut. */
  readonly cuts: number;
}

/**
 * Starts a proxy. A connection is cut after a random number of bytes, `most` at most, once it has begun its session. The bytes before the
 * cut are passed on, so a statement may have been carried out although its answer never comes. `random` gives numbers from 0 to 1.
 */
export async function startCuttingProxy(to: number, most: number, random: () => number): Promise<CuttingProxy> {
  let cuts = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(to, "127.0.0.1");
    let left = Math.floor(random() * most);
    const cut = (): void => {
      client.destroy();
      upstream.destroy();
    };
    const pass = (from: Socket, into: Socket): void => {
      open.add(from);
      from.on("data", (chunk: Buffer) => {
        if (chunk.length < left) {
          left -= chunk.length;
          into.write(chunk);
          return;
        }
        cuts += 1;
        into.write(chunk.subarray(0, left));
        // What was passed on arrives before the end.
        setImmediate(cut);
      });
      from.on("error", cut);
      from.on("close", () => {
        open.delete(from);
        cut();
      });
    };
    pass(client, upstream);
    pass(upstream, client);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    get cuts() {
      return cuts;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}
