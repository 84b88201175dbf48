// Speakers: the agents that a run can be handed over to, and their parts within that run.

import { LastcallError } from "../data/fault.js";
import type { Limits, LimitsThatAsk } from "../ports/limit.js";
import { expectedPrice, unpriced } from "../journal/spent.js";
import type { AgentParts } from "../run/run.js";
import { redactWarnings } from "../run/redaction.js";
import { everyRedactor, type Redactor } from "../secret/redact.js";
import type { Tool } from "../ports/tool.js";

/** The key of an agent's parts. Another copy of this package finds them, too: a module of the command may have its own. */
const key = Symbol.for("lastcall.agent");

/** Keeps the parts of an agent with it, so that other agents can hand over to it. */
export function registerAgent(agent: object, parts: AgentParts): void {
  Object.defineProperty(agent, key, { value: parts });
}

/** The parts of an agent; undefined if `createAgent` did not make it. */
export function partsOf(agent: object): AgentParts | undefined {
  return (agent as { readonly [key]?: AgentParts })[key];
}

/** All tools that a run with these tools can come to, by hand-overs too. */
export function reachableTools(tools: readonly Tool[]): readonly Tool[] {
  return [...tools, ...nextOf(tools).flatMap(([, parts]) => reachableTools(parts.tools.all))];
}

/**
 * The parts of an agent that may hand over, complete for a run that begins with it. Secrets of every agent are redacted from the start.
 * @throws LastcallError `configuration` if it hands over to something that is no agent, to two agents of one name, or to a model that has
 * no price while a limit needs one.
 */
export function withHandOvers(own: AgentParts): AgentParts {
  const next = nextOf(own.tools.all);
  if (next.length === 0) return own;
  const secrets = everyRedactor([own.secrets, ...next.map(([, parts]) => parts.secrets)]);
  const first: AgentParts = {
    ...own,
    secrets,
    runtime: redactWarnings(secrets, own.runtime),
    partsOf: (speakers) => speakers.reduce(speakingAfter, first),
  };
  for (const [name] of next) checkPrices(first, [name]);
  return first;
}

/** The parts of an agent within a run of another, which redacts the secrets of that run too. */
export function guardedParts(own: AgentParts, around: Redactor): AgentParts {
  const secrets = everyRedactor([own.secrets, around]);
  if (secrets === own.secrets) return own;
  const { partsOf } = own;
  return {
    ...own,
    secrets,
    runtime: redactWarnings(secrets, own.runtime),
    ...(partsOf !== undefined && { partsOf: (speakers) => guardedParts(partsOf(speakers), around) }),
  };
}

/** The agents that one of the tools hands over to, by name. */
function nextOf(tools: readonly Tool[]): readonly (readonly [string, AgentParts])[] {
  const names = new Set<string>();
  return tools.flatMap(({ name: tool, handsOver }) =>
    Object.entries(handsOver?.agents ?? {}).map(([name, agent]) => {
      const parts = partsOf(agent);
      if (parts === undefined)
        throw wrong(`${tool} hands over to "${name}", which is no agent`, "give what createAgent made");
      if (names.has(name)) throw wrong(`Two hand-overs of one agent name "${name}"`, "give one of them another name");
      names.add(name);
      return [name, parts] as const;
    }),
  );
}

/** The parts of the next agent in a run that another agent began: its own, within the limits and with the hooks of that run. */
function speakingAfter(before: AgentParts, name: string): AgentParts {
  const [, next] = nextOf(before.tools.all).find(([one]) => one === name) ?? [];
  if (next === undefined)
    throw wrong(
      `The session was handed over to ${name}, and no tool of the agent hands over to it`,
      "give it that tool again",
    );
  const limits = tighter(before.limits, next.limits);
  const { secrets, runtime } = before;
  const hooks = [...before.hooks, ...next.hooks.filter((hook) => !before.hooks.includes(hook))];
  const startsEarly = next.startsEarly && hooks.every(({ call }) => call === undefined);
  return { ...next, limits, price: expectedPrice(next.model, limits.prices), hooks, startsEarly, secrets, runtime };
}

/** The limits of both, counted over the whole run: each limit is the lower of the two agents' limits. Shares are the first agent's. */
function tighter(one: Limits, other: Limits): Limits {
  const least = (a: number | undefined, b: number | undefined): number | undefined =>
    a === undefined || b === undefined ? (a ?? b) : Math.min(a, b);
  return {
    maxIterations: least(one.maxIterations, other.maxIterations),
    timeout: least(one.timeout, other.timeout),
    maxTokens: least(one.maxTokens, other.maxTokens),
    maxCost: least(one.maxCost, other.maxCost),
    iterationTimeout: least(one.iterationTimeout, other.iterationTimeout),
    toolTimeout: least(one.toolTimeout, other.toolTimeout),
    prices: { ...other.prices, ...one.prices },
    warnAt: one.warnAt,
    reserve: one.reserve,
    ask: askOf(one, other),
  };
}

/** The limits of the first agent that ask, without those that are lower for the other agent. */
function askOf(one: Limits, other: Limits): LimitsThatAsk | undefined {
  if (one.ask === undefined) return undefined;
  const { maxIterations, timeout, maxTokens, maxCost } = one.ask;
  const isOwn = (name: keyof LimitsThatAsk): boolean => (one[name] ?? Infinity) <= (other[name] ?? Infinity);
  return {
    ...(isOwn("maxIterations") && { maxIterations }),
    ...(isOwn("timeout") && { timeout }),
    ...(isOwn("maxTokens") && { maxTokens }),
    ...(isOwn("maxCost") && { maxCost }),
  };
}

/** Checks that a limit on the cost can count every model, however far the run is handed over. */
function checkPrices(first: AgentParts, speakers: readonly string[]): void {
  const { limits, model, tools } = speakers.reduce(speakingAfter, first);
  const missing = limits.maxCost === undefined ? undefined : unpriced(model, limits.prices);
  if (missing !== undefined) {
    throw wrong(`limits.maxCost needs what ${missing} of ${speakers.join(", ")} costs`, "add it to limits.prices");
  }
  for (const [name] of nextOf(tools.all)) checkPrices(first, [...speakers, name]);
}

function wrong(problem: string, remedy: string): LastcallError {
  return new LastcallError("configuration", `${problem}: ${remedy}.`);
}
