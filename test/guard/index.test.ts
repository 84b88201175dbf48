// Callers of a server without a token: the address of their socket admits them, and nothing that they write.

import { createServer, request as send, type RequestListener } from "node:http";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { toNodeHandler } from "srvx/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAgent } from "../../src/index.js";
import { mcpHandler } from "../../src/mcp/index.js";
import { memoryStore, openSession } from "../../src/memory/index.js";
import { createHandler, serve, type HandlerOptions } from "../../src/server/index.js";
import { scriptedModel } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";

const agent = createAgent({ model: scriptedModel([]), tools: [taskCompletion()] });

function made(options: Partial<HandlerOptions> = {}) {
  const store = memoryStore();
  return { store, handler: createHandler({ agents: { worker: agent }, store, studio: true, ...options }) };
}

type Handler = (request: Request) => Promise<Response>;

async function listening(handler: Handler, host: string): Promise<number> {
  const { port, close } = await serve(handler, { host });
  onTestFinished(close);
  return port;
}

/** An address of this machine that other machines reach; undefined if it has none. */
const outer = Object.values(networkInterfaces())
  .flat()
  .find((known) => known?.family === "IPv4" && !known.internal)?.address;
const noNetwork = outer === undefined ? " (left out: this machine has no address in a network)" : "";

interface Sent {
  readonly host?: string;
  readonly port?: number;
  readonly socketPath?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Posts with exactly these headers. Returns the status and the words. */
function post({ path = "/sessions/s/runs", headers = {}, ...to }: Sent): Promise<readonly [number, string]> {
  const all = { host: "localhost", "content-type": "application/json", ...headers };
  return new Promise((resolve, reject) => {
    const sending = send({ ...to, path, method: "POST", headers: all, setHost: false }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      answer.on("end", () => {
        resolve([answer.statusCode ?? 0, text]);
      });
    });
    sending.on("error", reject);
    sending.end('{"input":"go"}');
  });
}

describe("a server on all addresses, without a token", () => {
  test.skipIf(noNetwork !== "")(`lets nobody of the network in who says localhost${noNetwork}`, async () => {
    const { handler, store } = made();
    const port = await listening(handler, "0.0.0.0");
    const [status, words] = await post({ host: outer!, port });
    expect(status).toBe(403);
    expect(words).toContain("another machine. Without a token or `authenticate`, only callers on this machine may ask");
    // The other spellings of this machine, and the page.
    expect((await post({ host: outer!, port, path: "/studio/" }))[0]).toBe(403);
    for (const headers of [
      { host: `127.0.0.1:${String(port)}` },
      { host: "[::1]" },
      { "x-forwarded-for": "127.0.0.1" },
    ])
      expect((await post({ host: outer!, port, headers }))[0]).toBe(403);
    expect(await store.list()).toEqual([]);
  });

  test("serves this machine, over IPv4 and as IPv6 writes it", async () => {
    for (const [listen, host] of [
      ["0.0.0.0", "127.0.0.1"],
      ["::", "127.0.0.1"],
      ["::", "::1"],
    ] as const) {
      const port = await listening(made().handler, listen);
      expect((await post({ host, port }))[0]).toBe(202);
    }
  });

  test.skipIf(noNetwork !== "")(`serves the network with a token, and with a judge${noNetwork}`, async () => {
    const token = "a-token-that-nobody-guesses";
    const withToken = await listening(made({ token }).handler, "0.0.0.0");
    expect((await post({ host: outer!, port: withToken }))[0]).toBe(401);
    const headers = { authorization: `Bearer ${token}` };
    expect((await post({ host: outer!, port: withToken, headers }))[0]).toBe(202);
    const judged = await listening(made({ authenticate: () => true }).handler, "0.0.0.0");
    expect((await post({ host: outer!, port: judged }))[0]).toBe(202);
  });

  test.skipIf(noNetwork !== "")(`serves no agents over MCP to the network${noNetwork}`, async () => {
    const store = memoryStore();
    const sessions = (id: string) => openSession({ store, id });
    const handle = mcpHandler({ agents: { work: { description: "Works.", agent } }, sessions });
    const port = await listening(handle, "0.0.0.0");
    expect((await post({ host: outer!, port, path: "/mcp" }))[0]).toBe(403);
    expect((await post({ host: "127.0.0.1", port, path: "/mcp" }))[0]).not.toBe(403);
  });
});

describe("on this machine, without a token", () => {
  test.each([
    ["forwarded", "for=127.0.0.1"],
    ["x-forwarded-for", "127.0.0.1"],
    ["x-forwarded-host", "localhost"],
    ["x-real-ip", "::1"],
    ["via", "1.1 gate"],
  ])("a proxy that says so (%s) lets nobody in, whomever it names", async (name, value) => {
    const port = await listening(made().handler, "127.0.0.1");
    const [status, words] = await post({ host: "127.0.0.1", port, headers: { [name]: value } });
    expect([status, words]).toEqual([403, expect.stringContaining("A proxy has passed this request on")]);
  });

  test.each([
    "localhost.",
    "127.0.0.1.",
    "localhost.evil.example",
    "[::1].evil.example",
    "localhost@evil.example",
    "0",
    "",
  ])("the host %j is not this one, so a name that was bound here gets nothing", async (host) => {
    const port = await listening(made().handler, "127.0.0.1");
    expect((await post({ host: "127.0.0.1", port, headers: { host } }))[0]).toBeGreaterThanOrEqual(400);
  });
});

describe("in a server of another, without a token", () => {
  async function mounted(
    handler: Handler,
    at: { readonly port: number; readonly host: string } | { readonly path: string },
  ) {
    const server = createServer(toNodeHandler(handler) as unknown as RequestListener).listen(at);
    await once(server, "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const address = server.address();
    return typeof address === "string" ? 0 : address!.port;
  }

  test.skipIf(noNetwork !== "")(`a handler in a server of Node knows the socket${noNetwork}`, async () => {
    const port = await mounted(made().handler, { port: 0, host: "0.0.0.0" });
    expect((await post({ host: "127.0.0.1", port }))[0]).toBe(202);
    expect((await post({ host: outer!, port }))[0]).toBe(403);
  });

  test("a socket of the file system has no address, so its callers need more", async () => {
    const folder = mkdtempSync(join(tmpdir(), "lastcall-socket-"));
    onTestFinished(() => {
      rmSync(folder, { recursive: true, force: true });
    });
    const socketPath = join(folder, "s");
    await mounted(made().handler, { path: socketPath });
    const [status, words] = await post({ socketPath });
    expect([status, words]).toEqual([403, expect.stringContaining("does not tell the address of the caller")]);
  });

  test("a request without a socket is nobody's, whatever it says", async () => {
    const request = (): Request => new Request("http://localhost/sessions", { headers: { host: "localhost" } });
    expect((await made().handler(request())).status).toBe(403);
    expect((await made({ authenticate: () => true }).handler(request())).status).toBe(200);
    // Where the address of a request comes from a header, as on edge networks, it is no address.
    const spoken = Object.assign(request(), { ip: "127.0.0.1", runtime: { name: "cloudflare" } });
    expect((await made().handler(spoken)).status).toBe(403);
  });
});

test("an empty token is a mistake at the start, and never a server that lets everybody in", () => {
  for (const token of ["", "  "]) expect(() => made({ token })).toThrow("token of a handler is empty");
});
