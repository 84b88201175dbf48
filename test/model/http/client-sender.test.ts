import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import * as six from "openai";
import { bedrock as bedrockOfSix } from "openai/providers/bedrock";
import * as seven from "openai-7";
import { createX509Transport } from "openai-7/auth/x509-transport";
import { bedrock as bedrockOfSeven } from "openai-7/providers/bedrock";
import { Agent, ProxyAgent } from "undici";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";
import { createAgent, tool, type Event, type Model, type Outcome } from "../../../src/index.js";
import { openai, type OpenAIOptions } from "../../../src/model/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { calling, chunk, done, events, loopback, type Answer, type Loopback } from "../loopback.js";

/** Both majors have the same names here; test/model/openai-types.test-d.ts has the types of each. */
const majors = [
  ["openai 6", six, bedrockOfSix],
  ["openai 7", seven as unknown as typeof six, bedrockOfSeven as unknown as typeof bedrockOfSix],
] as const;

const key = "a3f5c1d7e9b24680a3f5c1d7e9b24680";

/** Looks as often as the server asks for it, then ends. */
const look = tool({
  name: "look",
  description: "Looks.",
  input: z.object({ at: z.int() }),
  run: ({ at }) => String(at),
});

interface Run {
  readonly outcome: Outcome;
  readonly seen: readonly Event[];
}

async function run(model: Model, signal?: AbortSignal): Promise<Run> {
  const seen: Event[] = [];
  const outcome = await createAgent({ model, tools: [look, taskCompletion()] }).run("Go.", {
    signal,
    onEvent: (event) => void seen.push(event),
  });
  return { outcome, seen };
}

/** An error, its cause, and so on. */
function causesOf(fault: Error | undefined): readonly Error[] {
  return fault === undefined ? [] : [fault, ...causesOf(fault.cause instanceof Error ? fault.cause : undefined)];
}

/** All that a run says to anybody. */
function saidBy({ outcome, seen }: Run): string {
  const { fault } = outcome as { readonly fault?: Error };
  const errors = causesOf(fault).map((error) => `${error.stack ?? ""} ${JSON.stringify(Object.entries(error))}`);
  return [JSON.stringify([outcome, seen]), ...errors].join("\n");
}

/** A server that asks for one look, then ends the run. */
function lookingOnce(): Promise<Loopback> {
  return loopback((number) => ({ body: number === 1 ? calling("look", { at: 1 }) : done }));
}

const fast = { steady: { firstDelay: 1, attempts: 3 } } as const;

describe.each(majors)("a client of %s", (_name, { OpenAI, AzureOpenAI, APIError, AuthenticationError }, bedrock) => {
  describe("says who asks:", () => {
    it("its key, its organization, its project and its headers", async () => {
      await using server = await lookingOnce();
      const settings = { apiKey: key, organization: "org-1", project: "proj-1", defaultHeaders: { "X-Own": "1" } };
      const { outcome } = await run(openai({ client: new OpenAI({ baseURL: server.url, ...settings }), model: "m" }));
      expect(outcome.status).toBe("completed");
      expect(server.requests).toHaveLength(2);
      for (const { path, headers } of server.requests) {
        expect(path).toBe("/v1/chat/completions");
        expect(headers).toMatchObject({
          authorization: `Bearer ${key}`,
          "openai-organization": "org-1",
          "openai-project": "proj-1",
          "x-own": "1",
          "content-type": "application/json",
          "x-stainless-lang": "js",
          "x-stainless-retry-count": "0",
        });
        expect(headers["content-length"]).toBeDefined();
      }
    });

    it("a key that was set later", async () => {
      await using server = await lookingOnce();
      const client = new OpenAI({ baseURL: server.url, apiKey: "the first key" });
      const model = openai({ client, model: "m" });
      client.apiKey = "the second key";
      await run(model);
      expect(server.requests[0]?.headers.authorization).toBe("Bearer the second key");
    });

    it("a key from a function, asked for each attempt", async () => {
      await using server = await loopback((number) =>
        number === 1 ? { status: 500, body: "" } : { body: number === 2 ? calling("look", { at: 1 }) : done },
      );
      let keys = 0;
      const apiKey = (): Promise<string> => Promise.resolve(`key-${String((keys += 1))}`);
      const { outcome } = await run(
        openai({ client: new OpenAI({ baseURL: server.url, apiKey }), model: "m", ...fast }),
      );
      expect(outcome.status).toBe("completed");
      const sent = server.requests.map(({ headers }) => headers.authorization);
      expect(sent).toEqual(["Bearer key-1", "Bearer key-2", "Bearer key-3"]);
    });

    it("a token of a workload's identity, and another one after the first was refused", async () => {
      await using server = await loopback((_number, { headers }) =>
        headers.authorization === "Bearer token-1" ? { status: 401, body: {} } : { body: done },
      );
      let tokens = 0;
      const client = new OpenAI({
        baseURL: server.url,
        apiKey: null,
        workloadIdentity: {
          identityProviderId: "idp",
          serviceAccountId: "account",
          provider: { tokenType: "jwt", getToken: () => Promise.resolve("subject") },
        },
        fetch: (url, init) => {
          if (!(url as string).startsWith("https://auth.openai.com/")) return fetch(url, init);
          tokens += 1;
          return Promise.resolve(Response.json({ access_token: `token-${String(tokens)}`, expires_in: 3600 }));
        },
      });
      const model = openai({ client, model: "m", ...fast });
      const { outcome, seen } = await run(model);
      expect(outcome.status).toBe("completed");
      expect(server.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer token-1", "Bearer token-2"]);
      expect(seen.map(({ type }) => type)).not.toContain("request-retry");
      await run(model);
      expect(tokens).toBe(2);
    });

    it("the bearer of another cloud", async () => {
      await using server = await lookingOnce();
      const provider = bedrock({ baseURL: server.url, apiKey: key });
      await run(openai({ client: new OpenAI({ provider }), model: "m" }));
      expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${key}`);
    });

    it("what a class that extends it adds", async () => {
      class Signed extends OpenAI {
        protected override prepareRequest(
          ...[request, { url }]: Parameters<InstanceType<typeof six.OpenAI>["prepareRequest"]>
        ): Promise<void> {
          const body = Buffer.from(request.body as Uint8Array).toString();
          (request.headers as Headers).set("x-signed", `${new URL(url).pathname} ${String(body.length)}`);
          return Promise.resolve();
        }
      }
      await using server = await lookingOnce();
      await run(openai({ client: new Signed({ baseURL: server.url, apiKey: key }), model: "m" }));
      for (const { headers, text } of server.requests)
        expect(headers["x-signed"]).toBe(`/v1/chat/completions ${String(text.length)}`);
    });
  });

  describe("says where the request goes:", () => {
    it("the query of its address and its own", async () => {
      await using server = await lookingOnce();
      const client = new OpenAI({ baseURL: server.url, apiKey: key, defaultQuery: { tenant: "a b", v: "2" } });
      const model = openai({ client, model: "m" });
      await run(model);
      expect(server.requests[0]?.path).toBe("/v1/chat/completions?tenant=a%20b&v=2");
      expect(model.provider).toBe(server.url);
    });

    it("Azure's deployment and the version of its API, with a key of Azure", async () => {
      await using server = await lookingOnce();
      const endpoint = server.url.replace("/v1", "/");
      const client = new AzureOpenAI({ endpoint, apiKey: key, apiVersion: "2026-01-01", deployment: "my gpt" });
      const model = openai({ client });
      const { outcome } = await run(model);
      expect(outcome.status).toBe("completed");
      expect(model.name).toBe("my gpt");
      expect(server.requests).toHaveLength(2);
      for (const { path, headers, text } of server.requests) {
        expect(path).toBe("/openai/deployments/my%20gpt/chat/completions?api-version=2026-01-01");
        expect(headers).toMatchObject({ "api-key": key, "content-type": "application/json" });
        expect(headers).not.toHaveProperty("authorization");
        expect(JSON.parse(text)).toMatchObject({ model: "my gpt", stream: true });
      }
    });

    it("the deployment that the model names, with a token of Entra for each request", async () => {
      await using server = await lookingOnce();
      let tokens = 0;
      const azureADTokenProvider = (): Promise<string> => Promise.resolve(`entra-${String((tokens += 1))}`);
      const endpoint = server.url.replace("/v1", "");
      const client = new AzureOpenAI({ endpoint, azureADTokenProvider, apiVersion: "2026-01-01" });
      await run(openai({ client, model: "gpt-mine" }));
      const sent = server.requests.map(({ path, headers }) => [path, headers.authorization, headers["api-key"]]);
      const path = "/openai/deployments/gpt-mine/chat/completions?api-version=2026-01-01";
      expect(sent).toEqual([
        [path, "Bearer entra-1", undefined],
        [path, "Bearer entra-2", undefined],
      ]);
    });

    it("the Responses API of Azure, which has no deployment in its path", async () => {
      await using server = await loopback(() => ({ status: 404, body: {} }));
      const endpoint = server.url.replace("/v1", "");
      const client = new AzureOpenAI({ endpoint, apiKey: key, apiVersion: "2026-01-01", deployment: "mine" });
      await run(openai({ client, api: "responses" }));
      expect(server.requests[0]?.path).toBe("/openai/responses?api-version=2026-01-01");
      expect(JSON.parse(server.requests[0]?.text ?? "")).toMatchObject({ model: "mine", store: false });
    });

    it("a redirect to another server gets neither key nor prompt", async () => {
      await using other = await lookingOnce();
      const location = `${other.url}/chat/completions`;
      await using server = await loopback(() => ({ status: 307, headers: { location }, body: "" }));
      const { outcome } = await run(openai({ client: new OpenAI({ baseURL: server.url, apiKey: key }), model: "m" }));
      expect(outcome).toMatchObject({ status: "failed", fault: { code: "provider_rejected" } });
      expect(other.requests).toHaveLength(0);
    });
  });

  const isOverFetch = process.env["TEST_TRANSPORT"] === "fetch";
  it.skipIf(isOverFetch)(
    `that says nothing of the way goes over lastcall's pool${isOverFetch ? " (left out: each test goes over fetch)" : ""}`,
    async () => {
      await using server = await lookingOnce();
      await run(openai({ client: new OpenAI({ baseURL: server.url, apiKey: key }), model: "m" }));
      const fetched = new OpenAI({ baseURL: server.url, apiKey: key, fetchOptions: { cache: "no-store" } as object });
      await run(openai({ client: fetched, model: "m" }));
      // Node's fetch adds this header.
      const overFetch = server.requests.map(({ headers }) => "sec-fetch-mode" in headers);
      expect(overFetch).toEqual([false, false, true]);
    },
  );

  it("sends the body that lastcall sends without a client, also a long one", async () => {
    await using server = await loopback(() => ({ body: done }));
    const params = { temperature: 0, note: "n".repeat(100_000) };
    await run(openai({ client: new OpenAI({ baseURL: server.url, apiKey: key }), model: "m", params }));
    await run(openai({ baseURL: server.url, apiKey: key, model: "m", params }));
    const [over, without] = server.requests;
    expect(over?.text).toBe(without?.text);
    expect(over?.headers["content-length"]).toBe(without?.headers["content-length"]);
  });

  describe("says how the request travels:", () => {
    it.each<[string, { readonly fetchOptions?: { readonly keepalive: boolean } }]>([
      ["alone", {}],
      ["with its fetchOptions", { fetchOptions: { keepalive: false } }],
    ])(
      "over its own fetch %s, once for each attempt, with headers as the package gives them",
      async (_how, settings) => {
        await using server = await loopback((number) => (number < 3 ? { status: 503, body: "" } : { body: done }));
        const calls: RequestInit[] = [];
        const client = new OpenAI({
          baseURL: server.url,
          apiKey: key,
          maxRetries: 5,
          ...settings,
          fetch: (url, init) => {
            calls.push(init ?? {});
            return fetch(url, init);
          },
        });
        const { outcome } = await run(openai({ client, model: "m", ...fast }));
        expect(outcome.status).toBe("completed");
        expect(server.requests).toHaveLength(3);
        expect(calls).toHaveLength(3);
        expect((calls[0]?.headers as Headers).get("authorization")).toBe(`Bearer ${key}`);
        expect(calls[0]).toMatchObject({ method: "POST", ...settings.fetchOptions });
        expect(typeof calls[0]?.body).toBe("string");
      },
    );

    it("over the proxy in its fetchOptions", async () => {
      await using server = await lookingOnce();
      const connections: string[] = [];
      const proxy = createServer().on("connect", (incoming: IncomingMessage, socket: Socket) => {
        connections.push(incoming.url ?? "");
        const to = connect(Number((incoming.url ?? "").split(":")[1]), "127.0.0.1", () => {
          socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
          to.pipe(socket).pipe(to);
        });
        for (const end of [to, socket]) end.on("error", () => undefined);
      });
      await once(proxy.listen(0, "127.0.0.1"), "listening");
      const dispatcher = new ProxyAgent(`http://127.0.0.1:${String((proxy.address() as AddressInfo).port)}`);
      onTestFinished(async () => {
        await dispatcher.destroy();
        proxy.close();
      });
      const client = new OpenAI({ baseURL: server.url, apiKey: key, fetchOptions: { dispatcher } as object });
      const { outcome } = await run(openai({ client, model: "m" }));
      expect(outcome.status).toBe("completed");
      expect(server.requests).toHaveLength(2);
      expect(new Set(connections)).toEqual(new Set([new URL(server.url).host]));
      expect(connections.length).toBeGreaterThan(0);
    });
  });

  describe("leaves the attempts to lastcall:", () => {
    it.each([
      [401, 1, "authentication"],
      [403, 1, "authentication"],
      [400, 1, "provider_rejected"],
      [429, 3, "provider_unavailable"],
      [500, 3, "provider_unavailable"],
      [503, 3, "provider_unavailable"],
    ] as const)("after %i there are %i requests", async (status, requests, code) => {
      await using server = await loopback(() => ({
        status,
        headers: { "x-should-retry": "true" },
        body: { error: { message: "No.", code: "c" } },
      }));
      const client = new OpenAI({ baseURL: server.url, apiKey: key, maxRetries: 7 });
      const { outcome } = await run(openai({ client, model: "m", ...fast }));
      expect(outcome).toMatchObject({ status: "failed", fault: { code, message: expect.stringContaining("No.") } });
      expect(server.requests).toHaveLength(requests);
      const cause = causesOf((outcome as { readonly fault: Error }).fault).at(-1);
      expect(cause).toBeInstanceOf(APIError);
      expect(cause).toMatchObject({ status, code: "c" });
      if (status === 401) expect(cause).toBeInstanceOf(AuthenticationError);
    });

    it("a wait that the server asks for is kept, and an error without a body is told", async () => {
      await using server = await loopback((number) =>
        number === 1 ? { status: 429, headers: { "retry-after-ms": "60" }, body: "" } : { body: done },
      );
      const client = new OpenAI({ baseURL: server.url, apiKey: key });
      const { seen } = await run(openai({ client, model: "m" }));
      expect(seen).toContainEqual(expect.objectContaining({ type: "request-retry", delay: 60 }));
      expect(JSON.stringify(seen)).toContain("429 status code (no body)");
    });

    it("its timeout is not used, lastcall's is", async () => {
      const server = createServer((request) => request.resume());
      await once(server.listen(0, "127.0.0.1"), "listening");
      onTestFinished(() => {
        server.closeAllConnections();
        server.close();
      });
      const baseURL = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`;
      const client = new OpenAI({ baseURL, apiKey: key, timeout: 1 });
      const model = openai({ client, model: "m", steady: false, idleTimeout: 300 });
      const { outcome } = await run(model);
      expect(outcome).toMatchObject({ fault: { message: "The provider sent nothing for 0.3 s." } });
    });

    it.each(["its own way", "a fetch of its own"])(
      "an abort in the middle of a stream ends the request: %s",
      async (how) => {
        let closed = false;
        const server = createServer((request, response) => {
          response.on("close", () => {
            closed = true;
          });
          request.resume().on("end", () => {
            response.writeHead(200, { "content-type": "text/event-stream" });
            response.write(`data: ${JSON.stringify(chunk({ role: "assistant", content: "I will" }))}\n\n`);
          });
        });
        await once(server.listen(0, "127.0.0.1"), "listening");
        onTestFinished(() => {
          server.close();
        });
        const baseURL = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`;
        const own = how === "its own way" ? {} : { fetch: (...given: Parameters<typeof fetch>) => fetch(...given) };
        const model = openai({ client: new OpenAI({ baseURL, apiKey: key, ...own }), model: "m" });
        const stop = new AbortController();
        const outcome = await createAgent({ model, tools: [taskCompletion()] }).run("Go.", {
          signal: stop.signal,
          onEvent: ({ type }) => {
            if (type === "text-delta") stop.abort();
          },
        });
        expect(outcome.status).toBe("aborted");
        await vi.waitFor(() => {
          expect(closed).toBe(true);
        }, 20_000);
      },
    );

    it("a broken stream is asked for again", async () => {
      await using server = await loopback((number) =>
        number === 1
          ? { body: events([chunk({ content: "Half" })]).replace(/data: \[DONE\]\n\n/, "") }
          : { body: done },
      );
      const client = new OpenAI({ baseURL: server.url, apiKey: key });
      const { outcome, seen } = await run(openai({ client, model: "m", ...fast }));
      expect(outcome.status).toBe("completed");
      expect(seen.map(({ type }) => type)).toContain("reply-retracted");
      expect(server.requests).toHaveLength(2);
    });
  });

  describe("that gets no key", () => {
    it("sends nothing, and the fault says why", async () => {
      await using server = await lookingOnce();
      const apiKey = (): Promise<string> => Promise.reject(new Error("The vault is sealed"));
      const { outcome } = await run(
        openai({ client: new OpenAI({ baseURL: server.url, apiKey }), model: "m", ...fast }),
      );
      expect(outcome).toMatchObject({ status: "failed", fault: { code: "authentication" } });
      expect(outcome).toHaveProperty("fault.message", expect.stringContaining("The vault is sealed"));
      expect(server.requests).toHaveLength(0);
    });

    it("asks again if the server of the keys could not be reached", async () => {
      await using server = await loopback(() => ({ body: done }));
      let asked = 0;
      const apiKey = async (): Promise<string> => {
        asked += 1;
        if (asked < 3) await fetch("http://127.0.0.1:9/token");
        return key;
      };
      const { outcome } = await run(
        openai({ client: new OpenAI({ baseURL: server.url, apiKey }), model: "m", ...fast }),
      );
      expect(outcome.status).toBe("completed");
      expect(asked).toBe(3);
    });

    it("is given up after the timeout, and at once if the run is aborted", async () => {
      const apiKey = (): Promise<string> => new Promise(() => undefined);
      const client = new OpenAI({ baseURL: "http://127.0.0.1:9/v1", apiKey });
      const { outcome } = await run(openai({ client, model: "m", steady: false, idleTimeout: 50 }));
      expect(outcome).toHaveProperty("fault.message", "The client of the package openai made no request for 0.05 s.");
      const aborted = await run(openai({ client, model: "m" }), AbortSignal.timeout(50));
      expect(aborted.outcome.status).toBe("aborted");
    });
  });

  describe("has secrets that stand in no message, event or journal:", () => {
    const words = `Incorrect API key provided: ${key}`;
    const clients: readonly (readonly [string, (url: string) => six.OpenAI])[] = [
      ["a key", (baseURL) => new OpenAI({ baseURL, apiKey: key })],
      ["a key from a function", (baseURL) => new OpenAI({ baseURL, apiKey: () => Promise.resolve(key) })],
      ["a key of Azure", (baseURL) => new AzureOpenAI({ baseURL, apiKey: key, apiVersion: "1" })],
      [
        "a token of Entra",
        (baseURL) => new AzureOpenAI({ baseURL, azureADTokenProvider: () => Promise.resolve(key), apiVersion: "1" }),
      ],
      ["a header", (baseURL) => new OpenAI({ baseURL, apiKey: "sk", defaultHeaders: { "x-portkey-api-key": key } })],
      ["a query", (baseURL) => new OpenAI({ baseURL, apiKey: "sk", defaultQuery: { key } })],
    ];
    const answers: readonly (readonly [string, Answer])[] = [
      ["an error", { status: 401, body: { error: { message: words, key } } }],
      ["an error that comes again", { status: 500, body: words }],
      ["an error in a stream", { body: `event: error\ndata: ${JSON.stringify({ message: words })}\n\n` }],
    ];

    it.each(clients.flatMap(([what, make]) => answers.map(([where, answer]) => [what, where, make, answer] as const)))(
      "%s in %s",
      async (_what, _where, make, answer) => {
        await using server = await loopback(() => answer);
        const said = await run(openai({ client: make(server.url), model: "m", ...fast }));
        expect(said.outcome.status).toBe("failed");
        expect(said.outcome).toHaveProperty("fault.message", expect.stringContaining("[redacted: value]"));
        expect(saidBy(said)).not.toContain(key);
      },
    );

    it.each(["a key", "a function"])("%s that no header can carry", async (how) => {
      const bad = `${key}\n${key}`;
      const apiKey = how === "a key" ? bad : () => Promise.resolve(bad);
      const client = new OpenAI({ baseURL: "http://127.0.0.1:9/v1", apiKey });
      const said = await run(openai({ client, model: "m", ...fast }));
      expect(said.outcome).toMatchObject({ status: "failed", fault: { code: "authentication" } });
      expect(saidBy(said)).not.toContain(key);
    });

    it("a key that changed while its request was on its way", async () => {
      let keys = 0;
      const apiKey = (): Promise<string> => Promise.resolve(`${key}-${String((keys += 1))}`);
      await using server = await loopback((_number, { headers }) => ({
        status: 500,
        body: { error: { message: `bad: ${String(headers.authorization)}` } },
      }));
      const model = openai({ client: new OpenAI({ baseURL: server.url, apiKey }), model: "m", steady: false });
      for (const said of await Promise.all([run(model), run(model), run(model)]))
        expect(saidBy(said)).not.toContain(key);
      expect(keys).toBe(3);
    });
  });

  it.each<[string, Omit<OpenAIOptions, "client">]>([
    ["baseURL", { baseURL: "http://127.0.0.1:9/v1" }],
    ["apiKey", { apiKey: "k" }],
    ["headers", { headers: {} }],
    ["dispatcher", { dispatcher: { dispatch: () => true } }],
    ["fetch", { fetch }],
  ])("takes the place of %s", (name, option) => {
    const client = new OpenAI({ baseURL: "http://127.0.0.1:9/v1", apiKey: key });
    expect(() => openai({ client, ...option })).toThrow(
      expect.objectContaining({
        code: "configuration",
        message: `Pass either client or ${name}: the client says where requests go, how they are authorized and how they travel.`,
      }),
    );
    const nothing = Object.fromEntries(Object.keys(option).map((each) => [each, undefined]));
    expect(openai({ client, ...nothing }).provider).toBe("http://127.0.0.1:9/v1");
  });

  it("with an address that is none is refused", () => {
    const client = new OpenAI({ baseURL: "llm.corp.test", apiKey: key });
    expect(() => openai({ client })).toThrow(expect.objectContaining({ code: "configuration" }));
  });
});

it("a client whose identity is a certificate is refused, because its connections take its own requests alone", () => {
  const dispatcher = new Agent() as unknown as Parameters<typeof createX509Transport>[0]["dispatcher"];
  const x509Transport = createX509Transport({
    runtime: "node",
    dispatcher,
    certificateIdentity: "static",
    proxy: "direct",
  });
  const workloadIdentity = { type: "x509", identityProviderId: "idp", serviceAccountId: "account" } as const;
  const client = new seven.OpenAI({ apiKey: null, workloadIdentity, x509Transport });
  expect(() => openai({ client })).toThrow(
    expect.objectContaining({ code: "configuration", message: expect.stringContaining("X.509") }),
  );
});

it("a client of the major 4 was told that an object is not iterable, and not that it is too old", () => {
  class OpenAI {
    readonly baseURL = "http://127.0.0.1:9/v1";
    buildRequest = String;
    getUserAgent(): string {
      return `${this.constructor.name}/JS 4.104.0`;
    }
  }
  const message = "The client is of the package openai 4.104.0, and 6.49 or later is needed: npm install openai@6";
  expect(() => openai({ client: new OpenAI() } as unknown as OpenAIOptions)).toThrow(
    expect.objectContaining({ code: "configuration", message }),
  );
});

it.each([{}, null, "client", { baseURL: "http://127.0.0.1:9/v1" }])("what is no client is refused: %j", (client) => {
  expect(() => openai({ client } as unknown as OpenAIOptions)).toThrow(
    expect.objectContaining({
      code: "configuration",
      message: expect.stringContaining("OpenAI or AzureOpenAI client"),
    }),
  );
});
