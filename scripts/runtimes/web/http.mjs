// The part of node:http that test servers use. The server itself is on the side of Node.

import { EventEmitter } from "events/events.js";
import { Buffer } from "../../../src/web/buffer.ts";
import { visit } from "./visit.mjs";

let count = 0;

class Request extends EventEmitter {
  #body;

  constructor({ method, url, headers, rawHeaders, body }) {
    super();
    Object.assign(this, { method, url, headers, rawHeaders });
    this.#body = Buffer.from(body, "base64");
    queueMicrotask(() => {
      try {
        if (this.#body.length > 0) this.emit("data", this.#body);
        this.emit("end");
        this.emit("close");
      } catch {
        // The test fails for want of an answer, or is left out by what was thrown.
        this.socket.destroy();
      }
    });
  }

  async toArray() {
    return this.#body.length > 0 ? [this.#body] : [];
  }

  async *[Symbol.asyncIterator]() {
    yield* await this.toArray();
  }

  setEncoding() {
    return this;
  }

  resume() {
    return this;
  }
}

class Response extends EventEmitter {
  #act;
  #headers = {};
  headersSent = false;
  writableEnded = false;
  destroyed = false;
  statusCode = 200;

  constructor(act) {
    super();
    this.#act = act;
    this.socket = { destroy: () => this.destroy(), resetAndDestroy: () => this.destroy(), setNoDelay() {} };
  }

  setHeader(name, value) {
    this.#headers[name] = value;
    return this;
  }

  writeHead(status, headers = {}) {
    this.headersSent = true;
    this.#act("head", { status, headers: { ...this.#headers, ...headers } });
    return this;
  }

  flushHeaders() {
    if (!this.headersSent) this.writeHead(this.statusCode);
  }

  write(data, done) {
    if (this.destroyed || this.writableEnded) return false;
    this.flushHeaders();
    this.#act("write", {
      bytes: (typeof data === "string" ? Buffer.from(data) : Buffer.from([...data])).toString("base64"),
    });
    if (typeof done === "function") queueMicrotask(done);
    return true;
  }

  end(data) {
    if (this.destroyed || this.writableEnded) return this;
    if (data !== undefined) this.write(data);
    this.flushHeaders();
    this.writableEnded = true;
    this.#act("end");
    queueMicrotask(() => this.emit("finish"));
    return this;
  }

  destroy() {
    if (this.destroyed) return this;
    this.destroyed = true;
    this.#act("destroy");
    return this;
  }
}

class Server extends EventEmitter {
  #id = (count += 1);
  #port;
  #visit = visit();

  constructor(listener) {
    super();
    if (listener !== undefined) this.on("request", listener);
  }

  listen(_port, ...rest) {
    const done = rest.find((one) => typeof one === "function");
    if (done !== undefined) this.once("listening", done);
    const responses = new Map();
    const { listeners, act } = this.#visit;
    listeners.set(this.#id, ({ event, port, request: number, ...given }) => {
      if (event === "listening") {
        this.#port = port;
        this.emit("listening");
      } else if (event === "request") {
        const response = new Response((name, more) => act(this.#id, name, { request: number, ...more }));
        responses.set(number, response);
        this.emit("request", Object.assign(new Request(given), { socket: response.socket }), response);
      } else {
        const response = responses.get(number);
        if (response === undefined) return;
        response.destroyed = true;
        response.emit("close");
      }
    });
    act(this.#id, "listen");
    return this;
  }

  address() {
    return { port: this.#port, address: "127.0.0.1", family: "IPv4" };
  }

  closeAllConnections() {
    this.#visit.act(this.#id, "close");
  }

  close(done) {
    this.closeAllConnections();
    queueMicrotask(() => {
      this.emit("close");
      done?.();
    });
    return this;
  }
}

export const createServer = (...given) => new Server(given.find((one) => typeof one === "function"));
