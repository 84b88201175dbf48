// A measuring process: node worker.mjs <client> <address>. It gets { n, runs } and answers with milliseconds per iteration.

const [client, address] = process.argv.slice(2);
const { prepare } = await import(client);

/** The result of the tool: about 120 characters, with quotes and a newline to escape. */
const found =
  '{"name": "entry", "note": "the quick brown fox jumps over the lazy dog"}\n{"name": "next", "note": "none"}';

const prepared = new Map();

async function measure({ n, runs }) {
  if (!prepared.has(n))
    prepared.set(
      n,
      prepare(`${address}/s/${process.pid}/n=${n}/v1`, async () => found),
    );
  const run = prepared.get(n);
  const cpu = process.cpuUsage();
  const began = performance.now();
  for (let count = 0; count < runs; count += 1) {
    const { iterations, result } = await run();
    if (iterations !== n || result !== "found") throw new Error(`a run ended after ${iterations} of ${n} iterations`);
  }
  const wall = performance.now() - began;
  const { user, system } = process.cpuUsage(cpu);
  return { cpu: (user + system) / 1000 / (n * runs), wall: wall / (n * runs) };
}

process.on("message", async (task) => process.send(await measure(task)));
process.on("disconnect", () => process.exit());
process.send("ready");
