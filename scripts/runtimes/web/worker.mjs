// A worker of workerd that runs one file of tests for each request.

export default {
  async fetch(request) {
    const { runVisit } = await loaded();
    const { url, file, without } = await request.json();
    return Response.json(await runVisit(url, file, without));
  },
};

/**
 * Loads the runner. What a module does at once may neither start timers nor ask for random numbers in workerd, and packages of the tests
 * try what these functions return.
 */
async function loaded() {
  const names = ["setTimeout", "setInterval", "setImmediate", "clearTimeout", "clearInterval", "clearImmediate"];
  const own = Object.fromEntries(names.map((name) => [name, globalThis[name]]));
  for (const name of names) globalThis[name] = () => 0;
  try {
    return await import("./run-visit.mjs");
  } finally {
    Object.assign(globalThis, own);
  }
}
