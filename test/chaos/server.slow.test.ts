// kill -9 of the server: its clients go on with the next one, and see what an unbroken client sees.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freePort } from "../free-port.js";
import type { JournalRecord } from "../../src/index.js";
import { fileStore, openSession } from "../../src/memory/index.js";
import { temporaryFolder } from "../memory/store-places.js";
import { ask, framesOf } from "../server/client.js";
import { withEach } from "./counted.js";
import { seeds } from "./scale.js";

const steps = 40;

/** Starts a server, and waits until it answers. */
async function start(folder: string, port: number): Promise<ChildProcess> {
  const victim = join(import.meta.dirname, "server-victim.mjs");
  const child = spawn(process.execPath, [victim, folder, String(port), String(steps)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  return child;
}

/** The things that one client saw. */
interface Sight {
  readonly records: JournalRecord[];
  /** The words of the reply that is being told, piece by piece. A record makes them void. */
  words: string;
  /** The replies that were told word by word, from the beginning to the end. */
  told: number;
}

/** Takes a record. The words before a reply are all of it, or none: a part would be words that nobody withdrew. */
function take(seen: Sight, record: JournalRecord): void {
  if (record.type === "reply" && seen.words !== "") {
    expect(seen.words).toBe(record.reply.text);
    seen.told += 1;
  }
  seen.records.push(record);
  seen.words = "";
}

/** A client that connects again whenever its stream breaks, with the cursor of its last frame, until the run has ended. */
async function watch(url: string, hangsUp: () => boolean): Promise<Sight> {
  const seen: Sight = { records: [], words: "", told: 0 };
  let cursor = "";
  const isOver = (): boolean => seen.records.at(-1)?.type === "outcome";
  while (!isOver()) {
    try {
      for await (const frame of framesOf(url, "s", cursor)) {
        ({ cursor } = frame);
        if ("reset" in frame) throw new Error(frame.reset);
        if ("event" in frame) {
          // The words of a call's field are told as well, and are not in the text of the reply.
          if (frame.event.type === "text-delta" && frame.event.tool === undefined) seen.words += frame.event.text;
          continue;
        }
        take(seen, frame.record);
        if (isOver() || hangsUp()) break;
      }
    } catch (thrown) {
      // The server is gone: the next one has the same port.
      if (!(thrown instanceof TypeError)) throw thrown;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return seen;
}

async function survive(seed: number): Promise<number> {
  await using place = await temporaryFolder();
  const folder = join(place.path, "sessions");
  await mkdir(folder);
  const port = await freePort();
  const url = `http://127.0.0.1:${String(port)}/`;
  let server = await start(folder, port);
  let frames = 0;
  const clients = [
    watch(url, () => {
      frames += 1;
      return false;
    }),
    watch(url, () => frames % 3 === 0),
    watch(url, () => frames % 5 === 0),
  ];
  await ask(url, "/sessions/s/runs", { input: "go", inputId: "first" });
  let [kills, isOver] = [0, false];
  const over = Promise.all(clients).finally(() => (isOver = true));
  over.catch(() => undefined);
  for (;;) {
    const until = frames + 1 + ((kills * 7 + seed * 5) % 13);
    while (frames < until && !isOver) await new Promise((resolve) => setTimeout(resolve, 2));
    if (isOver) break;
    server.kill("SIGKILL");
    await once(server, "exit");
    server = await start(folder, port);
    kills += 1;
    // The client does not know whether its input arrived.
    if (kills === 1) await ask(url, "/sessions/s/runs", { input: "go", inputId: "first" });
  }
  const sights = await over;
  server.kill("SIGKILL");
  const { records } = await openSession({ store: fileStore(folder), id: "s" }).toJSON();
  expect(records.filter(({ type }) => type === "input")).toHaveLength(1);
  expect(records.at(-1)).toMatchObject({ type: "outcome", status: "completed" });
  for (const sight of sights) expect(sight.records).toEqual(records);
  expect(sights[0]!.told).toBeGreaterThan(steps / 8);
  const effects = (await readFile(join(place.path, "effects"), "utf8")).trim().split("\n");
  expect(new Set(effects).size).toBe(steps);
  return kills;
}

test("a server that is killed again and again loses nothing for its clients, and tells nothing twice", async () => {
  await withEach(seeds(1, 10), { fault: "kill9-server", words: "a server that is killed" }, survive);
  expect.hasAssertions();
}, 1_200_000);
