// Redirects: the key and the prompt stay with the server that they are for, over undici and over a fetch function.

import { Agent } from "undici";
import { describe, expect, it, test } from "vitest";
import { wholeReply, type ModelRequest } from "../../../src/core/index.js";
import { openai, type Fetch, type OpenAIOptions } from "../../../src/model/index.js";
import { overFetch } from "../../../src/model/transport/fetched.js";
import type { Transport } from "../../../src/model/transport/http-answer.js";
import { withRedirects } from "../../../src/model/transport/redirect.js";
import { overDispatcher } from "../../../src/model/transport/send.js";
import { done, events } from "../loopback.js";
import { answering, direct, requestTo, textOf } from "./servers.js";

const transports: readonly (readonly [string, Transport])[] = [
  ["the dispatcher of the process", direct],
  ["a dispatcher with HTTP/2", overDispatcher(() => new Agent({ allowH2: true }))],
  ["a fetch function", overFetch((url, request) => fetch(url, request))],
];

const never = new AbortController().signal;

/** A server that keeps the requests it got. */
async function other(): Promise<{ readonly url: string; readonly got: string[] }> {
  const got: string[] = [];
  const url = await answering((response, request, body) => {
    got.push(`${JSON.stringify(request.headers)} ${body}`);
    response.end("taken");
  });
  return { url, got };
}

describe.each(transports)("over %s, a redirect", (_name, carry) => {
  const transport = withRedirects(carry);

  it.each([307, 308])("with status %i to another path takes the whole request there", async (status) => {
    const url = await answering((response, request, body) => {
      if (request.url === "/there") response.end(`${body} ${String(request.headers["x-own"])}`);
      else response.writeHead(status, { location: "/there" }).end();
    });
    expect(await textOf(await transport(requestTo(`${url}/here`, "whole"), never))).toBe("whole 1");
  });

  it.each([301, 302, 303, 307, 308])("with status %i to another server is no way, and says so", async (status) => {
    const { url: there, got } = await other();
    for (const location of [there, there.replace("127.0.0.1", "localhost"), there.replace("http:", "")]) {
      let requests = 0;
      const url = await answering((response) => {
        requests += 1;
        response.writeHead(status, { location }).end();
      });
      await expect(transport(requestTo(url, "the prompt"), never)).rejects.toMatchObject({
        code: "provider_rejected",
        message: expect.stringMatching(/redirects with status \d+ to http:.*The key is not sent there/) as string,
      });
      expect(requests).toBe(1);
    }
    expect(got).toEqual([]);
  });

  it("to https on another port of the host is one to another server", async () => {
    const url = await answering((response) => {
      response.writeHead(307, { location: "https://127.0.0.1:1/there" }).end();
    });
    await expect(transport(requestTo(url), never)).rejects.toThrow("to https://127.0.0.1:1/there. The key is not sent");
  });

  it("to nowhere is a fault", async () => {
    const url = await answering((response) => {
      response.writeHead(308).end();
    });
    await expect(transport(requestTo(url), never)).rejects.toThrow("redirects with status 308 to nowhere");
  });

  it("in a circle ends", async () => {
    let requests = 0;
    const url = await answering((response) => {
      requests += 1;
      response.writeHead(307, { location: "/again" }).end();
    });
    await expect(transport(requestTo(url), never)).rejects.toThrow("after 5 redirects");
    expect(requests).toBe(6);
  });
});

test("a redirect whose status a browser hides is a fault, and no empty reply", async () => {
  const headers = { get: () => null };
  const hidden = withRedirects(overFetch(() => Promise.resolve({ status: 0, headers, body: null })));
  await expect(hidden(requestTo("http://models.test"), never)).rejects.toMatchObject({ code: "provider_rejected" });
});

describe("a model of openai()", () => {
  const request: ModelRequest = {
    ...{ key: "s/1/model:1", system: "s", messages: [], needsCall: true },
    tools: [{ name: "task_completion", description: "", parameters: { type: "object" } }],
  };
  const ways: readonly (readonly [string, Pick<OpenAIOptions, "fetch">])[] = [
    ["undici", {}],
    ["a fetch function", { fetch: ((url, init) => fetch(url, init)) satisfies Fetch }],
  ];

  it.each(ways)("over %s sends a gateway's key nowhere else, and is not asked again", async (_way, way) => {
    const { url: there, got } = await other();
    let requests = 0;
    const given = await answering((response) => {
      requests += 1;
      response.writeHead(307, { location: `${there}/v1/chat/completions` }).end();
    });
    const model = openai({
      ...{ baseURL: `${given}/v1`, model: "m", apiKey: "sk-mine", headers: { "x-gateway-key": "mine" } },
      ...way,
      steady: { firstDelay: 1 },
    });
    await expect(wholeReply(model.respond(request, never))).rejects.toMatchObject({ code: "provider_rejected" });
    expect([got, requests]).toEqual([[], 1]);
  });

  it.each(ways)("over %s follows its own server to another path, and reads the stream", async (_way, way) => {
    const given = await answering((response, { url }) => {
      if (url === "/v2/chat/completions")
        response.writeHead(200, { "content-type": "text/event-stream" }).end(events(done));
      else response.writeHead(308, { location: "/v2/chat/completions" }).end();
    });
    const model = openai({ baseURL: `${given}/v1`, model: "m", steady: false, ...way });
    expect((await wholeReply(model.respond(request, never))).calls[0]?.name).toBe("task_completion");
  });
});
