// The oracle over prompts: each request must extend the previous request, so that the provider's prompt cache stays
// valid.

import type { Event } from "../../core/index.js";
import { demand, show } from "./demand.js";
import type { SeenRequest } from "../scripted/scripted-model.js";
import type { ProviderRequest } from "../scripted/scripted-provider.js";

/** The number of requests that extended the previous prompt, and of requests that rewrote it. Retries count as kept. */
export interface PrefixCounts {
  readonly kept: number;
  readonly rewritten: number;
}

/** A request as a list of parts to compare: the system prompt with the tools, and each message. */
type Prompt = readonly unknown[];

/**
 * Compares every request with the previous request. It must extend that byte for byte, unless a `prompt-rewrite` event declared
 * the change. Requests of a scripted model are matched with the events by key. Requests to a provider have no key, so each
 * rewrite there uses up one declared rewrite.
 * @throws Error that names the request and the message at which an undeclared rewrite begins.
 */
export function assertPrefixStable(
  requests: readonly (SeenRequest | ProviderRequest)[],
  events: readonly Event[],
): PrefixCounts {
  const declared = declaredRewrites(events, new Set(requests.flatMap((request) => keyOf(request) ?? [])));
  const prompts = requests.map(promptOf);
  let budget = events.filter(({ type }) => type === "prompt-rewrite").length;
  let rewritten = 0;
  for (const [index, prompt] of prompts.entries()) {
    const before = prompts[index - 1] ?? [];
    const broken = before.findIndex((part, position) => !isSame(part, prompt[position]));
    if (broken < 0) continue;
    const request = requests[index];
    const key = request && keyOf(request);
    const where = `Request ${String(index + 1)}${key === undefined ? "" : ` (${key})`}`;
    const what = broken === 0 ? "its system prompt or tools" : `message ${String(broken - 1)}`;
    demand(
      key === undefined ? budget > 0 : declared.has(key),
      `${where} rewrites the prompt from ${what} on, and no prompt-rewrite said so. It was ${show(before[broken])} and is ${show(prompt[broken])}.`,
    );
    budget -= 1;
    rewritten += 1;
  }
  return { kept: Math.max(0, requests.length - 1) - rewritten, rewritten };
}

/** The keys of the requests with a declared rewrite. A rewrite before a request that was not recorded counts for the next request. */
function declaredRewrites(events: readonly Event[], seen: ReadonlySet<string>): ReadonlySet<string> {
  const declared = new Set<string>();
  let isPending = false;
  for (const event of events) {
    if (event.type === "prompt-rewrite") isPending = true;
    if (event.type !== "request-start" || !seen.has(event.key)) continue;
    if (isPending) declared.add(event.key);
    isPending = false;
  }
  return declared;
}

function keyOf(request: SeenRequest | ProviderRequest): string | undefined {
  return "key" in request ? request.key : undefined;
}

function promptOf(request: SeenRequest | ProviderRequest): Prompt {
  if ("body" in request) {
    const { tools, instructions, messages, input } = request.body;
    return input === undefined ? [tools, ...messages] : [[instructions, tools], ...input];
  }
  return [[request.system, request.tools], ...request.messages];
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
