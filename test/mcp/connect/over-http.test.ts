// Servers over HTTP that misbehave, as real servers on this machine.

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { mcpTools } from "../../../src/mcp/index.js";
import { callEach, listed, textOf } from "../plain-server.js";

const open: Server[] = [];

afterEach(() => {
  for (const server of open.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, "127.0.0.1");
  open.push(server);
  await once(server, "listening");
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/mcp`;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: { readonly name?: string };
}

async function bodyOf(request: IncomingMessage): Promise<Message> {
  let text = "";
  for await (const piece of request) text += String(piece);
  return text === "" ? {} : (JSON.parse(text) as Message);
}

type OnCall = (response: ServerResponse, id: number, name: string) => void;

/** A server that answers everything but calls by the rules. */
function plainHttp(onCall: OnCall, tools: readonly object[] = [listed("echo")]): RequestListener {
  return (request, response) => {
    void bodyOf(request).then(({ id, method, params }) => {
      const json = (body: object): void => {
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
      };
      if (request.method !== "POST") response.writeHead(405).end();
      else if (id === undefined) response.writeHead(202).end();
      else if (method === "initialize")
        json({
          result: {
            protocolVersion: "2025-11-25",
            capabilities: { tools: {} },
            serverInfo: { name: "h", version: "1" },
          },
        });
      else if (method === "tools/list") json({ result: { tools } });
      else if (method === "tools/call") onCall(response, id, params?.name ?? "");
      else json({ error: { code: -32601, message: "Method not found" } });
    });
  };
}

const answer = (response: ServerResponse, id: number, text: string): void => {
  response
    .writeHead(200, { "content-type": "application/json" })
    .end(JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } }));
};

describe("a server over HTTP", () => {
  it.each([
    ["one body", "application/json", ""],
    ["one event", "text/event-stream", "data: "],
  ])("that answers with 50 MB in %s fails its call alone", async (_how, type, before) => {
    const big = (response: ServerResponse, id: number): void => {
      response.writeHead(200, { "content-type": type });
      response.write(`${before}{"jsonrpc":"2.0","id":${String(id)},"result":{"content":[{"type":"text","text":"`);
      const piece = "x".repeat(1_000_000);
      const more = (left: number): void => {
        if (left > 0 && !response.destroyed)
          response.write(piece, () => {
            more(left - 1);
          });
        else response.end('"}]}}\n\n');
      };
      more(50);
    };
    const url = await serve(
      plainHttp(
        (response, id, name) => {
          if (name === "big") big(response, id);
          else answer(response, id, "still here");
        },
        [listed("big"), listed("echo")],
      ),
    );
    const memory = process.memoryUsage().rss;
    const server = await mcpTools({ name: "web", url, timeout: 5000, tell: () => undefined });
    const { results } = await callEach(server.tools, [
      ["web__big", {}],
      ["web__echo", {}],
    ]);
    expect(results[0]?.ok).toBe(false);
    expect(results[1]?.text).toBe("still here");
    expect(process.memoryUsage().rss - memory).toBeLessThan(150_000_000);
    await server.close();
  });

  it("that hangs up in the midst of a call fails that call, and is there for the next", async () => {
    let calls = 0;
    const url = await serve(
      plainHttp((response, id) => {
        calls += 1;
        if (calls === 1) response.destroy();
        else answer(response, id, "back again");
      }),
    );
    const server = await mcpTools({ name: "web", url, tell: () => undefined });
    const { results } = await callEach(server.tools, [
      ["web__echo", { a: 1 }],
      ["web__echo", { a: 2 }],
    ]);
    expect(results[0]?.text).toContain('The MCP server "web" ended during this call');
    expect(results[1]?.text).toBe("back again");
    await server.close();
  });

  it("mcp-028-auth-endpoint-injection: that wants a key is a fault with advice, and no address of its is opened", async () => {
    const asked: string[] = [];
    const url = await serve((request, response) => {
      asked.push(String(request.url));
      response
        .writeHead(401, { "www-authenticate": 'Bearer resource_metadata="http://127.0.0.1:1/$(calc.exe)"' })
        .end();
    });
    await expect(mcpTools({ name: "web", url })).rejects.toMatchObject({
      code: "authentication",
      message: expect.stringContaining("Give it the header authorization") as string,
    });
    expect(new Set(asked)).toEqual(new Set(["/mcp"]));
  });

  it("that sends its key on to another origin does not get it there", async () => {
    const keys: unknown[] = [];
    const other = await serve((request, response) => {
      keys.push(request.headers["authorization"]);
      response.writeHead(500).end();
    });
    const url = await serve((_request, response) => {
      response.writeHead(307, { location: other }).end();
    });
    await expect(mcpTools({ name: "web", url, headers: { authorization: "Bearer k" } })).rejects.toMatchObject({
      code: "provider_unavailable",
    });
    expect(keys).toEqual([]);
  });

  it("gets the given headers with each request", async () => {
    const seen = new Set<unknown>();
    const inner = plainHttp((response, id) => {
      answer(response, id, "ok");
    });
    const url = await serve((request, response) => {
      seen.add(request.headers["authorization"]);
      inner(request, response);
    });
    const server = await mcpTools({ name: "web", url, headers: { authorization: "Bearer k" }, tell: () => undefined });
    expect(await textOf(server.tools, "web__echo")).toBe("ok");
    expect(seen).toEqual(new Set(["Bearer k"]));
    await server.close();
  });

  it("that is down is told with the fault of its address", async () => {
    const url = await serve(() => undefined);
    open.pop()?.close();
    await expect(mcpTools({ name: "web", url })).rejects.toThrow(/The MCP server "web" can't be used: .*ECONNREFUSED/);
  });
});
