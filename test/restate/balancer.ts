// The one address of several workers: a proxy that passes each connection on to one of them that lives.

import { existsSync, readFileSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";
import { once } from "node:events";

/** Passes connections on to the ports that a file names, one a line; the last ones live. */
export class Balancer {
  readonly #file: string;
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  #count = 0;

  private constructor(file: string) {
    this.#file = file;
    this.#server = createServer((socket) => void this.#pass(socket));
  }

  static async open(file: string): Promise<Balancer> {
    const balancer = new Balancer(file);
    balancer.#server.listen(0, "127.0.0.1");
    await once(balancer.#server, "listening");
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#open) socket.destroy();
  }

  async #pass(socket: Socket): Promise<void> {
    this.#keep(socket);
    const ports = existsSync(this.#file) ? readFileSync(this.#file, "utf8").trim().split("\n").slice(-8) : [];
    const from = (this.#count += 1);
    for (let index = 0; index < ports.length; index += 1) {
      const worker = connect(Number(ports[(from + index) % ports.length]), "127.0.0.1");
      const isThere = await once(worker, "connect").then(
        () => true,
        () => false,
      );
      if (!isThere) continue;
      this.#keep(worker);
      worker.once("close", () => socket.destroy());
      socket.once("close", () => worker.destroy());
      socket.pipe(worker).pipe(socket);
      return;
    }
    socket.destroy();
  }

  #keep(socket: Socket): void {
    this.#open.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("close", () => this.#open.delete(socket));
  }
}
