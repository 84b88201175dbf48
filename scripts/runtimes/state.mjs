// The state that vitest's own modules look for in a worker. It is there before they are loaded.

globalThis.__vitest_worker__ = {
  config: { expect: { poll: { timeout: 20_000 } }, snapshotOptions: { updateSnapshot: "none" } },
  ctx: {},
  environment: { name: "node" },
  metaEnv: process.env,
  providedContext: {},
};
