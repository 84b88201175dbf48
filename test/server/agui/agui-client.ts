// A client of AG-UI in tests: the protocol's own HttpAgent, whose verifier throws on a breach, over a real server.

import { HttpAgent, type BaseEvent, type Message } from "@ag-ui/client";
import { expect, onTestFinished } from "vitest";
import { createAgent, type Agent, type AgentOptions, type Model } from "../../../src/index.js";
import { memoryStore, openSession, type Store } from "../../../src/memory/index.js";
import {
  aguiMapper,
  aguiMessages,
  createHandler,
  createHub,
  serve,
  type AguiEvent,
  type AguiMessage,
  type HandlerOptions,
  type Hub,
} from "../../../src/server/index.js";
import { call, scriptedModel, type Script } from "../../../src/testing/index.js";
import { askQuestion, taskCompletion } from "../../../src/tools/index.js";

/** A reply that completes the task. */
export const done = [call("task_completion", { result: "Done." })];

type Options = Partial<Omit<AgentOptions<never>, "model">>;

/** A server with one agent. */
export interface Served {
  readonly url: string;
  readonly hub: Hub;
  readonly store: Store;
  /** Stops the server as a shutdown does. */
  readonly close: () => Promise<void>;
}

export async function served(
  script: Script | Model,
  {
    tools = [],
    store = memoryStore(),
    handler = {},
    ...options
  }: Options & {
    readonly tools?: readonly unknown[];
    readonly store?: Store;
    readonly handler?: Partial<HandlerOptions>;
  } = {},
): Promise<Served> {
  const agent = createAgent({
    model: typeof script === "object" && "respond" in script ? script : scriptedModel(script),
    ...options,
    tools: [...tools, askQuestion(), taskCompletion()] as never,
  }) as unknown as Agent;
  const hub = createHub({ agents: { worker: agent }, store });
  const server = await serve(createHandler({ hub, ...handler }));
  const close = async (): Promise<void> => {
    await hub.close({ grace: 1000 });
    await server.close();
  };
  onTestFinished(close);
  return { url: server.url, hub, store, close };
}

/** A client of the protocol with its events. */
export class Client {
  readonly agent: HttpAgent;
  readonly events: (BaseEvent & Record<string, unknown>)[] = [];
  readonly #served: Served;

  constructor(server: Served, threadId = "t", path = "agui") {
    this.#served = server;
    this.agent = new HttpAgent({ url: new URL(path, server.url).href, threadId });
    this.agent.subscribe({
      onEvent: ({ event }) => {
        this.events.push(event as never);
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

/** The messages of a client that has some and got these events, without the client's package. */
export function applied(events: readonly AguiEvent[], before: readonly AguiMessage[] = []): readonly AguiMessage[] {
  let messages: any[] = structuredClone([...before]);
  const of = (id: string): any => messages.find((message) => message.id === id);
  const callOf = (id: string): any =>
    messages.flatMap(({ toolCalls = [] }) => toolCalls).find((one: { id: string }) => one.id === id);
  for (const event of events) {
    if (event.type === "MESSAGES_SNAPSHOT") {
      const told = new Map<string, unknown>(event.messages.map((message) => [message.id, structuredClone(message)]));
      const hasReasoning = event.messages.some(({ role }) => role === "reasoning");
      const ids = new Set(messages.map(({ id }) => id));
      const kept = messages.filter(({ id, role }) => told.has(id) || (role === "reasoning" && !hasReasoning));
      const added = event.messages.filter(({ id }) => !ids.has(id));
      messages = [...kept.map((one) => told.get(one.id) ?? one), ...structuredClone(added)];
    } else if (event.type === "TEXT_MESSAGE_START" || event.type === "REASONING_MESSAGE_START") {
      if (of(event.messageId) === undefined) messages.push({ id: event.messageId, role: event.role, content: "" });
    } else if (event.type === "TEXT_MESSAGE_CONTENT" || event.type === "REASONING_MESSAGE_CONTENT") {
      of(event.messageId).content = (of(event.messageId).content ?? "") + event.delta;
    } else if (event.type === "TOOL_CALL_START") {
      if (callOf(event.toolCallId) !== undefined) continue;
      if (of(event.parentMessageId) === undefined) messages.push({ id: event.parentMessageId, role: "assistant" });
      const made = { id: event.toolCallId, type: "function", function: { name: event.toolCallName, arguments: "" } };
      (of(event.parentMessageId).toolCalls ??= []).push(made);
    } else if (event.type === "TOOL_CALL_ARGS") {
      callOf(event.toolCallId).function.arguments += event.delta;
    } else if (event.type === "TOOL_CALL_RESULT") {
      const { messageId: id, toolCallId, content, role, metadata } = event;
      const has = ({ toolCalls = [] }: any): boolean => toolCalls.some((one: { id: string }) => one.id === toolCallId);
      let at = messages.findIndex(has) + 1;
      while (messages[at]?.role === "tool") at += 1;
      messages.splice(at, 0, { id, role, toolCallId, content, ...(metadata && { metadata }) });
    }
  }
  return messages;
}
