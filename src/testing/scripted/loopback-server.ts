// An HTTP server on a free port of 127.0.0.1, for providers that stand in for a real one.

import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

/** A running server. */
export interface LoopbackServer {
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string;
  /** Closes the server and all its connections. */
  close(): Promise<void>;
}

/** Starts the server. */
export async function loopbackServer(answer: RequestListener): Promise<LoopbackServer> {
  const server = createServer(answer);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${String(port)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
