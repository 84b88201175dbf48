import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, tool, type Event } from "../../../src/index.js";
import { openai } from "../../../src/model/index.js";
import { taskCompletion } from "../../../src/tools/index.js";
import { calling, done, events, loopback } from "../loopback.js";

describe("requests", () => {
  it("carry the headers that a gateway needs", async () => {
    await using server = await loopback(() => ({ body: done }));
    const headers = { "x-portkey-provider": "openai", "X-Title": "lastcall" };
    const model = openai({ baseURL: server.url, model: "m", headers });
    await createAgent({ model, tools: [taskCompletion()] }).run("Go.");
    expect(server.requests[0]?.headers).toMatchObject({ "x-portkey-provider": "openai", "x-title": "lastcall" });
    expect(server.requests[0]?.headers["content-type"]).toBe("application/json");
  });

  it("do not carry a header that HTTP does not allow: the model is refused, and the value is not said", () => {
    const make = (): unknown =>
      openai({ baseURL: "http://127.0.0.1:9/v1", model: "m", headers: { "x-key": "secret\nvalue" } });
    expect(make).toThrow(
      expect.objectContaining({ code: "configuration", message: expect.not.stringContaining("secret") as string }),
    );
    expect(make).toThrow('"x-key"');
  });

  it.each(["end", "reset"] as const)(
    "that are lost because the server closed an idle connection (%s) are sent again at once, and a watcher sees it",
    async (how) => {
      let answers = 0;
      const server = createServer((socket: Socket) => {
        socket.on("error", () => undefined);
        let request = "";
        socket.on("data", (part) => {
          request += part.toString();
          if (!request.endsWith("}")) return;
          request = "";
          answers += 1;
          const body = events(answers > 20 ? done : calling("look", { at: answers }));
          socket.write(
            `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nkeep-alive: timeout=5\r\ncontent-length: ${String(body.length)}\r\n\r\n${body}`,
            () => {
              if (how === "end") socket.end();
              else setImmediate(() => socket.resetAndDestroy());
            },
          );
        });
      });
      await once(server.listen(0, "127.0.0.1"), "listening");
      const model = openai({
        baseURL: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`,
        model: "m",
      });
      const look = tool({
        name: "look",
        description: "Looks.",
        input: z.object({ at: z.int() }),
        run: ({ at }) => String(at),
      });
      const retries: Event[] = [];
      const outcome = await createAgent({ model, tools: [look, taskCompletion()] }).run("Go.", {
        onEvent: (event) => {
          if (event.type === "request-retry") retries.push(event);
        },
      });
      server.close();
      expect(outcome.status).toBe("completed");
      for (const retry of retries) {
        expect(retry).toMatchObject({ attempt: 1, delay: 0 });
        expect(retry).toHaveProperty(
          "reason",
          expect.stringContaining("closed the connection before its answer began"),
        );
      }
    },
  );

  it("are sent again after a wait if the server never answered, or closes the connection twice", async () => {
    let requests = 0;
    const server = createServer((socket: Socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => {
        requests += 1;
        const body = events(calling("look", { at: requests }));
        if (requests === 2)
          socket.end(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n${body}`);
        else socket.end("HTTP/");
      });
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const baseURL = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/v1`;
    const model = openai({ baseURL, model: "m", steady: { firstDelay: 10, attempts: 3 } });
    const delays: number[] = [];
    const look = tool({ name: "look", description: "Looks.", input: z.object({ at: z.int() }), run: () => "" });
    const outcome = await createAgent({ model, tools: [look, taskCompletion()] }).run("Go.", {
      onEvent: (event) => {
        if (event.type === "request-retry") delays.push(event.delay);
      },
    });
    server.close();
    // The first request got no answer, the second one did. The third may be sent again at once, the fourth may not.
    expect(outcome).toMatchObject({ status: "failed", fault: { code: "provider_unavailable" } });
    expect(requests).toBe(5);
    expect(delays[1]).toBe(0);
    expect(delays).toHaveLength(3);
  });

  it("that are lost name the server without the password in its address", async () => {
    let requests = 0;
    const server = createServer((socket: Socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => {
        requests += 1;
        const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
        socket.end(requests === 1 ? head + events(calling("look", { at: 1 })) : "");
      });
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const host = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const model = openai({ baseURL: `http://me:hidden-word@${host}/v1`, model: "m", steady: false });
    const look = tool({ name: "look", description: "Looks.", input: z.object({ at: z.int() }), run: () => "" });
    const { fault } = (await createAgent({ model, tools: [look, taskCompletion()] }).run("Go.")) as {
      readonly fault?: Error;
    };
    server.close();
    expect(fault?.message).toBe(`The provider at http://${host}/v1 closed the connection before its answer began.`);
  });
});
