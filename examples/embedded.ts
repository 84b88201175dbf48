// A host that embeds the loop, with a log, measurements, limits, two ways to stop, and an agent within an agent.

import { createAgent, tool, type Event, type Hook } from "lastcall";
import { openai } from "lastcall/model";
import { delegate, listFiles, readFile, searchFiles } from "lastcall/tools";
import { z } from "zod";

const [root = ".", ticket = "The application does not start."] = process.argv.slice(2);
const model = openai();

// The log: every event as one line, also those of the agent within. The pieces of replies are skipped: `reply-end` has the whole reply.
function log(event: Event): void {
  const { type } = event.type === "child-event" ? event.event : event;
  if (type.endsWith("-delta")) return;
  console.error(JSON.stringify(event));
}

// Two ways to stop: SIGTERM lets the iteration end, SIGINT aborts it. The session can be continued after both.
let isClosing = false;
const interrupt = new AbortController();
process.once("SIGTERM", () => (isClosing = true));
process.once("SIGINT", () => {
  interrupt.abort("SIGINT");
});

// The measurements: the hook wraps every call. Its `veto` is asked after every iteration.
const host: Hook = {
  async *call(call, next) {
    const began = performance.now();
    const execution = yield* next(call);
    console.error(JSON.stringify({ type: "measured", tool: call.name, milliseconds: performance.now() - began }));
    return execution;
  },
  veto: () => (isClosing ? "the host is closing" : undefined),
};

// An agent that only reads files and ends with a finding.
const found = tool({
  name: "found",
  description: "Ends the search with what was found.",
  input: z.object({ file: z.string(), cause: z.string() }),
  isLoopBreaking: true,
});
const searcher = createAgent({ model, tools: [listFiles({ root }), readFile({ root }), searchFiles({ root }), found] });

// For the main agent, the searcher is a tool. It draws from the limits of the main agent and is stopped with it.
const investigate = delegate(searcher, {
  name: "investigate",
  description: "Finds the cause of something in the source code.",
  input: z.object({ question: z.string() }),
  brief: ({ question }) => question,
  effect: "read",
});
const assign = tool({
  name: "assign",
  description: "Ends the case: a team takes it.",
  input: z.object({ team: z.enum(["web", "data", "operations"]), summary: z.string() }),
  isLoopBreaking: true,
});

const limits = { maxIterations: 20, timeout: 5 * 60_000, maxTokens: 500_000 };
const agent = createAgent({ model, tools: [investigate, assign], hooks: [host], limits });
const outcome = await agent.run(ticket, { signal: interrupt.signal, onEvent: log });

if (outcome.status === "completed") console.log(`${outcome.value.team}: ${outcome.value.summary}`);
else console.log(`${outcome.status}: ${outcome.message}`);
process.exitCode = outcome.status === "completed" ? 0 : 1;
