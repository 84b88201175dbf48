// The kinds of ports that options take: checked by their methods, for callers without types.

import { holding, objectWith, withOneOf, type ValueKind } from "../data/settings.js";

const hookMethods = ["run", "request", "call", "claim", "fold", "veto"] as const;

/** The ports that options take. */
export type PortKind =
  "toolSource" | "model" | "agent" | "store" | "host" | "check" | "hook" | "budget" | "runtime" | "permission";

/** The ports as kinds of options. */
export const portKinds: Readonly<Record<PortKind, ValueKind>> = {
  model: objectWith(
    'a model, for example openai({ model: "..." }), or fromAiSdk(model) for a model of the AI SDK',
    "respond",
  ),
  agent: objectWith("an agent, made with createAgent({ ... })", "stream"),
  toolSource: holding("a source of tools, for example await mcpTools({ ... })", "tools"),
  store: objectWith('a store, for example fileStore("sessions")', "list", "read", "lock"),
  host: objectWith("a host, for example await hostInProcess({ agents, store })", "give", "schedule"),
  check: objectWith('a check, for example command("npm test")', "verify"),
  hook: withOneOf("a hook: an object with one of the methods " + hookMethods.join(", "), hookMethods),
  budget: objectWith("a budget, for example sharedLimits({ maxCost: 1 })", "reserve"),
  runtime: objectWith("a runtime, for example virtualClock()", "now", "sleep", "id"),
  permission: objectWith("a permission, for example gate({ root }), or an approver, which is a function", "decide"),
};
