// lastcall bisect: the differences of two agents at which the run of a stored session departs.

import { bisectSession, type Bisected } from "../../testing/index.js";
import type { Settings } from "../args/args.js";
import { wrong } from "../args/options.js";
import { surfaceOf, type Surroundings } from "../person/surface.js";
import { visible } from "../display/visible.js";
import { agentOfNow, readSession } from "./agent-of-now.js";
import { departs } from "./replay-session.js";

/**
 * Bisects a session, and prints the differences. Returns the exit code: 0, or 2 if the run departs.
 * @throws LastcallError `configuration` without both agents, or if an agent or the session can't be used.
 */
export async function runBisect(settings: Settings, around: Surroundings, id: string): Promise<number> {
  const { agent, against } = settings;
  if (agent === undefined || against === undefined)
    throw wrong("lastcall bisect needs two agents: --agent FILE and --against FILE", "bisect");
  const surface = await surfaceOf(settings, around);
  const { session } = await readSession(settings, around, id);
  const one = await agentOfNow(settings, { session, around, surface });
  try {
    const other = await agentOfNow({ ...settings, agent: against }, { session, around, surface });
    try {
      const { context } = one.made;
      const found = await bisectSession(session, { agent: one.made.agent, against: other.made.agent, context });
      surface.answer(
        surface.json ? JSON.stringify(found, null, 2) : visible(lines(found).join("\n"), { multiline: true }),
      );
      return found.departure === undefined ? 0 : departs;
    } finally {
      await other.close();
    }
  } finally {
    await one.close();
  }
}

function lines({ departure, causes, untried }: Bisected): readonly string[] {
  const more = untried.map((name) => `not tried alone: ${name}`);
  if (departure === undefined) return ["Both agents go the same way.", ...more];
  const { at, kind, differences } = departure;
  return [
    `departs at ${at} (${kind})`,
    ...differences.map(({ words }) => `  ${words}`),
    ...(causes.length === 0 ? ["because of several differences together"] : causes.map((name) => `because of ${name}`)),
    ...more,
  ];
}
