import { createSecureServer } from "node:http2";
import { createServer as createTlsServer } from "node:https";
import { connect, type Socket } from "node:net";
import { createServer as createHttpServer } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { Agent, ProxyAgent } from "undici";
import { describe, expect, it, onTestFinished, test, vi } from "vitest";
import { wholeReply, type ModelRequest } from "../../../src/core/index.js";
import { openai, type OpenAIOptions } from "../../../src/model/index.js";
import { dispatcherFor } from "../../../src/model/transport/dispatcher.js";
import { overFetch } from "../../../src/model/transport/fetched.js";
import type { Transport } from "../../../src/model/transport/http-answer.js";
import { overDispatcher } from "../../../src/model/transport/send.js";
import { done, events } from "../loopback.js";
import { certificate, privateKey } from "./certificate.js";
import { answering, direct, listening, requestTo, textOf } from "./servers.js";

const transports: readonly (readonly [string, Transport])[] = [
  ["the dispatcher of the process", direct],
  ["a dispatcher with HTTP/2", overDispatcher(() => new Agent({ allowH2: true }))],
  ["a fetch function", overFetch((url, request) => fetch(url, request))],
];

const never = new AbortController().signal;

describe.each(transports)("over %s", (_name, transport) => {
  it("a body arrives as it is, with its length and the headers, however many parts it has", async () => {
    const url = await answering((response, { method, headers }, body) => {
      response.setHeader("x-own", String(headers["x-own"]));
      response.end(`${String(method)} ${String(headers["content-length"])} ${body}`);
    });
    // Long bodies are sent in their parts, shorter ones in one piece.
    for (const size of [0, 1, 20_000, 100_000]) {
      const parts = [Buffer.from("é".repeat(size)), Buffer.from("end")];
      const answer = await transport(requestTo(`${url}/v1?a=b`, parts), never);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("X-Own")).toBe("1");
      expect(await textOf(answer)).toBe(`POST ${String(size * 2 + 3)} ${"é".repeat(size)}end`);
    }
  });

  it("an answer may begin and end before the body was read", async () => {
    const server = createHttpServer((_request, response) => {
      response.writeHead(413, { connection: "close" }).end("too long");
    });
    const url = await listening(server);
    const body = [Buffer.alloc(200_000, "x"), Buffer.from("]")];
    const answer = await transport(requestTo(url, body), never);
    expect([answer.status, await textOf(answer)]).toEqual([413, "too long"]);
  });

  it("two bodies that share their first bytes may be on their way at once", async () => {
    const url = await answering((response, _request, body) => {
      setTimeout(() => response.end(`${String(body.length)} ${body.slice(-3)}`), body.endsWith("one") ? 30 : 0);
    });
    const shared = Buffer.alloc(400_000, "s");
    const answers = await Promise.all(
      ["one", "two"].map((end, index) =>
        transport(requestTo(url, [shared.subarray(0, 300_000 + index * 100_000), Buffer.from(end)]), never),
      ),
    );
    expect(await Promise.all(answers.map(textOf))).toEqual(["300003 one", "400003 two"]);
  });

  it.each([
    ["gzip", gzipSync],
    ["deflate", deflateSync],
    ["br", brotliCompressSync],
  ])("an answer in %s is read as it was", async (encoding, compress) => {
    const url = await answering((response) => {
      const bytes = compress("words ".repeat(1000));
      response.setHeader("content-encoding", encoding);
      response.write(bytes.subarray(0, 10));
      setTimeout(() => response.end(bytes.subarray(10)), 5);
    });
    expect(await textOf(await transport(requestTo(url), never))).toBe("words ".repeat(1000));
  });

  it("an abort ends the wait for the head, and the wait for the next bytes", async () => {
    let [arrived, closed] = [0, 0];
    const url = await answering((response, { url: path }) => {
      arrived += 1;
      response.on("close", () => (closed += 1));
      if (path === "/body") response.write("first");
    });
    for (const [index, path] of ["/head", "/body"].entries()) {
      const stop = new AbortController();
      const reason = new Error(`left ${path}`);
      const reading = transport(requestTo(url + path), stop.signal).then(textOf);
      const rejected = expect(reading).rejects.toBe(reason);
      // A request that is aborted before it was sent never reaches the server.
      await expect.poll(() => arrived).toBe(index + 1);
      setTimeout(() => {
        stop.abort(reason);
      }, 30);
      await rejected;
    }
    await expect.poll(() => closed).toBe(2);
    await expect(transport(requestTo(url), AbortSignal.abort(new Error("before")))).rejects.toThrow("before");
  });

  it("a server that does not begin to answer is given up in time", async () => {
    const url = await answering(() => undefined);
    await expect(transport({ ...requestTo(url), timeout: 50 }, never)).rejects.toMatchObject({
      code: "provider_unavailable",
      message: "The provider sent nothing for 0.05 s.",
    });
  });

  it("a connection that breaks in the body is an error, also after bytes that were read", async () => {
    const url = await answering((response) => {
      response.write("first");
      setTimeout(() => response.socket?.resetAndDestroy(), 10);
    });
    const { source } = await transport(requestTo(url), never);
    expect(Buffer.from((await source.read())!).toString()).toBe("first");
    await expect(source.read()).rejects.toThrow();
  });
});

test("an answer in an unknown compression is a fault that names it", async () => {
  const url = await answering((response) => response.setHeader("content-encoding", "zstd2").end("x"));
  await expect(direct(requestTo(url), never)).rejects.toThrow('"zstd2"; lastcall reads gzip, deflate and br');
});

test("a slow reader pauses the server, and loses nothing", async () => {
  let written = 0;
  const total = 64 * 1024 * 1024;
  const url = await answering((response) => {
    const piece = Buffer.alloc(64 * 1024, "x");
    const write = (): void => {
      while (written < total) {
        written += piece.length;
        if (!response.write(piece)) return void response.once("drain", write);
      }
      response.end();
    };
    write();
  });
  const { source } = await direct(requestTo(url), never);
  await source.read();
  await sleep(300);
  expect(written).toBeLessThan(total / 2);
  let read = 0;
  for (let bytes = await source.read(); bytes !== undefined; bytes = await source.read()) read += bytes.length;
  expect(read).toBeGreaterThan(total / 2);
});

const request: ModelRequest = {
  ...{ key: "s/1/model:1", system: "s", messages: [], needsCall: true },
  tools: [{ name: "task_completion", description: "", parameters: { type: "object" } }],
};

/** Asks a model on this server. Returns the name of the tool that it calls. */
async function ask(origin: string, options: OpenAIOptions): Promise<string | undefined> {
  const model = openai({ baseURL: `${origin}/v1`, model: "m", steady: false, ...options });
  return (await wholeReply(model.respond(request, never))).calls[0]?.name;
}

const stream = events(done);
const head = { "content-type": "text/event-stream" };

describe("a model", () => {
  it("talks TLS with the certificates that its dispatcher trusts, and with no others", async () => {
    const server = createTlsServer({ key: privateKey, cert: certificate }, (_request, response) => {
      response.writeHead(200, head).end(stream);
    });
    const origin = await listening(server, "https");
    const dispatcher = new Agent({ connect: { ca: certificate } });
    expect(await ask(origin, { dispatcher })).toBe("task_completion");
    await expect(ask(origin, {})).rejects.toThrow(/self-signed certificate/);
  });

  it("talks HTTP/2 if its dispatcher may and the server offers it", async () => {
    const versions: string[] = [];
    const secure = createSecureServer(
      { key: privateKey, cert: certificate, allowHTTP1: true },
      (incoming, response) => {
        versions.push(incoming.httpVersion);
        incoming.resume();
        incoming.on("end", () => {
          response.writeHead(200, head);
          response.end(stream);
        });
      },
    );
    const origin = await listening(secure, "https");
    const connection = { ca: certificate };
    const dispatcher = new Agent({ allowH2: true, connect: connection });
    for (let count = 0; count < 3; count += 1) expect(await ask(origin, { dispatcher })).toBe("task_completion");
    expect(await ask(origin, { dispatcher: new Agent({ allowH2: false, connect: connection }) })).toBe(
      "task_completion",
    );
    expect(versions).toEqual(["2.0", "2.0", "2.0", "1.1"]);
    await dispatcher.destroy();
  });

  it("goes over the proxy of its dispatcher", async () => {
    const origin = await answering((response) => response.writeHead(200, head).end(stream));
    const { address, asked } = await proxy();
    expect(await ask(origin, { dispatcher: new ProxyAgent(address) })).toBe("task_completion");
    expect(asked).toEqual([origin.replace("http://", "")]);
  });

  it("sends its requests with the fetch function of the caller", async () => {
    const seen: string[] = [];
    const answer = await ask("https://models.test", {
      apiKey: "sk-mine",
      fetch: (url, { headers, body }) => {
        seen.push(url, headers["authorization"] ?? "", body);
        return Promise.resolve(new Response(stream, { headers: head }));
      },
    });
    expect(answer).toBe("task_completion");
    expect(seen.slice(0, 2)).toEqual(["https://models.test/v1/chat/completions", "Bearer sk-mine"]);
    expect(JSON.parse(seen[2] ?? "")).toMatchObject({ model: "m", stream: true });
  });

  it("takes either a fetch function or a dispatcher", () => {
    const both = { dispatcher: new Agent(), fetch: () => Promise.resolve(new Response()) };
    expect(() => openai({ baseURL: "http://127.0.0.1:9/v1", model: "m", ...both })).toThrow("Pass either fetch or");
  });
});

describe("the proxy of the environment", () => {
  it("carries requests to other machines, and none to this one or to NO_PROXY", async () => {
    const { address, asked } = await proxy();
    const environment = { HTTPS_PROXY: address, HTTP_PROXY: address, NO_PROXY: "inside.test" };
    // The environment of this process says nothing beside the environment that is given.
    vi.stubEnv("NO_PROXY", "outside.test");
    onTestFinished(() => void vi.unstubAllEnvs());
    const over = overDispatcher((url) => dispatcherFor(url, environment));
    const server = await answering((response) => response.end("here"));
    expect(await textOf(await over(requestTo(server), never))).toBe("here");
    expect(asked).toEqual([]);
    const port = new URL(server).port;
    expect(await textOf(await over(requestTo(`http://outside.test:${port}`), never))).toBe("here");
    expect(asked).toEqual([`outside.test:${port}`]);
    await expect(over(requestTo(`http://inside.test:${port}`), never)).rejects.toThrow();
    expect(asked).toHaveLength(1);
  });
});

/** A proxy that leads every CONNECT to this machine. */
async function proxy(): Promise<{ readonly address: string; readonly asked: readonly string[] }> {
  const asked: string[] = [];
  const server = createHttpServer();
  server.on("connect", (incoming, socket: Socket) => {
    asked.push(incoming.url ?? "");
    const to = connect(Number((incoming.url ?? "").split(":")[1]), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      to.pipe(socket).pipe(to);
    });
    for (const end of [to, socket]) end.on("error", () => undefined);
  });
  return { address: await listening(server), asked };
}
