// Servers over HTTP that misbehave, as real servers on this machine.

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { createAgent } from "../../../src/index.js";
import { mcpTools } from "../../../src/mcp/index.js";
import { call, scriptedModel } from "../../../src/testing/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
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

/** Answers the question for the newest protocol; undefined to answer it as a method that is not known. */
type OnProbe = (response: ServerResponse, id: unknown) => void;

/** A server that answers everything but calls by the rules of the older protocol. */
function plainHttp(onCall: OnCall, tools: readonly object[] = [listed("echo")], onProbe?: OnProbe): RequestListener {
  return (request, response) => {
    void bodyOf(request).then(({ id, method, params }) => {
      const json = (body: object): void => {
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ jsonrpc: "2.0", id, ...body }));
      };
      if (request.method !== "POST") response.writeHead(405).end();
      else if (method === "server/discover" && onProbe !== undefined) onProbe(response, id);
      else if (id === undefined) response.writeHead(202).end();
      else if (method === "initialize")
        json({
          result: {
            protocolVersion: "2025-11-25",
            capabilities: { tools: { listChanged: true } },
            serverInfo: { name: "h", version: "1" },
          },
        });
      else if (method === "tools/list") {
        if (tools.length > 0) json({ result: { tools } });
      } else if (method === "tools/call") onCall(response, id, params?.name ?? "");
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
    expect(results[0]?.text).toMatch(
      /The MCP server "web" broke the connection during this call \(.*The outcome of the call is unknown/,
    );
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

  const json =
    (status: number, body: unknown): OnProbe =>
    (response) => {
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    };
  const parseError = { code: -32_700, message: "Parse error" };

  it.each<[string, OnProbe]>([
    ["500", (response) => response.writeHead(500).end("boom")],
    ["502 with a page", (response) => response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad</h1>")],
    ["500 with an error whose id is null", json(500, { jsonrpc: "2.0", id: null, error: parseError })],
    ["200 with an error whose id is null", json(200, { jsonrpc: "2.0", id: null, error: parseError })],
    ["200 with an error without an id", json(200, { jsonrpc: "2.0", error: parseError })],
    ["200 with JSON that is no message", json(200, { status: "ok" })],
    ["200 with an empty list", json(200, [])],
    ["200 with a page", (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>hello")],
    ["200 with nothing", (response) => response.writeHead(200).end()],
    ["an empty stream of events", (response) => response.writeHead(200, { "content-type": "text/event-stream" }).end()],
    ["202", (response) => response.writeHead(202).end()],
    ["204", (response) => response.writeHead(204).end()],
    ["403 for what it does not know", (response) => response.writeHead(403).end("blocked")],
    ["401 for what it does not know", (response) => response.writeHead(401).end()],
    ["429", (response) => response.writeHead(429).end()],
    ["a closed socket", (response) => response.destroy()],
    [
      "a broken body",
      (response) => response.writeHead(200, { "content-length": "50" }).write("{", () => response.destroy()),
    ],
    ["an error without a code", json(200, { jsonrpc: "2.0", id: 0, error: { message: "no" } })],
    ["silence", () => undefined],
  ])("of the older protocol that answers the question for the newest with %s can be used", async (_what, onProbe) => {
    const url = await serve(
      plainHttp(
        (response, id) => {
          answer(response, id, "seen");
        },
        [listed("echo")],
        onProbe,
      ),
    );
    const start = performance.now();
    const server = await mcpTools({ name: "web", url, startTimeout: 1500, tell: () => undefined });
    expect(performance.now() - start).toBeLessThan(1500);
    expect([server.protocol, await textOf(server.tools, "web__echo")]).toEqual(["2025-11-25", "seen"]);
    await server.close();
  });

  it.each<[string, RequestListener, RegExp]>([
    ["is silent", () => undefined, /did not answer within 0\.6 s\.$/],
    ["answers with a page", (_request, response) => response.end("<html>Log in"), /no message: <html>Log in/],
    ["answers with nothing", (_request, response) => response.end(), /answered with nothing/],
    ["accepts all and answers nothing", (_request, response) => response.writeHead(202).end(), /answered with nothing/],
    ["fails", (_request, response) => response.writeHead(503).end("no worker"), /no worker/],
    ["refuses with 403", (_request, response) => response.writeHead(403).end("wrong key"), /wants a key \(.*wrong key/],
  ])("that %s is told with what happened, in its start time", async (_what, listener, words) => {
    const url = await serve(listener);
    const start = performance.now();
    await expect(mcpTools({ name: "web", url, startTimeout: 600 })).rejects.toThrow(words);
    expect(performance.now() - start).toBeLessThan(15_000);
  });

  it("that never lists its tools is told within the start time", async () => {
    const url = await serve(plainHttp(() => undefined, []));
    await expect(mcpTools({ name: "web", url, startTimeout: 700 })).rejects.toThrow(
      'The tools of the MCP server "web" can\'t be listed: it did not answer in time.',
    );
  });

  it.each([
    ["404", 404, "Session not found"],
    ["400 that names the session", 400, "Bad Request: No valid session ID provided"],
  ])("whose session is over gets the call once more in another session: %s", async (_what, status, words) => {
    let [starts, calls] = [0, 0];
    const plain = plainHttp((response, id) => {
      calls += 1;
      if (calls === 2) response.writeHead(status).end(JSON.stringify({ error: { code: -32_000, message: words } }));
      else answer(response, id, `call ${String(calls)}`);
    });
    const url = await serve((request, response) => {
      if (request.headers["mcp-protocol-version"] === undefined) starts += 1;
      plain(request, response);
    });
    const told: string[] = [];
    const server = await mcpTools({ name: "web", url, tell: (line) => told.push(line) });
    const before = starts;
    const { results } = await callEach(server.tools, [
      ["web__echo", {}],
      ["web__echo", { again: true }],
    ]);
    expect(results.map(({ text }) => text)).toEqual(["call 1", "call 3"]);
    expect([starts > before, told]).toEqual([true, []]);
    await server.close();
  });

  it("that refuses each call is told as refusing, and nothing is called twice but for a session", async () => {
    let calls = 0;
    const url = await serve(
      plainHttp((response) => {
        calls += 1;
        response.writeHead(calls === 1 ? 413 : 404).end("no");
      }),
    );
    const server = await mcpTools({ name: "web", url, tell: () => undefined });
    const { results } = await callEach(server.tools, [
      ["web__echo", {}],
      ["web__echo", { again: true }],
    ]);
    for (const { text } of results) expect(text).toMatch(/refused the request with HTTP 4.*so nothing was called/);
    expect(calls).toBe(3);
    await server.close();
  });

  it.each<[string, (response: ServerResponse) => void]>([
    [
      "whose stream ends",
      (response) => response.writeHead(200, { "content-type": "text/event-stream" }).end(": hi\n\n"),
    ],
    [
      "whose stream breaks",
      (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" }).write(": hi\n\n");
        setTimeout(() => response.destroy(), 50);
      },
    ],
    ["whose connection breaks", (response) => setTimeout(() => response.destroy(), 50)],
  ])("%s in the midst of a call fails it at once", async (_what, breaks) => {
    const url = await serve(
      plainHttp((response) => {
        breaks(response);
      }),
    );
    const server = await mcpTools({ name: "web", url, tell: () => undefined });
    const start = performance.now();
    expect(await textOf(server.tools, "web__echo")).toMatch(
      /broke the connection during this call.*outcome of the call is unknown/,
    );
    expect(performance.now() - start).toBeLessThan(15_000);
    await server.close();
  });

  it("that is gone at a call is told as not reached, and the call as not made", async () => {
    const url = await serve(
      plainHttp((response, id) => {
        answer(response, id, "ok");
      }),
    );
    const server = await mcpTools({ name: "web", url, tell: () => undefined });
    const gone = open.pop();
    gone?.closeAllConnections();
    gone?.close();
    await sleep(100);
    const { results } = await callEach(server.tools, [
      ["web__echo", {}],
      ["web__echo", { again: true }],
    ]);
    for (const { text } of results) {
      expect(text).toMatch(/ECONNREFUSED.*Nothing was called/);
      expect(text).not.toContain("unknown");
    }
    await server.close();
  });

  it.each<[string, OnCall, string]>([
    ["with a page", (response) => response.writeHead(200, { "content-type": "text/html" }).end("<p>Oops"), "<p>Oops"],
    [
      "with cut JSON",
      (response) => response.setHeader("content-type", "application/json").end('{"jsonrpc":'),
      '{"jsonrpc":',
    ],
    [
      "with neither result nor error",
      (response, id) => response.end(JSON.stringify({ jsonrpc: "2.0", id })),
      "neither a result nor an error",
    ],
    [
      "with an error that is a text",
      (response, id) => response.end(JSON.stringify({ jsonrpc: "2.0", id, error: "boom" })),
      "boom",
    ],
    [
      "with an error whose code is a text",
      (response, id) => response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: "E1", message: "boom" } })),
      "boom",
    ],
    [
      "with another id as null",
      (response) => response.end('{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"boom"}}'),
      "boom",
    ],
  ])("that answers a call %s is told at once in its words", async (_what, onCall, words) => {
    const url = await serve(plainHttp(onCall));
    const server = await mcpTools({ name: "web", url, timeout: 30_000, tell: () => undefined });
    const start = performance.now();
    const text = await textOf(server.tools, "web__echo");
    expect(text).toContain(words);
    expect(text).not.toContain("invalid_union");
    expect(performance.now() - start).toBeLessThan(15_000);
    await server.close();
  });

  it.each([
    ["a text as id", (id: number) => ({ jsonrpc: "2.0", id: String(id) })],
    ["no id", () => ({ jsonrpc: "2.0" })],
    ["no version", (id: number) => ({ id })],
  ])("whose answer has %s is read", async (_what, head) => {
    const url = await serve(
      plainHttp((response, id) => {
        response.end(JSON.stringify({ ...head(id), result: { content: [{ type: "text", text: "read" }] } }));
      }),
    );
    const server = await mcpTools({ name: "web", url, tell: () => undefined });
    expect(await textOf(server.tools, "web__echo")).toBe("read");
    await server.close();
  });

  it("that tells of a changed list over another stream, after the result, has the new tool in the next iteration", async () => {
    const tools = [listed("grow")];
    let notices: ServerResponse | undefined;
    const plain = plainHttp((response, id, name) => {
      if (name === "grow") tools.push(listed("new"));
      answer(response, id, name);
      if (name !== "grow") return;
      const notice = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
      setTimeout(() => notices?.write(`data: ${JSON.stringify(notice)}\n\n`), 15);
    }, tools);
    const url = await serve((request, response) => {
      if (request.method === "GET") notices = response.writeHead(200, { "content-type": "text/event-stream" });
      if (request.method === "GET") response.write(": open\n\n");
      else plain(request, response);
    });
    const server = await mcpTools({ name: "web", url, tell: () => undefined });
    await sleep(200);
    const agent = createAgent({
      model: scriptedModel([[call("web__grow")], [call("web__new")], [call("task_completion", { result: "." })]]),
      permission: () => true,
      tools: [taskCompletion()],
      toolSources: [server],
    });
    const texts: string[] = [];
    await agent.run("Go.", {
      onEvent(event) {
        if (event.type === "call-end") texts.push(event.result.text);
      },
    });
    expect(texts.slice(0, 2)).toEqual(["grow", "new"]);
    await server.close();
  });

  it("of 2024 is used over its stream of events, and another session follows a broken stream", async () => {
    const url = await serve(ofTwentyFour());
    const server = await mcpTools({ name: "old", url, headers: { authorization: "Bearer k" }, tell: () => undefined });
    expect(server.protocol).toBe("2024-11-05");
    const { results } = await callEach(server.tools, [
      ["old__echo", {}],
      ["old__break", {}],
      ["old__echo", { again: true }],
    ]);
    expect(results.map(({ text }) => text)).toEqual([
      "session 1",
      expect.stringContaining('The MCP server "old" broke the connection during this call'),
      "session 2",
    ]);
    await server.close();
  });

  it("that is down is told with the fault of its address", async () => {
    const url = await serve(() => undefined);
    open.pop()?.close();
    await expect(mcpTools({ name: "web", url })).rejects.toThrow(/The MCP server "web" can't be used: .*ECONNREFUSED/);
  });
});

/** A server with the transport of 2024: answers come over a stream of events, which names the address for messages. */
function ofTwentyFour(): RequestListener {
  const streams: ServerResponse[] = [];
  const results: Readonly<Record<string, object>> = {
    initialize: { protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo: { name: "o", version: "1" } },
    "tools/list": { tools: [listed("echo"), listed("break")] },
  };
  return (request, response) => {
    if (request.headers.authorization !== "Bearer k") return void response.writeHead(401).end();
    if (request.method === "GET") {
      streams.push(response.writeHead(200, { "content-type": "text/event-stream" }));
      return void response.write(`event: endpoint\ndata: /messages?session=${String(streams.length)}\n\n`);
    }
    const session = Number(new URL(String(request.url), "http://a").searchParams.get("session"));
    if (session === 0) return void response.writeHead(405).end();
    void bodyOf(request).then(({ id, method = "", params }) => {
      response.writeHead(202).end("Accepted");
      const stream = streams[session - 1];
      const text = `session ${String(session)}`;
      if (params?.name === "break") stream?.destroy();
      else if (id !== undefined)
        stream?.write(
          `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: results[method] ?? { content: [{ type: "text", text }] } })}\n\n`,
        );
    });
  };
}

describe("an id of 19 digits was rounded on its way from a server over HTTP", () => {
  const data = '{"id":1234567890123456789,"said":"1234567890123456789","few":5}';
  const said = (id: number): string =>
    `{"jsonrpc":"2.0","id":${String(id)},"result":{"content":[],"structuredContent":${data}}}`;
  const ways: readonly (readonly [string, OnCall])[] = [
    ["as JSON", (response, id) => response.writeHead(200, { "content-type": "application/json" }).end(said(id))],
    [
      "as an event",
      (response, id) =>
        response.writeHead(200, { "content-type": "text/event-stream" }).end(`event: message\ndata: ${said(id)}\n\n`),
    ],
    [
      "as an event in many pieces, behind another event",
      (response, id) => {
        response.writeHead(200, { "content-type": "Text/Event-Stream; charset=utf-8" });
        void (async () => {
          for (const piece of `: hi\r\n\r\ndata: ${said(id)}\r\n\r\n`.match(/[^]{1,9}/g) ?? []) {
            response.write(piece);
            await sleep(1);
          }
          response.end();
        })();
      },
    ],
  ];

  it.each(ways)("%s", async (_way, onCall) => {
    const server = await mcpTools({ name: "h", url: await serve(plainHttp(onCall)) });
    const { results } = await callEach(server.tools, [["h__echo", {}]]);
    await server.close();
    expect(results[0]?.text).toBe('{"id":"1234567890123456789","said":"1234567890123456789","few":5}');
  });
});
