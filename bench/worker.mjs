// A measuring process: one client, one mode, its rows. It gets its task as JSON on the command line and sends the figures of each row.

import { get } from "node:http";

const { client, rows, mode, server, warmUp, isProfiled } = JSON.parse(process.argv[2]);
const { prepare } = await import(`./clients/${client.file}.mjs`);

const now = () => Number(process.hrtime.bigint()) / 1e6;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const at = (numbers, share) => numbers.toSorted((a, b) => a - b)[Math.floor(share * (numbers.length - 1))];
const milliseconds = ({ user, system }) => (user + system) / 1000;

/** Text with quotes and line ends to escape, as results of tools have them. */
const line = '{"name": "entry", "note": "the quick brown fox jumps over the lazy dog"}\n';
const textOf = (size) => line.repeat(Math.ceil(size / line.length)).slice(0, size);

/** The server's log since this was last called. */
async function logged() {
  const response = await new Promise((resolve, reject) => get(`${server}/log`, resolve).on("error", reject));
  return JSON.parse((await response.toArray()).join(""));
}

/** Makes a function that runs a row's task once, and that throws unless it was done in full. */
async function runner(row, observe) {
  const { n, calls = 1, latency = 0, args = 0, words = 0, gap = 0, deltas, result = 120, clip } = row;
  const text = textOf(result);
  const script = { n, calls, latency, args, words, gap, ...(deltas && { deltas }) };
  const path = Object.entries(script).map(([key, value]) => `${key}=${value}`);
  const lookup = observe ?? (async () => text);
  const run = await prepare({ ...client, baseURL: `${server}/s/${path.join(",")}/v1`, lookup, clip });
  return async () => {
    const done = await run();
    if (done.iterations === n && done.result === "found") return;
    throw new Error(`a run of ${row.name} ended after ${done.iterations} of ${n} iterations`);
  };
}

/** CPU and wall milliseconds per iteration, and what the work gives. */
async function measured(iterations, work) {
  const cpu = process.cpuUsage();
  const began = performance.now();
  await work();
  const wall = performance.now() - began;
  return { cpu: milliseconds(process.cpuUsage(cpu)) / iterations, wall: wall / iterations };
}

const repeat = async (count, work) => {
  for (let index = 0; index < count; index += 1) await work();
};
const together = (count, work) => Promise.all(Array.from({ length: count }, (_, index) => work(index)));

/** Warms the process up with runs of 50 iterations. */
async function warm(iterations) {
  await repeat(iterations / 50, await runner({ name: "warm-up", n: 50 }));
}

const modes = {
  async loop() {
    const figures = {};
    let isWarm = false;
    for (const row of rows) {
      if (!row.isCold && !isWarm) await warm(warmUp);
      isWarm ||= !row.isCold;
      const run = await runner(row);
      await logged();
      figures[row.name] = await measured(row.n * row.runs, () => repeat(row.runs, run));
      figures[row.name].sent = (await logged()).at(-1).bytes / 1000;
    }
    return figures;
  },
  async together([row]) {
    const small = await runner({ name: "warm-up", n: 20 });
    await repeat(Math.ceil(warmUp / 600), () => together(20, small));
    await logged();
    const one = client.agents === "one" || client.file === "by-hand" ? await runner(row) : undefined;
    const figures = await measured(row.count * row.n, () =>
      together(row.count, async () => await (one ?? (await runner(row)))()),
    );
    figures.peak = process.resourceUsage().maxRSS / 1024;
    const gaps = gapsOf(await logged());
    return { [row.name]: { ...figures, gap99: at(gaps, 0.99) } };
  },
  async delay([row]) {
    await warm(warmUp / 2);
    await logged();
    const tool = [];
    const text = textOf(120);
    const observe = async () => {
      tool.push(now());
      return text;
    };
    await (
      await runner(row, observe)
    )();
    const log = await logged();
    const toTool = tool.map((time, index) => time - log[index].ended);
    const toRequest = tool.map((time, index) => log[index + 1].arrived - time);
    return { [row.name]: { toTool: at(toTool, 0.5), toRequest: at(toRequest, 0.5) } };
  },
  async early([row]) {
    await warm(warmUp / 6);
    await logged();
    const begun = new Map();
    await (
      await runner(row, async ({ key }) => {
        begun.set(key, now());
        return "found";
      })
    )();
    const log = (await logged()).filter(({ firstCall }) => firstCall !== undefined);
    return {
      [row.name]: {
        ownByte: at(
          log.map(({ step, firstCall }) => begun.get(`k${step}-0`) - firstCall),
          0.5,
        ),
      },
    };
  },
  async waiting([row]) {
    const small = await runner({ name: "warm-up", n: 20 });
    await repeat(Math.ceil(warmUp / 600), () => together(20, small));
    const run = await runner({ ...row, latency: 120_000 });
    const memory = async () => {
      for (let count = 0; count < 3; count += 1) {
        globalThis.gc();
        await pause(50);
      }
      return process.memoryUsage().rss / 1024;
    };
    const before = await memory();
    await logged();
    void together(row.count, run).catch(() => process.exit(1));
    for (let arrived = 0; arrived < row.count; arrived += (await logged()).length) await pause(100);
    return { [row.name]: { waiting: ((await memory()) - before) / row.count } };
  },
  async cold([row]) {
    const start = now() - performance.now();
    await (
      await runner(row)
    )();
    return { [row.name]: { first: (await logged())[0].arrived - start } };
  },
  async startup([row]) {
    const { startup } = await import("./startup.mjs");
    return { [row.name]: startup(5) };
  },
  async session([row]) {
    const { growth } = await import("./growth.mjs");
    return { [row.name]: await growth(10_000) };
  },
};

/** The times from the end of each reply to the next request of its run, in milliseconds. */
function gapsOf(log) {
  const ended = new Map(log.map(({ run, step, ended }) => [`${run}:${step}`, ended]));
  return log.filter(({ step }) => step > 1).map(({ run, step, arrived }) => arrived - ended.get(`${run}:${step - 1}`));
}

/** The figures and the profile of the row, after the warm-up. */
async function profiled() {
  const { Session } = await import("node:inspector/promises");
  const session = new Session();
  session.connect();
  await warm(warmUp);
  const run = await runner(rows[0]);
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 100 });
  await session.post("Profiler.start");
  const figures = await measured(rows[0].n * rows[0].runs, () => repeat(rows[0].runs, run));
  return { figures, ...(await session.post("Profiler.stop")) };
}

const answer = isProfiled ? await profiled() : await modes[mode](rows);
process.send({ answer, cpu: milliseconds(process.cpuUsage()) }, () => process.exit());
