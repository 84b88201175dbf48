// The agents of a host by name: a session keeps the name of its agent.

import { LastcallError, type JsonObject } from "../core/index.js";
import type { HostAgent } from "./delivery/host-agent.js";

/** Agents by name. A new session that names none gets the first. */
export type Agents = Readonly<Record<string, HostAgent>>;

/** An agent and its name. */
export interface NamedAgent {
  readonly name: string;
  readonly agent: HostAgent;
}

/** A session that another program began. */
export interface ForeignSession {
  readonly id: string;
  /** The data that its host keeps with it. */
  readonly about: JsonObject;
}

/** Finds the agent of a session that another program began. Without one the session is only shown. */
export type AgentOf = (session: ForeignSession) => Promise<HostAgent | undefined>;

/** The name that the data of a session keeps; undefined for a new session, and for one of another program. */
export function nameIn(about: JsonObject | undefined): string | undefined {
  return typeof about?.["agent"] === "string" ? about["agent"] : undefined;
}

/** The data that a new session keeps of its agent. */
export function aboutOf(name: string): { readonly agent: string } {
  return { agent: name };
}

/** The name that a session has, and the name that the caller wants. */
export interface Wanted {
  readonly own: string | undefined;
  readonly wanted: string | undefined;
}

/**
 * The agent of a session: its own, the wanted agent, or the first.
 * @throws LastcallError `configuration` if there is no such agent, or if the session has another agent than is wanted.
 */
export function pickAgent(agents: Agents, id: string, { own, wanted }: Wanted): NamedAgent {
  const names = Object.keys(agents);
  const name = own ?? wanted ?? names[0] ?? "";
  const agent = Object.hasOwn(agents, name) ? agents[name] : undefined;
  const known = names.length === 0 ? "the host has none" : `the host has ${names.join(", ")}`;
  const missing = name === "" ? `There is no agent for the session ${id}` : `There is no agent ${name}`;
  if (agent === undefined) throw new LastcallError("configuration", `${missing}: ${known}.`);
  if (wanted === undefined || wanted === name) return { name, agent };
  throw new LastcallError("configuration", `The session ${id} is one of the agent ${name}, not of ${wanted}.`);
}
