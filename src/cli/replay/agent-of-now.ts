// The agent of the options, made for a replay: as a resume makes it, but without a model, a key or a person.

import { LastcallError, type Definition, type JournalRecord, type Model, type Session } from "../../core/index.js";
import { openSession } from "../../memory/index.js";
import { askQuestion, giveUp, taskCompletion } from "../../tools/index.js";
import type { Settings } from "../args/args.js";
import { makeChatAgent } from "../chat/agent-in-use.js";
import type { Surface, Surroundings } from "../person/surface.js";
import { findId, storeFor } from "../sessions/sessions.js";
import { makeAgent, type MadeAgent } from "../task/make-agent.js";
import { prepare, type Prepared } from "../task/prepare.js";

/** The agent of the options, with its needs. The caller closes it. */
export interface AgentOfNow extends Pick<Prepared, "needs" | "close"> {
  readonly made: MadeAgent;
}

/** A stored session, and the folder that it worked in. */
export interface ReadSession {
  readonly session: Session;
  /** Undefined for a session that the command did not begin. */
  readonly workdir: string | undefined;
}

/** Reads the stored session with this id, or the only session whose id begins so. */
export async function readSession(settings: Settings, { env }: Surroundings, id: string): Promise<ReadSession> {
  const store = await storeFor(settings, env);
  const stored = openSession({ store, id: await findId(store, id) });
  const { workdir } = (await stored.about()) ?? {};
  return { session: await stored.toJSON(), workdir: typeof workdir === "string" ? workdir : undefined };
}

/** Makes the agent. It has the tools of a conversation if the session is one. */
export async function agentOfNow(
  settings: Settings,
  { session, around, surface }: { readonly session: Session; readonly around: Surroundings; readonly surface: Surface },
): Promise<AgentOfNow> {
  const isConversation = Object.hasOwn(lastDefinition(session.records)?.tools ?? {}, "converse");
  const order: Settings["order"] = isConversation ? { do: "chat", id: session.id } : settings.order;
  const contact = { person: undefined, surface, model: silentModel(settings, session) };
  const { needs, close } = await prepare({ ...settings, order }, around, contact);
  try {
    const parts = { ...needs, approver: undefined };
    const endings = [taskCompletion(), askQuestion(), giveUp()];
    const made = isConversation ? await makeChatAgent(parts, []) : await makeAgent(parts, { endings });
    return { needs, close, made };
  } catch (thrown) {
    await close();
    throw thrown;
  }
}

/** A model that can't be asked. It has the name of the options, or else of the session. */
function silentModel({ model }: Settings, { records }: Session): Model {
  const name = model ?? lastDefinition(records)?.model;
  return {
    name: name ?? "recorded",
    provider: "recorded",
    respond: () => {
      throw new LastcallError("bug", "A replay asks no model.");
    },
  };
}

function lastDefinition(records: readonly JournalRecord[]): Definition | undefined {
  return records.flatMap((record) => ("definition" in record ? [record.definition] : [])).at(-1);
}
