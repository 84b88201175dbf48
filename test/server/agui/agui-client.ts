// A client of AG-UI in tests: the protocol's own HttpAgent, whose verifier throws on a breach, over a real server.

import { HttpAgent, type BaseEvent, type Message } from "@ag-ui/client";
import { expect, onTestFinished } from "vitest";
import { z } from "zod";
import {
  createAgent,
  tool,
  type Agent,
  type Check,
  type Model,
  type Permission,
  type Tool,
} from "../../../src/index.js";
import type { Host } from "../../../src/host/index.js";
import { memoryStore, openSession, type Store } from "../../../src/memory/index.js";
import {
  aguiMapper,
  aguiMessages,
  createHandler,
  serve,
  type AguiEvent,
  type AguiMessage,
  type HandlerOptions,
} from "../../../src/server/index.js";
import { call, scriptedModel, type Script } from "../../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";

/** A tool that changes something. */
export const write = tool({
  name: "write",
  description: "Writes",
  effect: "write",
  input: z.object({}),
  run: () => "wrote",
});

/** A reply that completes the task. */
export const done = [call("task_completion", { result: "Done." })];

interface Options {
  readonly tools?: readonly Tool[];
  readonly checks?: readonly Check[];
  readonly permission?: unknown;
  readonly onText?: string;
  readonly store?: Store;
  readonly handler?: Partial<HandlerOptions>;
}

/** A server with one agent. */
export interface Served {
  readonly url: string;
  readonly host: Host;
  readonly store: Store;
  /** Stops the server as a shutdown does. */
  readonly close: () => Promise<void>;
}

/** A server whose agent has this model, and can ask questions and complete its task. */
export async function served(
  script: Script | Model,
  { tools = [], checks = [], permission, onText, store = memoryStore(), handler = {} }: Options = {},
): Promise<Served> {
  const agent = createAgent({
    model: typeof script === "object" && "respond" in script ? script : scriptedModel(script),
    tools: [...tools, askQuestion(), taskCompletion()],
    checks,
    ...(onText !== undefined && { onText }),
    ...(permission !== undefined && { permission: permission as Permission }),
  }) as Agent;
  const agents = { worker: agent };
  const fetching = createHandler({ agents, store, ...handler });
  const server = await serve(fetching);
  const close = async (): Promise<void> => {
    await fetching.close({ timeout: 1000 });
    await server.close();
  };
  onTestFinished(close);
  return { url: server.url, host: fetching.host, store, close };
}

/** A client of the protocol with its events. */
export class Client {
  readonly agent: HttpAgent;
  readonly events: (BaseEvent & Record<string, unknown>)[] = [];
  readonly #served: Pick<Served, "url" | "store">;

  constructor(server: Pick<Served, "url" | "store">, threadId = "t", path = "agui") {
    this.#served = server;
    this.agent = new HttpAgent({ url: new URL(path, server.url).href, threadId });
    this.agent.subscribe({
      onEvent: ({ event }) => {
        this.events.push(event);
      },
    });
  }

  get messages(): readonly Message[] {
    return this.agent.messages;
  }

  /** Says something and takes part in the run. */
  async say(id: string, content: string): Promise<this> {
    this.agent.addMessage({ id, role: "user", content });
    return this.run();
  }

  async run(parameters: Parameters<HttpAgent["runAgent"]>[0] = {}): Promise<this> {
    this.events.length = 0;
    await this.agent.runAgent(parameters);
    return this;
  }

  /** Answers the interrupt. */
  async resume(payload: unknown, status: "resolved" | "cancelled" = "resolved"): Promise<this> {
    const interruptId = this.agent.pendingInterrupts[0]!.id;
    return this.run({ resume: [{ interruptId, status, ...(status === "resolved" && { payload }) }] });
  }

  /** The last event of the run. */
  get end(): BaseEvent & Record<string, unknown> {
    return this.events.at(-1)!;
  }

  types(): readonly string[] {
    return this.events.map(({ type }) => type);
  }

  /** The values of the custom events of a name. */
  custom(name: string): readonly unknown[] {
    return this.events.flatMap((event) => (event["name"] === `lastcall.${name}` ? [event["value"]] : []));
  }

  /** Live = replay: the client has the messages that follow from the journal alone, by the fold and by a mapper over records. */
  async expectReplay(): Promise<void> {
    const threadId = this.agent.threadId;
    const { records } = await openSession({ store: this.#served.store, id: threadId }).toJSON();
    const shown = this.agent.messages.filter(({ role }) => role !== "reasoning");
    expect(shown).toEqual(aguiMessages(threadId, records));
    const mapper = aguiMapper({ threadId, runId: "replay", inputId: "none" });
    const events = [...mapper.start(), ...records.flatMap((record) => mapper.frame({ cursor: "", record }))];
    expect(applied(events)).toEqual(shown);
  }
}

/** A message as a client keeps it. */
interface Kept {
  readonly id: string;
  readonly role: string;
  content?: string;
  toolCalls?: {
    readonly id: string;
    readonly type: string;
    readonly function: { readonly name: string; arguments: string };
  }[];
  readonly toolCallId?: string;
  readonly metadata?: unknown;
}

/** The messages of a client that has some and got these events, without the client's package. */
export function applied(events: readonly AguiEvent[], before: readonly AguiMessage[] = []): readonly AguiMessage[] {
  let messages = structuredClone([...before]) as Kept[];
  const keep = (message: Kept): Kept => {
    const known = messages.find(({ id }) => id === message.id);
    if (known === undefined) messages.push(message);
    return known ?? message;
  };
  const callOf = (callId: string) =>
    messages.flatMap(({ toolCalls = [] }) => toolCalls).find(({ id }) => id === callId);
  for (const event of events) {
    if (event.type === "MESSAGES_SNAPSHOT") {
      const told = new Map((structuredClone(event.messages) as Kept[]).map((message) => [message.id, message]));
      const hasReasoning = event.messages.some(({ role }) => role === "reasoning");
      const kept = messages.filter(({ id, role }) => told.has(id) || (role === "reasoning" && !hasReasoning));
      const added = [...told.values()].filter(({ id }) => !kept.some((one) => one.id === id));
      messages = [...kept.map((one) => told.get(one.id) ?? one), ...added];
    } else if (event.type === "TEXT_MESSAGE_START" || event.type === "REASONING_MESSAGE_START") {
      keep({ id: event.messageId, role: event.role, content: "" });
    } else if (event.type === "TEXT_MESSAGE_CONTENT" || event.type === "REASONING_MESSAGE_CONTENT") {
      const message = messages.find(({ id }) => id === event.messageId)!;
      message.content = (message.content ?? "") + event.delta;
    } else if (event.type === "TOOL_CALL_START") {
      if (callOf(event.toolCallId) !== undefined) continue;
      const made = { id: event.toolCallId, type: "function", function: { name: event.toolCallName, arguments: "" } };
      (keep({ id: event.parentMessageId, role: "assistant" }).toolCalls ??= []).push(made);
    } else if (event.type === "TOOL_CALL_ARGS") {
      callOf(event.toolCallId)!.function.arguments += event.delta;
    } else if (event.type === "TOOL_CALL_RESULT") {
      const { messageId: id, toolCallId, content, role, metadata } = event;
      let at = messages.findIndex(({ toolCalls = [] }) => toolCalls.some((one) => one.id === toolCallId)) + 1;
      while (messages[at]?.role === "tool") at += 1;
      messages.splice(at, 0, { id, role, toolCallId, content, ...(metadata && { metadata }) });
    }
  }
  return messages as readonly AguiMessage[];
}
