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
  if (url === "") return "built-in functions of V8 (JSON, promises, maps)";
  if (url.startsWith("node:")) return partsOfNode.find(([, pattern]) => pattern.test(url))[0];
  const name = /.*node_modules\/((?:@[^/]+\/)?[^/.][^/]*)\/(?!.*node_modules\/)/.exec(url)?.[1];
  const source = sourceOf(url, lineNumber, columnNumber);
  if (source !== undefined) return source.split("/").slice(0, -1).join("/");
  return name === undefined ? "the bench itself" : `package ${name}`;
}

/** Self time by group in milliseconds per iteration, the largest first. Idle time is left out. */
export function waterfall(profile, iterations, sourceOf) {
  const times = new Map();
  for (const [index, id] of profile.samples.entries()) {
    times.set(id, (times.get(id) ?? 0) + Math.max(0, profile.timeDeltas[index]));
  }
  const groups = new Map();
  for (const { id, callFrame } of profile.nodes) {
    const group = groupOf(callFrame, sourceOf);
    groups.set(group, (groups.get(group) ?? 0) + (times.get(id) ?? 0) / 1000 / iterations);
  }
  groups.delete("idle");
  return [...groups]
    .filter(([, ms]) => ms > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([group, ms]) => ({ group, ms }));
}

/** The larger groups as a table of microseconds and shares; the others are one line. */
export function waterfallTable(groups, least = 0.004) {
  const total = groups.reduce((sum, { ms }) => sum + ms, 0);
  const large = groups.filter(({ ms }) => ms >= least);
  const rest = groups.filter(({ ms }) => ms < least).reduce((sum, { ms }) => sum + ms, 0);
  const lines = [...large, { group: "all others", ms: rest }, { group: "**together**", ms: total }];
  const rows = lines.map(
    ({ group, ms }) => `| ${group} | ${Math.round(1000 * ms)} | ${Math.round((100 * ms) / total)} % |`,
  );
  return ["| part | µs per iteration | share |", "| --- | --- | --- |", ...rows].join("\n");
}
