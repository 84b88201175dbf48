// Endings of your own: each loop-breaking tool is a case of the
// outcome, and its validated arguments are the typed value.

import { createAgent, tool } from "lastcall";
import { call, scriptedModel } from "lastcall/testing";
import { z } from "zod";

const readLog = tool({
  name: "read_log",
  description: "Reads the end of a service's log",
  input: z.object({ service: z.string() }),
  run: ({ service }) => `${service}: no space left on device`,
});

const diagnose = tool({
  name: "diagnose",
  description: "Ends the run: says what is wrong with a service",
  input: z.object({
    service: z.string(),
    cause: z.enum(["disk full", "out of memory", "bad deploy"]),
    certainty: z.number().min(0).max(1),
  }),
  // A predicate: a guess does not end the run.
  isLoopBreaking: ({ certainty }) => certainty >= 0.8,
});

const escalate = tool({
  name: "escalate",
  description: "Ends the run: people have to look",
  input: z.object({ team: z.string(), why: z.string() }),
  isLoopBreaking: true,
});

const model = scriptedModel([
  [
    call("diagnose", {
      service: "billing",
      cause: "bad deploy",
      certainty: 0.4,
    }),
  ],
  [call("read_log", { service: "billing" })],
  [
    call("diagnose", {
      service: "billing",
      cause: "disk full",
      certainty: 0.95,
    }),
  ],
]);

export const agent = createAgent({
  model,
  tools: [readLog, diagnose, escalate],
  instructions: "Find out why a service fails.",
});

export const task = "billing answers 500 to every request";
