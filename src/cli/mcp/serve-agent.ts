// Serves the agent of the command as a tool of other agents: over standard input and output, or over HTTP on this machine.

import { basename, extname, resolve } from "node:path";
import { LastcallError } from "../../core/index.js";
import type { ServableAgent, ServedAgents } from "../../mcp/index.js";
import { explain, headOf } from "../../core/internal.js";
import { openSession } from "../../memory/index.js";
import { serve } from "../../server/index.js";
import { askQuestion, giveUp, taskCompletion } from "../../tools/index.js";
import type { Settings } from "../args/args.js";
import { parker } from "../person/parked.js";
import { surfaceOf, type Surface, type Surroundings } from "../person/surface.js";
import { serverToken } from "../serve/server-token.js";
import { aboutFor } from "../sessions/on-sessions.js";
import { storeFor } from "../sessions/sessions.js";
import { watch, type Watching } from "../show/watch.js";
import { makeAgent, type MadeAgent } from "../task/make-agent.js";
import { prepare } from "../task/prepare.js";
import { visible } from "../display/visible.js";

/**
 * Serves the agent until the caller or a person ends it. Returns the exit code.
 * @throws LastcallError `configuration` for options that a served agent can't have.
 */
export async function serveAgent(settings: Settings, around: Surroundings): Promise<number> {
  expectServable(settings);
  const { signal, stdin, stdout, env } = around;
  const surface = await surfaceOf(settings, around);
  const { needs, events, close } = await prepare(settings, around, { person: undefined, surface });
  try {
    const watching = { ...surface, events };
    const { hooks, ...watched } = watch(watching);
    const approver = settings.park ? parker : undefined;
    const made = await makeAgent(
      { ...needs, approver },
      { endings: [taskCompletion(), askQuestion(), giveUp()], hooks },
    );
    if (surface.log !== "quiet") for (const line of made.notices) surface.say(surface.style.dim(line));
    const { agent, idle } = oneAtATime(made, { ...watched, signal, say: surface.say });
    const store = await storeFor(settings, env);
    const about = await aboutFor(settings, around);
    const served: ServedAgents = {
      agents: { [nameOf(settings)]: { description: describe(made, settings), agent } },
      sessions: (id) => openSession({ store, id, about }),
    };
    if (settings.port === undefined) {
      const { mcpStdio } = await import("../../mcp/index.js");
      await mcpStdio({ ...served, input: stdin, output: stdout, signal });
    } else await overHttp(served, settings.port, { surface, env });
    await idle();
    return signal.aborted ? 130 : 0;
  } finally {
    await close();
  }
}

function expectServable({ json, noSave, rights, park }: Settings): void {
  const problem = json
    ? "--json prints one outcome, and a served agent has many; leave it out"
    : noSave
      ? "The caller of a served agent may go on with its session, so it is kept, and a config file has no-save; give --sessions DIR"
      : rights.mode === "ask-all" && !park
        ? "--ask needs a person, and a served agent has none. Add --park, or leave it out"
        : undefined;
  if (problem !== undefined) throw new LastcallError("configuration", `${problem}.`);
}

/** The tool has the name of the module's file, or of the command. */
function nameOf({ agent }: Settings): string {
  if (agent === undefined) return "lastcall";
  const name = basename(agent, extname(agent)).replaceAll(/[^\w-]/g, "-");
  return name.slice(0, 40) || "agent";
}

/** Characters of instructions that are shown to callers. */
const longestDescription = 500;

function describe({ description }: MadeAgent, { workdir }: Settings): string {
  if (description !== undefined && description !== "") return headOf(description, longestDescription);
  return `Works on a task in the folder ${basename(resolve(workdir))}: reads and changes its files, and runs commands there. It ends with a result, or with a question that it needs answered.`;
}

/** The parts that runs are shown with, and the signal that ends all runs. */
interface Shown extends Pick<Watching, "say"> {
  readonly onEvent: ReturnType<typeof watch>["onEvent"];
  readonly ending: ReturnType<typeof watch>["ending"];
  readonly signal: AbortSignal;
}

/** The agent, one run at a time: all runs work in one folder. `idle` resolves when no run is left. */
function oneAtATime(
  { agent, context, remarks }: MadeAgent,
  { onEvent, ending, signal, say }: Shown,
): { readonly agent: ServableAgent; idle(): Promise<void> } {
  let last: Promise<unknown> = Promise.resolve();
  const work: ServableAgent["run"] = async (input, options) => {
    const either = AbortSignal.any([options.signal, signal]);
    either.throwIfAborted();
    const outcome = await agent.run(input, {
      ...options,
      context,
      signal: either,
      onEvent(event) {
        onEvent(event);
        options.onEvent(event);
      },
    });
    [...remarks(), ...ending()].forEach(say);
    return outcome;
  };
  return {
    agent: {
      run(input, options) {
        const running = last.then(() => work(input, options));
        last = running.catch(() => undefined);
        return running;
      },
    },
    async idle() {
      await last;
    },
  };
}

/** The surface and the environment of the server. */
interface HttpPlace {
  readonly surface: Pick<Surface, "say" | "signal">;
  readonly env: Surroundings["env"];
}

/** Serves over HTTP until the signal aborts. Each request has to bring the token. */
async function overHttp(served: ServedAgents, port: number, { surface, env }: HttpPlace): Promise<void> {
  const { say, signal } = surface;
  const token = serverToken(env, "LASTCALL_MCP_TOKEN");
  const { mcpHandler } = await import("../../mcp/index.js");
  const listener = await serve(mcpHandler({ ...served, token: token.value }), {
    port,
    onError: (fault) => {
      say(visible(`A request failed: ${explain(fault)}`));
    },
  });
  const [name = ""] = Object.keys(served.agents);
  const url = `http://127.0.0.1:${String(listener.port)}/mcp`;
  const authorization = `Bearer ${token.shown}`;
  say(`Serving ${name}. For .mcp.json of the caller:`);
  say(JSON.stringify({ mcpServers: { [name]: { type: "http", url, headers: { authorization } } } }));
  try {
    await new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", () => {
        resolve();
      });
    });
  } finally {
    await listener.close();
  }
}
