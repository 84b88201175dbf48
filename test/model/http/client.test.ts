import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { createAgent, tool } from "../../../src/index.js";
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
    "that are lost because the server closed an idle connection (%s) are sent again at once",
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
      const retries: string[] = [];
      const outcome = await createAgent({ model, tools: [look, taskCompletion()] }).run("Go.", {
        onEvent: (event) => {
          if (event.type === "request-retry") retries.push(event.reason);
        },
      });
      server.close();
      expect(outcome.status).toBe("completed");
      expect(retries).toEqual([]);
    },
  );
});
