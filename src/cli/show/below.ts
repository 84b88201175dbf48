// The agents that calls run: their calls as lines, and each agent's calls and tokens in a few words.

import type { Call, Event } from "../../core/index.js";
import { callLine, condensedLine, resultLine } from "./call-line.js";
import { count, indent, type Style } from "../display/quantities.js";

type ChildEvent = Extract<Event, { readonly type: "child-event" }>;

/** The agents of one call, with the agents below them. */
interface Agents {
  calls: number;
  tokens: number;
  readonly lines: string[];
}

/** The agents of the calls of a run. It must get all events in their order. */
export class Below {
  readonly #style: Style;
  /** By the ids of the calls of the run, in the order of their first events. */
  readonly #agents = new Map<string, Agents>();
  /** The calls of agents that run now, by their ids. */
  readonly #open = new Map<string, { readonly began: number; readonly call: Call }>();
  /** The lines of the calls of the run, by their ids. */
  readonly #heads = new Map<string, string>();

  constructor(style: Style) {
    this.#style = style;
  }

  /** Takes an event of the run. Returns the lines of an agent's call that begins or ends. */
  take(event: Event, at: number): readonly string[] {
    if (event.type === "run-start") {
      this.#agents.clear();
      this.#open.clear();
      this.#heads.clear();
    }
    if (event.type === "call-start") this.#heads.set(event.call.id, callLine(event.call, this.#style));
    return event.type === "child-event" ? this.#taken(event, at) : [];
  }

  /** The work of the agents of a call in a few words; undefined if it has run none. */
  summary(callId: string): string | undefined {
    const agents = this.#agents.get(callId);
    if (agents === undefined) return undefined;
    const { calls, tokens } = agents;
    return [count(calls, "call"), ...(tokens === 0 ? [] : [count(tokens, "token")])].join(", ");
  }

  /** All calls of the agents that the last run has called, one a line, below the call that ran them. */
  lines(): readonly string[] {
    return [...this.#agents].flatMap(([id, { lines }]) => [
      `${this.#heads.get(id) ?? ""} ${this.#style.dim(this.summary(id) ?? "")}`.trimStart(),
      ...lines,
    ]);
  }

  #taken({ path, event }: ChildEvent, at: number): readonly string[] {
    const [top = ""] = path;
    const agents = this.#agents.get(top) ?? { calls: 0, tokens: 0, lines: [] };
    this.#agents.set(top, agents);
    const lead = `${indent}${this.#style.dim("· ".repeat(path.length))}`;
    if (event.type === "reply-end") agents.tokens += event.reply.usage.inputTokens + event.reply.usage.outputTokens;
    // The call that ends an agent is no work.
    if (event.type === "claim-accepted") agents.calls -= 1;
    if (event.type === "call-start") {
      agents.calls += 1;
      this.#open.set(event.call.id, { began: at, call: event.call });
      return [`${lead}${callLine(event.call, this.#style)}`];
    }
    if (event.type !== "call-end") return [];
    const { began = at, call } = this.#open.get(event.result.callId) ?? {};
    this.#open.delete(event.result.callId);
    const end = { result: event.result, duration: at - began };
    if (call !== undefined) agents.lines.push(`${lead}${condensedLine(call, end, this.#style)}`);
    return [`${lead}${resultLine(call, end, this.#style)}`];
  }
}
