// The route of AG-UI: a run for a client of that protocol, its events as server-sent events.

import { explain } from "../../core/internal.js";
import { openSession } from "../../memory/index.js";
import type { AguiEvent } from "../agui/agui-event.js";
import { readAguiInput, type AguiInput } from "../agui/agui-input.js";
import { runAgui } from "../agui/agui-run.js";
import type { SpokenTools } from "../chat/reply-parts.js";
import type { Hub } from "../hub/hub.js";
import { stopWith } from "../answer/client-stop.js";
import { sse, type SentEvent } from "../answer/event-stream.js";
import { BadRequest, objectIn } from "../answer/json-answer.js";

/** The request, and the things that the route works with. */
export interface AguiRouted {
  readonly hub: Hub;
  readonly request: Request;
  /** The name of the agent that the path names; empty without one. */
  readonly id: string;
  readonly maxBody: number;
  readonly keepAlive: number | undefined;
  readonly chat: { readonly spoken: SpokenTools };
}

/** Starts a run, or shows the run that has the same input. The answer is a stream of its events, which ends with the run. */
export async function postAgui({ hub, request, id, maxBody, keepAlive, chat }: AguiRouted): Promise<Response> {
  const agent = id === "" ? undefined : id;
  if (agent !== undefined && !hub.agents.includes(agent)) throw new BadRequest(404, `There is no agent ${agent}.`);
  const input = readInput(await objectIn(request, maxBody), hub);
  const stop = stopWith(request);
  const events = await runAgui(input, { hub, agent, words: chat.spoken, signal: stop.signal });
  return sse(sent(events), { stop, keepAlive });
}

/** @throws BadRequest for a body that is no input, and for a thread that can't be a session. */
function readInput(body: unknown, { store }: Hub): AguiInput {
  try {
    const input = readAguiInput(body);
    openSession({ store, id: input.threadId });
    return input;
  } catch (thrown) {
    throw new BadRequest(400, explain(thrown));
  }
}

async function* sent(events: AsyncGenerator<AguiEvent, void, void>): AsyncGenerator<SentEvent, void, void> {
  try {
    for await (const event of events) yield { data: JSON.stringify(event) };
  } finally {
    await events.return();
  }
}
