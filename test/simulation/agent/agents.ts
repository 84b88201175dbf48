// The agents of simulations: tools with effects of all kinds, and limits of several sizes. They are made once for all worlds.

import { createAgent, tool, type Agent, type Runtime } from "../../../src/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";
import { z } from "zod";
import { epoch, uuid } from "../world/globals.js";
import { act } from "./outside.js";
import { simulatedModel } from "./model.js";
import { placeNow, worldNow } from "./place.js";

const input = z.object({ what: z.string() });

const look = tool({
  name: "look",
  description: "Looks at something.",
  input,
  effect: "read",
  run: (_input, { callId, signal }) => act(worldNow(), { ...placeNow(), callId, tool: "look", signal }),
});

const note = tool({
  name: "note",
  description: "Thinks of something.",
  input,
  effect: "none",
  run: ({ what }) => `noted ${what}`,
});

const send = tool({
  name: "send",
  description: "Sends something.",
  input,
  effect: "network",
  run: (_input, { callId, signal }) => act(worldNow(), { ...placeNow(), callId, tool: "send", signal }),
});

const pay = tool({
  name: "pay",
  description: "Pays, once for each call.",
  input,
  effect: "network",
  idempotent: true,
  run: (_input, { callId, signal }) => act(worldNow(), { ...placeNow(), callId, tool: "pay", signal }),
});

const form = tool({
  name: "form",
  description: "Asks the user, then sends.",
  input,
  effect: "network",
  asks: z.object({ about: z.string() }),
  async run({ what }, { callId, signal, ask }) {
    const answer = await ask({ about: what });
    return `${await act(worldNow(), { ...placeNow(), callId, tool: "form", signal })} for ${JSON.stringify(answer)}`;
  },
});

const wire = tool({
  name: "wire",
  description: "Sends money, once somebody approves it.",
  input,
  effect: "network",
  run: (_input, { callId, signal }) => act(worldNow(), { ...placeNow(), callId, tool: "wire", signal }),
});

/** The tools of all agents. */
export const tools = [
  taskCompletion(),
  askQuestion({ expiresAfter: 40_000 }),
  look,
  note,
  send,
  pay,
  form,
  wire,
] as const;

/** The tools of which one call has one effect at most. */
export const once: ReadonlySet<string> = new Set(["send", "form", "wire"]);

/** The limits of the agents, each of which has the next ones. */
export const limits = [{}, { maxTokens: 1500 }, { maxIterations: 3 }] as const;

const runtime: Runtime = {
  now: () => epoch + worldNow().scheduler.clock(),
  random: () => worldNow().random.next(),
  id: () => uuid(worldNow().random),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        timer.isCancelled = true;
        reject(signal.reason as Error);
      };
      const timer = worldNow().scheduler.after(ms, () => {
        signal.removeEventListener("abort", stop);
        resolve();
      });
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    }),
  turn: () => worldNow().scheduler.wait(0),
  warn: () => {
    worldNow().count("warnings");
  },
};

/** An agent, with the types of its tools left out. */
export type SimulatedAgent = Pick<Agent, "stream">;

/** The agents, one for each of the limits. */
export const agents: readonly SimulatedAgent[] = limits.map(
  (bounds) =>
    createAgent({
      model: simulatedModel(placeNow),
      tools,
      limits: bounds,
      runtime,
      permission: {
        decide: ({ name }, { approval }) => {
          if (name !== "wire") return { allowed: true, reason: "it may", basis: "rule" } as const;
          return approval ?? ({ later: true, reason: "somebody has to look at it" } as const);
        },
        unasked: ({ effect }) => (effect === "read" ? { allowed: true, reason: "it may", basis: "rule" } : undefined),
      },
    }) as unknown as SimulatedAgent,
);
