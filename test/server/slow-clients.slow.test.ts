// A client that does not read: the others see everything, the run goes on, and the server keeps a bounded number of frames for it.

import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createAgent, tool } from "../../src/index.js";
import { memoryStore, openSession } from "../../src/memory/index.js";
import { createHandler, serve } from "../../src/server/index.js";
import { call, scriptedModel } from "../../src/testing/index.js";
import { taskCompletion } from "../../src/tools/index.js";
import { framesOf } from "./client.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const events = 20_000;
/** Characters of an event. All events are far more than sockets, queues and the noise of a heap take. */
const size = 2000;
/** The most events that the readers may be behind: fewer than their queues hold. */
const behind = 300;

/** Bytes that are in use, without garbage. */
async function used(): Promise<number> {
  for (let time = 0; time < 2; time += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
    collect();
  }
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A client that asks for the frames of a session, and reads none. */
async function stuckClient(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.pause();
  socket.write(`GET /sessions/s/events HTTP/1.1\r\nhost: 127.0.0.1:${String(port)}\r\n\r\n`);
  onTestFinished(() => void socket.destroy());
  return socket;
}

test("a client that reads nothing of 20,000 events holds no run, no other client, and little memory", async () => {
  const seen = [0, 0];
  const bytes: number[] = [];
  const shout = tool({
    name: "shout",
    description: "Makes many events, no faster than those who read take them",
    effect: "read",
    input: z.object({}),
    run: async function* () {
      for (let at = 1; at <= events; at += 1) {
        while (at - Math.min(...seen) > behind) await new Promise((resolve) => setImmediate(resolve));
        // At a tenth, the queue of the stuck client is full, and so are its sockets.
        if (at === events / 10 || at === events) bytes.push(await used());
        yield { at, words: String(at).padEnd(size, "x") };
      }
      return "shouted";
    },
  });
  const agent = createAgent({
    model: scriptedModel([[call("shout")], [call("task_completion", { result: "Done." })]]),
    tools: [shout, taskCompletion()],
  });
  const store = memoryStore();
  const handler = createHandler({ agents: { agent }, store });
  const { url, port, close } = await serve(handler);
  onTestFinished(close);

  const stuck = await stuckClient(port);
  const reading = seen.map(async (_none, reader) => {
    for await (const frame of framesOf(url, "s")) {
      if ("record" in frame && frame.record.type === "outcome") return;
      if (!("event" in frame) || frame.event.type !== "call-progress") continue;
      seen[reader]! += 1;
      expect(frame.event.progress).toMatchObject({ at: seen[reader] });
    }
  });
  const run = await handler.host.give({ session: "s", input: "go" });
  expect(await run.ended()).toMatchObject({ status: "completed" });
  await Promise.all(reading);
  expect(seen).toEqual([events, events]);
  expect(bytes[1]! - bytes[0]!).toBeLessThan((events * size) / 8);

  // Once it reads, it has every record, and the stream goes on.
  let text = "";
  stuck.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  stuck.resume();
  while (!text.includes('"type":"outcome"')) await new Promise((resolve) => setTimeout(resolve, 10));
  const { records } = await openSession({ store, id: "s" }).toJSON();
  const numbers = [...text.matchAll(/^data: \{"record":\{.*?"seq":(\d+)/gm)].map(([, number]) => Number(number));
  expect(numbers).toEqual(records.map(({ seq }) => seq));
  await handler.close();
});
