// Subscribers: the memory and the processor time that a client of `lastcall/server` costs, and what one that does not read does to others.
//
//   node bench/subscribers.mjs [clients] [seconds] [rounds]
//
// Default: 1,000 clients, 60 seconds, three rounds of events; then two times the seconds beside a client that reads nothing, and two without.
//
// The server is a process of its own, over a store in memory. This process has the clients: one socket each, which counts frames and keeps none.

import { fork } from "node:child_process";
import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";

const clients = Number(process.argv[2] ?? 1000);
const seconds = Number(process.argv[3] ?? 60);
const deltas = 200;
const rounds = Number(process.argv[4] ?? 3);
/** Clients of the session with the client that reads nothing. */
const readers = 20;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const now = () => Number(process.hrtime.bigint()) / 1e6;
const program = fileURLToPath(new URL("subscribers-server.mjs", import.meta.url));

async function startServer() {
  const child = fork(program, { env: { PATH: process.env.PATH }, execArgv: ["--expose-gc"] });
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`the server ended with ${code}`);
  });
  ended.catch(() => undefined);
  const [[port, barePort]] = await Promise.race([once(child, "message"), ended]);
  const order = async (...words) => {
    child.send(words);
    const [{ answer }] = await Promise.race([once(child, "message"), ended]);
    return answer;
  };
  return { port, barePort, order, stop: () => child.disconnect() };
}

/** A client of a session. `onData` gets the bytes as text; without it, the client reads nothing. */
async function attach(port, session, onData) {
  const socket = connect(port, "127.0.0.1");
  socket.setNoDelay(true);
  await once(socket, "connect");
  socket.on("error", () => undefined);
  if (onData) socket.setEncoding("latin1").on("data", onData);
  else socket.pause();
  socket.write(`GET /sessions/${session}/events HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\n\r\n`);
  return socket;
}

/** Clients of as many sessions, one each, and the number of frames that they got. */
async function attachAll(port, count) {
  const seen = { frames: 0 };
  const sockets = [];
  for (let index = 0; index < count; index += 1) {
    sockets.push(
      await attach(port, `s${index}`, (text) => {
        // A frame has one line with data, and no data has a line feed.
        for (let at = text.indexOf("\ndata: "); at >= 0; at = text.indexOf("\ndata: ", at + 1)) seen.frames += 1;
      }),
    );
  }
  return { seen, sockets };
}

/** Waits until no frame has come for a while. */
async function settled(seen) {
  for (let before = -1; before !== seen.frames; await pause(1000)) before = seen.frames;
}

async function detach(sockets) {
  for (const socket of sockets) socket.destroy();
  await pause(1000);
}

/** Memory of idle clients of this port: kilobytes for each, while they are attached and once they have left. */
async function memoryOf({ order }, port) {
  // Code, pools and buffers that the first clients need are no cost of the others.
  await detach((await attachAll(port, Math.ceil(clients / 5))).sockets);
  const before = await order("memory");
  const { seen, sockets } = await attachAll(port, clients);
  await settled(seen);
  const during = await order("memory");
  await detach(sockets);
  const after = await order("memory");
  const each = (one, other) => (one - other) / clients / 1024;
  return {
    "RSS per idle client, KB": each(during.rss, before.rss),
    "heap per idle client, KB": each(during.heap, before.heap),
    "heap per client that has left, KB": each(after.heap, before.heap),
  };
}

const cpuOf = async ({ order }, work) => {
  const before = await order("cpu");
  await work();
  return (await order("cpu")) - before;
};

/** The server's processor time for some work, by the frames that clients of this port got, in microseconds. */
async function timeBy(server, port, work) {
  const { seen, sockets } = await attachAll(port, clients);
  await settled(seen);
  const before = seen.frames;
  const used = await cpuOf(server, async () => {
    await work();
    await settled(seen);
  });
  const frames = seen.frames - before;
  await detach(sockets);
  return { frames, used };
}

/** Processor time of events: the server's for the same runs with and without clients, beside a bare server that writes as many frames. */
async function timeOf(server) {
  const work = () => server.order("runs", clients, deltas);
  const bare = await timeBy(server, server.barePort, () => server.order("bare", deltas));
  const alone = await cpuOf(server, work);
  const watched = await timeBy(server, server.port, work);
  const [delivery, write] = [(1000 * (watched.used - alone)) / watched.frames, (1000 * bare.used) / bare.frames];
  return {
    "frames that each client got": watched.frames / clients,
    "CPU of the run, by frame, µs": (1000 * alone) / watched.frames,
    "CPU of the delivery, by frame, µs": delivery,
    "CPU of a bare server, by frame, µs": write,
    "the delivery over the bare server, x": delivery / write,
  };
}

/** The latencies of clients of a session, in milliseconds, and the server's memory after it, beside a client that reads nothing or not. */
async function latencyOf({ port, order }, isBeside, session) {
  const latencies = [];
  const sockets = [];
  for (let index = 0; index < readers; index += 1) {
    sockets.push(
      await attach(port, session, (text) => {
        const arrived = now();
        for (const [, made] of text.matchAll(/"made":([\d.]+)/g)) latencies.push(arrived - Number(made));
      }),
    );
  }
  if (isBeside) sockets.push(await attach(port, session));
  await pause(500);
  const cpu = await cpuOf({ order }, () => order("ticks", session, seconds * 1000));
  const { heap, rss } = await order("memory");
  await detach(sockets);
  const sorted = Float64Array.from(latencies).sort();
  const at = (share) => sorted[Math.floor(share * (sorted.length - 1))];
  return { p50: at(0.5), p99: at(0.99), events: latencies.length / readers, cpu: cpu / latencies.length, heap, rss };
}

function print(figures) {
  for (const [name, value] of Object.entries(figures))
    console.log(`${name.padEnd(58)} ${value.toFixed(2).padStart(9)}`);
}

/** Memory of idle clients of a bare server, in a fresh process: memory that was used once is used again. */
async function bareMemory() {
  const { stop, ...server } = await startServer();
  const figures = await memoryOf(server, server.barePort);
  stop();
  print(Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${name}, bare server`, value])));
}

await bareMemory();
const server = await startServer();
try {
  await server.order("runs", clients, deltas);
  print(await memoryOf(server, server.port));
  for (let round = 0; round < rounds; round += 1) print(await timeOf(server));
  for (const [phase, isBeside] of [false, true, true, false].entries()) {
    if (seconds === 0) break;
    const { p50, p99, events, cpu, heap, rss } = await latencyOf(server, isBeside, `live${phase}`);
    console.log(`\n${isBeside ? "beside a client that reads nothing" : "all clients read"}, ${seconds} s`);
    print({
      "events that each of the others got": events,
      "latency, p50, ms": p50,
      "latency, p99, ms": p99,
      "CPU per delivered event, µs": 1000 * cpu,
      "heap of the server, MB": heap / 2 ** 20,
      "RSS of the server, MB": rss / 2 ** 20,
    });
  }
} finally {
  server.stop();
}
