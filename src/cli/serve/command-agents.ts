// The agents of the command for a server: the agent that its options make, and the agents of sessions that the command
// began.

import { basename, extname } from "node:path";
import type { AnyOutcome, Event } from "../../core/index.js";
import type { AgentOf, HostAgent } from "../../host/index.js";
import { askQuestion, giveUp, taskCompletion } from "../../tools/index.js";
import type { Settings } from "../args/args.js";
import { pickKept, type KeptOptions } from "../args/options.js";
import { parker } from "../person/parked.js";
import { surfaceOf, type Surroundings } from "../person/surface.js";
import { expectSameModules } from "../sessions/kept-modules.js";
import { ReadOnce } from "../display/read-once.js";
import { makeAgent, type MadeAgent } from "../task/make-agent.js";
import { prepare, type Prepared } from "../task/prepare.js";
import type { Telemetry } from "../task/telemetry.js";

/** Told of the ends of runs, for people. */
export type RunEnded = (session: string, outcome: AnyOutcome) => void;

/** The watchers of the runs of all agents of a server. */
export interface Watchers {
  readonly ended: RunEnded;
  /** The telemetry of the process. The server closes it. */
  readonly telemetry: Telemetry;
}

/** An agent of the command with the parts that it needs. */
export interface OpenAgent {
  readonly made: MadeAgent;
  readonly events: Prepared["events"];
  close(): Promise<void>;
}

/**
 * Makes the agent of these settings. Its approvals wait in the session, for somebody who looks at the page.
 * @throws LastcallError `configuration` or `authentication` as `prepare` does.
 */
export async function openAgent(
  settings: Settings,
  around: Surroundings,
  { telemetry }: Pick<Watchers, "telemetry">,
): Promise<OpenAgent> {
  const surface = await surfaceOf(settings, around);
  const { needs, events, close } = await prepare(settings, around, { person: undefined, surface, telemetry });
  try {
    const endings = [taskCompletion(), askQuestion(), giveUp()];
    return { made: await makeAgent({ ...needs, approver: parker }, { endings }), events, close };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** The agent as a host runs it. `onEvent` and `ended` are told of each run. */
function hostAgent(
  { agent, context }: MadeAgent,
  { onEvent, ended }: { readonly onEvent?: (event: Event) => void; readonly ended: RunEnded },
): HostAgent {
  return {
    stream(input, options) {
      const stream = agent.stream(input, { ...options, context });
      void stream.outcome.then((outcome) => {
        ended(options.session.id, outcome);
      });
      return { outcome: stream.outcome, [Symbol.asyncIterator]: () => told(stream, onEvent) };
    },
  };
}

/** The agent of the command line as a host runs it, with its event log. */
export function ownAgent({ made, events }: OpenAgent, ended: RunEnded): HostAgent {
  return hostAgent(made, {
    ...(events !== undefined && {
      onEvent(event) {
        events.write(event, Date.now());
      },
    }),
    ended,
  });
}

/** The name of the agent at a host: the name of the module's file, or of the command. */
export function agentName({ agent }: Settings): string {
  return agent === undefined ? "lastcall" : basename(agent, extname(agent));
}

async function* told(
  events: AsyncIterable<Event>,
  onEvent: ((event: Event) => void) | undefined,
): AsyncGenerator<Event, void, void> {
  for await (const event of events) {
    onEvent?.(event);
    yield event;
  }
}

/**
 * Finds the agent of a session that the command began: the agent of the options which the session keeps. It grants no rights beyond the
 * server's own command line and the rules that a person kept for the folder, so that a call which needs more waits for an approval.
 */
export function agentsOfSessions(
  around: Surroundings,
  settingsWith: (kept: KeptOptions) => Settings,
  { ended, telemetry }: Watchers,
): AgentOf {
  return async ({ about }) => {
    if (typeof about["workdir"] !== "string") return undefined;
    const kept = pickKept(about);
    const settings = settingsWith(kept);
    // A file of this command line needs no digest. Nobody at this terminal follows the session, so nobody is asked there.
    const given = { ...settingsWith({}), noInput: true };
    // What is compared is what runs, and a later session looks at the files again.
    const once = { ...around, files: new ReadOnce() };
    await expectSameModules({ kept, digests: about["digests"] }, given, once);
    const { made, close } = await openAgent({ ...settings, quiet: true, verbose: false }, once, { telemetry });
    return hostAgent(made, {
      ended(session, outcome) {
        void close();
        ended(session, outcome);
      },
    });
  };
}
