// lastcall serve and lastcall studio: the sessions of this machine behind HTTP, with a page for people.

import { LastcallError } from "../../core/index.js";
import { explain } from "../../core/internal.js";
import { hostInProcess, type Host } from "../../host/index.js";
import { createHandler, serve } from "../../server/index.js";
import type { Settings } from "../args/args.js";
import type { KeptOptions } from "../args/options.js";
import { secretsIn, surfaceOf, untilAborted, type Surface, type Surroundings } from "../person/surface.js";
import { changesOfSessions } from "../sessions/session-changes.js";
import { linkFolder, storeFor } from "../sessions/sessions.js";
import { describeEnding } from "../show/ending.js";
import { telemetryFor } from "../task/telemetry.js";
import { visible } from "../display/visible.js";
import { agentName, agentsOfSessions, openAgent, ownAgent, type OpenAgent, type RunEnded } from "./command-agents.js";
import { openPage } from "./open-page.js";
import { serverToken, type ServerToken } from "./server-token.js";
import { leaveAddress } from "../sessions/studio-link.js";

/** Makes the settings for a session, from the options that it keeps and this command line. */
type SettingsWith = (kept: KeptOptions) => Settings;

/**
 * Serves until a person ends it. `serve` has its own agent for new sessions; `studio` has no agent. Returns the exit code.
 * @throws LastcallError `configuration` if the agent can't be made or the port is taken.
 */
export async function serveSessions(
  settings: Settings,
  around: Surroundings,
  settingsWith: SettingsWith,
): Promise<number> {
  const hasAgent = settings.order.do === "serve";
  if (hasAgent) expectServable(settings);
  const surface = await surfaceOf(settings, around);
  const token = serverToken(around.env, "LASTCALL_SERVER_TOKEN");
  const ended: RunEnded = (session, outcome) => {
    if (surface.log !== "quiet") surface.say(surface.style.dim(visible(`${session}: ${describeEnding(outcome)}`)));
  };
  const telemetry = await telemetryFor(around.env, surface.say);
  let own: OpenAgent | undefined;
  let store: Awaited<ReturnType<typeof storeFor>> | undefined;
  try {
    if (hasAgent) own = await openAgent(settings, around, { telemetry });
    store = await telemetry.watchStore(await storeFor(settings, around.env));
    let left: readonly string[] = [];
    const host = await hostInProcess({
      agents: own === undefined ? {} : { [agentName(settings)]: ownAgent(own, ended) },
      store,
      agentOf: agentsOfSessions(around, settingsWith, { ended, telemetry }),
      onLeft: (sessions) => (left = sessions),
    });
    await listen(host, settings, { surface, token, env: around.env, left });
    return 0;
  } finally {
    await own?.close();
    // The last metrics are sent without counts: a database that is gone must not keep the command.
    await store?.[Symbol.asyncDispose]?.();
    await telemetry.close();
  }
}

/** @throws LastcallError `configuration` for options that a server can't have. */
function expectServable(settings: Settings): void {
  const problem = settings.json
    ? "--json prints one outcome, and a server has many; leave it out"
    : settings.noSave
      ? "The sessions of a server are kept, so that its clients can go on with them, and a config file has no-save; give --sessions DIR"
      : undefined;
  if (problem !== undefined) throw new LastcallError("configuration", `${problem}.`);
}

/** The surroundings of a server. */
interface Place {
  readonly surface: Surface;
  readonly token: ServerToken;
  readonly env: Surroundings["env"];
  /** The sessions that a dead process left, with which the host goes on. */
  readonly left: readonly string[];
}

/** Listens until the signal aborts. Runs that are at work then are suspended, and the next server goes on with them. */
async function listen(host: Host, settings: Settings, { surface, token, env, left }: Place): Promise<void> {
  const { say, signal, style } = surface;
  const { port = 0, listen: address, host: names, readOnly, open } = settings;
  const hosts = names.length > 0 ? [...names, "localhost", "127.0.0.1"] : undefined;
  const changesOf = changesOfSessions(settings, { env });
  const secrets = { values: secretsIn(env, undefined) };
  const handler = createHandler({ host, token: token.value, studio: true, readOnly, hosts, changesOf, secrets });
  const closeHost = async (): Promise<void> => {
    const late = await host.close();
    if (late.length > 0) say(`Not ended in time: ${late.join(", ")}. Their calls at work have an unknown outcome.`);
  };
  const serving = serve(handler, {
    port,
    ...(address !== undefined && { host: address }),
    onError: (fault) => {
      say(visible(`A request failed: ${explain(fault)}`));
    },
  });
  // Runs go on already, also if another program has the port.
  const server = await serving.catch(async (thrown: unknown) => {
    await closeHost();
    throw thrown;
  });
  const base = `http://${names[0] ?? "127.0.0.1"}:${String(server.port)}/`;
  let closePage = async (): Promise<void> => undefined;
  const leave = await leaveAddress(linkFolder(settings, env), `${base}studio/`);
  try {
    if (host.agents.length > 0)
      say(`Serving ${host.agents.join(", ")} at ${base}, authorization: Bearer ${token.shown}`);
    say(`Studio: ${base}studio/#token=${token.shown}`);
    if (left.length > 0) say(style.dim(`goes on with ${left.join(", ")}`));
    if (open)
      closePage = await openPage(`${base}studio/#token=${token.value}`, () => {
        say("No browser could be opened: open the address above.");
      });
    await untilAborted(signal);
  } finally {
    await closePage();
    await leave();
    await closeHost();
    await server.close();
  }
}
