// A CPU profile as milliseconds per iteration, by room of the sources, package and part of Node.

/** The parts of Node, by the names of its files. The first that fits counts. */
const partsOfNode = [
  ["node: fetch (undici inside Node)", /^node:internal\/deps\/undici/],
  ["node: web streams", /^node:internal\/(webstreams|encoding)/],
  ["node: aborts and events", /^node:(events|internal\/(abort_controller|event_target|events))/],
  [
    "node: promises, ticks and timers",
    /^node:(timers|internal\/(timers|process|async_hooks|promise_hooks|async_local))/,
  ],
  ["node: files and SQLite", /^node:(fs|sqlite|internal\/fs)/],
  [
    "node: network and streams",
    /^node:(net|_?http|stream|buffer|internal\/(stream|net|http|streams|js_stream|buffer))/,
  ],
  ["node: the rest", /^node:/],
];

/** Frames of V8 that are no code. */
const special = {
  "(garbage collector)": "garbage collection",
  "(program)": "native code and the system",
  "(idle)": "idle",
  "(root)": "native code and the system",
};

/** The group of a frame. `sourceOf` gives the source of a place in a bundle, as a path from the project's root, or undefined. */
export function groupOf({ functionName, url, lineNumber, columnNumber }, sourceOf) {
  if (special[functionName] !== undefined) return special[functionName];
  if (url.startsWith("node:")) return partsOfNode.find(([, pattern]) => pattern.test(url))[0];
  const name = /.*node_modules\/((?:@[^/]+\/)?[^/.][^/]*)\/(?!.*node_modules\/)/.exec(url)?.[1];
  const source = sourceOf(url, lineNumber, columnNumber);
  if (source !== undefined) return source.split("/").slice(0, -1).join("/");
  return name === undefined ? "the bench itself" : `package ${name}`;
}

/**
 * Self time by group in milliseconds per iteration, the largest first. Idle time is left out. Built-in functions, JSON among them, count
 * for the code that called them.
 */
export function waterfall(profile, iterations, sourceOf) {
  const times = new Map();
  for (const [index, id] of profile.samples.entries()) {
    times.set(id, (times.get(id) ?? 0) + Math.max(0, profile.timeDeltas[index]));
  }
  const callers = new Map(profile.nodes.flatMap((node) => (node.children ?? []).map((id) => [id, node])));
  const groups = new Map();
  for (const node of profile.nodes) {
    let at = node;
    while (isBuiltIn(at.callFrame) && callers.has(at.id)) at = callers.get(at.id);
    const group =
      at.callFrame.functionName === "(root)" ? "promises and other built-ins" : groupOf(at.callFrame, sourceOf);
    groups.set(group, (groups.get(group) ?? 0) + (times.get(node.id) ?? 0) / 1000 / iterations);
  }
  groups.delete("idle");
  return [...groups]
    .filter(([, ms]) => ms > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([group, ms]) => ({ group, ms }));
}

const isBuiltIn = ({ url, functionName }) => url === "" && special[functionName] === undefined;

/** The larger groups as a table of microseconds and shares. The others are one line, and so is the processor time `cpu` beside them all. */
export function waterfallTable(groups, cpu, least = 0.008) {
  const total = groups.reduce((sum, { ms }) => sum + ms, 0);
  const large = groups.filter(({ ms }) => ms >= least);
  const rest = groups.filter(({ ms }) => ms < least).reduce((sum, { ms }) => sum + ms, 0);
  const beside = { group: "other threads: compiler, collector, the profiler", ms: Math.max(0, cpu - total) };
  const lines = [
    ...large,
    { group: "all others", ms: rest },
    { group: "**the thread of the loop**", ms: total },
    beside,
  ];
  const share = (ms, { group }) => (group === beside.group ? "" : `${Math.round((100 * ms) / total)} %`);
  const rows = lines.map((of) => `| ${of.group} | ${Math.round(1000 * of.ms)} | ${share(of.ms, of)} |`);
  return ["| part | µs per iteration | share |", "| --- | --- | --- |", ...rows].join("\n");
}
