// The handler that the programs of this folder mount at /agents, with room for one open stream. OPENAI_BASE_URL names the provider.

const from = (entry) => import(`${process.env.LASTCALL}/${entry}index.js`);
const [{ createAgent }, { memoryStore }, { openai }, { createHandler, nodeHandler }, { taskCompletion }] =
  await Promise.all(["", "memory/", "model/", "server/", "tools/"].map(from));

export const handler = createHandler({
  agents: { worker: createAgent({ model: openai({ model: "scripted" }), tools: [taskCompletion()] }) },
  store: memoryStore(),
  path: "/agents",
  authenticate: () => true,
  maxStreams: 1,
});

export const middleware = nodeHandler(handler);

/** Tells the test where the server listens. */
export const say = (port) => console.log(`listening on ${port}`);
