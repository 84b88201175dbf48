// The rows of the bench: the work, the clients that do it, and the figures that it gives. A lower figure is always the better one.

const small = ["hand", "flushed", "lastcall", "file", "changing", "sqlite"];
const two = ["hand", "lastcall"];
const agents = ["hand", "lastcall", "shared"];

/** The clients: `file` is the client's file, the rest goes to its `prepare`. */
export const clients = {
  hand: { title: "by hand", file: "by-hand" },
  flushed: { title: "by hand, a line flushed before each call", file: "by-hand", flush: true },
  lastcall: { title: "lastcall", file: "lastcall" },
  file: { title: "with the file store", file: "lastcall", store: "file" },
  changing: { title: "the same, for a tool without a declared effect", file: "lastcall", store: "file", effect: null },
  sqlite: { title: "with the SQLite store", file: "lastcall", store: "sqlite" },
  shared: { title: "lastcall, one agent for all", file: "lastcall", agents: "one" },
};

/** The figures. */
export const metrics = {
  cpu: { title: "CPU", unit: "ms" },
  sent: { title: "bytes of the last request", unit: "KB" },
  wall: { title: "wall", unit: "ms" },
  gap99: { title: "reply to next request, p99", unit: "ms" },
  peak: { title: "peak memory", unit: "MB" },
  first: { title: "first request", unit: "ms" },
  toTool: { title: "last byte to tool, p50", unit: "ms" },
  toRequest: { title: "tool to next request, p50", unit: "ms" },
  ownByte: { title: "a call's own last byte to its tool", unit: "ms" },
  waiting: { title: "memory per run", unit: "KB" },
  import: { title: "import over an empty module", unit: "ms" },
  help: { title: "lastcall --help", unit: "ms" },
  early: { title: "an append early", unit: "ms" },
  late: { title: "an append late", unit: "ms" },
  growth: { title: "an append late over early", unit: "x" },
  cpuLate: { title: "CPU late", unit: "ms" },
  open: { title: "opening it", unit: "ms" },
  openLong: { title: "opening five of it in one, 50,000 iterations", unit: "ms" },
  changed: { title: "prompt bytes that are no unchanged prefix", unit: "%" },
};

/** The figures of each mode whose ratios to the loop by hand are kept. */
const judged = {
  loop: ["cpu"],
  together: ["cpu", "wall", "peak"],
  delay: ["toTool", "toRequest"],
  waiting: ["waiting"],
  cold: ["first"],
};

/**
 * Rows of one mode and one client are measured in one fresh process, in this order. `limits` are the
 * most that a figure may be. `isSlow` leaves a row out of --quick, `isOnce` out of all rounds but the first.
 */
export const rows = [
  { name: "first50", title: "first 50 of a process", mode: "loop", clients: small, n: 50, runs: 1, isCold: true },
  { name: "n50", title: "N = 50", mode: "loop", clients: small, n: 50, runs: 12 },
  { name: "n200", title: "N = 200", mode: "loop", clients: small, n: 200, runs: 4 },
  { name: "n1000", title: "N = 1,000", mode: "loop", clients: small, n: 1000, runs: 1 },
  {
    name: "results",
    title: "20 KB results, N = 100",
    mode: "loop",
    clients: small,
    n: 100,
    runs: 2,
    result: 20_480,
    clip: false,
  },
  { name: "clipped", title: "the same, clipped to 8,000", mode: "loop", clients: two, n: 100, runs: 2, result: 20_480 },
  { name: "calls", title: "8 calls per reply, N = 50", mode: "loop", clients: small, n: 50, runs: 3, calls: 8 },
  { name: "text", title: "2,000 deltas of text", mode: "loop", clients: two, n: 10, runs: 3, words: 2000 },
  {
    name: "arguments",
    title: "40 KB arguments, 2,000 deltas",
    mode: "loop",
    clients: small,
    n: 6,
    runs: 4,
    args: 40_000,
    deltas: 2000,
  },
  { name: "c200", title: "200 runs at once", mode: "together", clients: agents, n: 20, count: 200, latency: 20 },
  {
    name: "c1000",
    title: "1,000 runs at once",
    mode: "together",
    clients: agents,
    n: 10,
    count: 1000,
    latency: 20,
    isSlow: true,
  },
  {
    name: "idle",
    title: "200 runs, 0.5 s a reply",
    mode: "together",
    clients: agents,
    n: 6,
    count: 200,
    latency: 500,
    isSlow: true,
  },
  { name: "delay", title: "around a tool", mode: "delay", clients: two, n: 200 },
  { name: "early", title: "a call that ends before its reply", mode: "early", clients: two, n: 6, calls: 2, gap: 100 },
  { name: "waiting", title: "1,000 runs that wait", mode: "waiting", clients: two, n: 2, count: 1000 },
  { name: "cold", title: "process start to first request", mode: "cold", clients: two, n: 1 },
  { name: "startup", title: "startup", mode: "startup", clients: ["lastcall"], limits: { import: 30, help: 150 } },
  {
    name: "session",
    title: "a session of 10,000 iterations",
    mode: "session",
    clients: ["file"],
    isOnce: true,
    limits: { growth: 1.5, open: 1000, openLong: 1000, changed: 10 },
  },
].map((row) => ({ ...row, judged: judged[row.mode] ?? [] }));
