// The handler that the programs of this folder mount at /agents: an agent with a tool that takes its time, and room for one open stream.

const from = (entry) => import(`${process.env.LASTCALL}/${entry}index.js`);
const [
  { createAgent, tool },
  { memoryStore },
  { createHandler, nodeHandler },
  { call, scriptedModel },
  { taskCompletion },
] = await Promise.all(["", "memory/", "server/", "testing/", "tools/"].map(from));

const wait = tool({
  name: "wait",
  description: "Waits.",
  input: { type: "object", properties: {} },
  effect: "read",
  async run() {
    await new Promise((resolve) => setTimeout(resolve, 300));
    return "waited";
  },
});
let replies = 0;
const model = scriptedModel(() =>
  replies++ % 2 === 0 ? [call("wait", {})] : [call("task_completion", { result: "Done." })],
);

export const handler = createHandler({
  agents: { worker: createAgent({ model, tools: [wait, taskCompletion()] }) },
  store: memoryStore(),
  path: "/agents",
  authorize: () => true,
  maxStreams: 1,
});

export const middleware = nodeHandler(handler);

/** Tells the test where the server listens. */
export const say = (port) => console.log(`listening on ${port}`);
