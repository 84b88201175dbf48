// lastcall work: a worker that runs what is given to the workers of a database.

import { LastcallError, type Event } from "../../core/index.js";
import type { Settings } from "../args/args.js";
import { visible } from "../display/visible.js";
import { surfaceOf, untilAborted, type Surface, type Surroundings } from "../person/surface.js";
import { agentName, openAgent, ownAgent, type RunEnded } from "../serve/command-agents.js";
import { describeEnding } from "../show/ending.js";
import { telemetryFor } from "../task/telemetry.js";
import { statePlans } from "./stored-plans.js";
import { workersDatabase, workersHost } from "./workers-host.js";

/**
 * Works until the signal aborts. Returns the exit code.
 * @throws LastcallError `configuration` if the agent can't be made, or without an address, tables or the package of DBOS; `store` if the
 * database does not answer.
 */
export async function workForOthers(settings: Settings, around: Surroundings): Promise<number> {
  if (settings.json)
    throw new LastcallError("configuration", "--json prints one outcome, and a worker has many; leave it out.");
  const surface = await surfaceOf(settings, around);
  const database = await workersDatabase(settings, around);
  const telemetry = await telemetryFor(around.env, surface.say);
  const agent = agentName(settings);
  const { note, ended, onEvent } = toldBy(surface);
  try {
    const own = await openAgent(settings, around, { telemetry });
    try {
      const store = await telemetry.watchStore(database.store);
      const agents = { [agent]: ownAgent(own, ended) };
      const host = await workersHost({ ...database, store }, { agents, onEvent });
      try {
        for (const line of own.made.notices) note(line);
        surface.say(`Working as ${visible(agent)} on ${database.shown} until Ctrl-C or SIGTERM.`);
        // A database that is silent does not hold up the end.
        void statePlans(database.plans, { host, agent, signal: surface.signal, say: surface.say });
        await untilAborted(surface.signal);
      } finally {
        const late = await host.close();
        if (late.length > 0)
          surface.say(`Not ended in time: ${late.join(", ")}. Their calls at work have an unknown outcome.`);
      }
    } finally {
      await own.close();
    }
  } finally {
    await database.store[Symbol.asyncDispose]();
    await telemetry.close();
  }
  return 0;
}

/** The lines about runs. */
interface Told {
  readonly note: (line: string) => void;
  readonly ended: RunEnded;
  readonly onEvent: (event: Event, session: string) => void;
}

function toldBy({ say, style, log }: Surface): Told {
  const note = (line: string): void => {
    if (log !== "quiet") say(style.dim(visible(line)));
  };
  return {
    note,
    ended(session, outcome) {
      const isLeft = outcome.status === "aborted" && outcome.suspended === true;
      const words = outcome.status === "failed" ? `failed: ${outcome.fault.message}` : describeEnding(outcome);
      note(`${session}: ${isLeft ? "left to another worker" : words}`);
    },
    onEvent(event, session) {
      if (event.type === "run-start") note(`${session}: at work`);
    },
  };
}
