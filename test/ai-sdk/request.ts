// Requests to a model, and all that it answers.

import {
  noUsage,
  type Message,
  type Model,
  type ModelEvent,
  type ModelRequest,
  type WrittenReply,
} from "../../src/core/index.js";

/** A request with one tool, in which the user says go. */
export function requestOf(changes: Partial<ModelRequest> = {}): ModelRequest {
  return {
    key: "s/1/model:1",
    system: "Look things up.",
    messages: [{ role: "user", text: "Go." }],
    tools: [
      {
        name: "lookup",
        description: "Looks up a key",
        parameters: { type: "object", properties: { key: { type: "string" } }, required: ["key"] },
      },
    ],
    needsCall: true,
    ...changes,
  };
}

/** The messages that follow a reply with results: all succeed, or the one at `failed` does not. */
export function continued(reply: WrittenReply, { failed }: { readonly failed?: number } = {}): readonly Message[] {
  const calls = reply.calls.map((call, index) => ({ ...call, id: `s/1/call:1:${String(index)}` }));
  return [
    { role: "user", text: "Go." },
    { role: "assistant", reply: { ...reply, calls } },
    ...calls.map(
      ({ id }, index) => ({ role: "tool", callId: id, text: `result ${String(index)}`, ok: index !== failed }) as const,
    ),
  ];
}

/** A reply of words, by nobody in particular. */
export function spoken(text: string): Message {
  return { role: "assistant", reply: { text, calls: [], finish: "complete", usage: noUsage } };
}

/** All that a model answers to a request. */
export interface Answered {
  readonly events: readonly ModelEvent[];
  readonly reply: WrittenReply | undefined;
  readonly fault: unknown;
}

/** Asks once. */
export async function ask(model: Model, request: ModelRequest = requestOf(), signal?: AbortSignal): Promise<Answered> {
  const events: ModelEvent[] = [];
  const source = model.respond(request, signal ?? new AbortController().signal);
  try {
    for (;;) {
      const next = await source.next();
      if (next.done === true) return { events, reply: next.value, fault: undefined };
      events.push(next.value);
    }
  } catch (fault) {
    return { events, reply: undefined, fault };
  }
}
