// A server with a chat in tests, and the comparison of what its pages see with what its journal says.

import * as ai6 from "ai6";
import * as ai7 from "ai7";
import { expect, onTestFinished } from "vitest";
import { z } from "zod";
import { createAgent, tool, type Agent } from "../../../src/index.js";
import type { Host } from "../../../src/host/index.js";
import { memoryStore, type Store } from "../../../src/memory/index.js";
import { createHandler, serve } from "../../../src/server/index.js";
import type { ChatUiMessage, HandlerOptions } from "../../../src/server/index.js";
import { call, scriptedModel, type Script, type Step } from "../../../src/testing/index.js";
import { askQuestion, converse, taskCompletion } from "../../../src/tools/index.js";
import { ask } from "../client.js";
import { openPage, plain, type Page, type Version } from "./page.js";

/** The last reply of most scripts, in several pieces. */
export const done: Step = { calls: [call("task_completion", { result: "All is well." })], piece: 4 };

/** The tools of most tests: `write` needs an approval, `look` fails below zero. */
export function toolsOf(ran: string[]) {
  return [
    tool({
      name: "write",
      description: "Writes",
      effect: "write",
      input: z.object({ text: z.string() }),
      run: ({ text }) => {
        ran.push(text);
        return `wrote ${text}`;
      },
    }),
    tool({
      name: "look",
      description: "Looks",
      effect: "read",
      input: z.object({ at: z.number() }),
      run: ({ at }) => {
        if (at < 0) throw new Error("There is nothing below.");
        return `saw ${String(at)}`;
      },
    }),
    askQuestion(),
    converse(),
    taskCompletion(),
  ] as const;
}

export interface Served {
  readonly url: string;
  readonly host: Host;
  readonly store: Store;
  readonly ran: string[];
}

export interface ServedOptions {
  readonly version: Version;
  readonly store?: Store;
  readonly ran?: string[];
  /** Options of the agent in place of the usual ones. */
  readonly agent?: object;
  readonly handler?: Partial<HandlerOptions>;
}

/** A server with an agent that has this script. */
export async function serving(script: Script, options: ServedOptions): Promise<Served> {
  const { version, store = memoryStore(), ran = [], agent = {}, handler = {} } = options;
  const worker = createAgent({
    model: scriptedModel(script),
    tools: toolsOf(ran),
    permission: () => ({ later: true, reason: "it writes" }),
    ...agent,
  }) as Agent;
  const agents = { worker };
  const fetching = createHandler({ agents, store, chat: { version }, ...handler });
  const { url, close } = await serve(fetching);
  onTestFinished(async () => {
    await fetching.close({ timeout: 100 });
    await close();
  });
  return { url, host: fetching.host, store, ran };
}

/** The messages that the journal has. */
export async function messagesOf(url: string, id = "c"): Promise<readonly ChatUiMessage[]> {
  return ((await ask(url, `/chat/${id}/messages`)).body as { messages: readonly ChatUiMessage[] }).messages;
}

/** Posts to the chat. */
export function post(url: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(new URL("/chat", url), { method: "POST", headers, body: JSON.stringify(body) });
}

/** The chunks of an answer that streams a message. */
export async function chunksOf(response: Response): Promise<readonly Record<string, unknown>[]> {
  const text = await response.text();
  const data = [...text.matchAll(/^data: (.*)$/gm)].map(([, json = ""]) => json);
  expect(data.at(-1)).toBe("[DONE]");
  return data.slice(0, -1).map((json) => JSON.parse(json) as Record<string, unknown>);
}

/** The message that the AI SDK of this version makes of chunks. */
export async function messageOf(version: Version, chunks: readonly object[]): Promise<ChatUiMessage> {
  const { readUIMessageStream } = version === 6 ? (ai6 as unknown as typeof ai7) : ai7;
  const stream = new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  let last: unknown;
  for await (const message of readUIMessageStream({ stream: stream as never, onError: () => undefined }))
    last = message;
  return plain([last as ChatUiMessage])[0]!;
}

/**
 * The page, the journal, a page that comes later, and a replay of each message from its start have the same messages. Version 6 has no
 * chunk for the answer to an approval, so a replay lacks it there.
 */
export async function expectSame(page: Page, { url }: Pick<Served, "url">, version: Version): Promise<void> {
  const journal = await messagesOf(url);
  expect(plain(page.messages)).toEqual(journal);
  const later = openPage(version, { url, messages: journal });
  await later.resumeStream();
  expect([later.status, plain(later.messages)]).toEqual(["ready", journal]);
  for (const [index, message] of journal.entries()) {
    if (message.role !== "user") continue;
    // Words that were said before are no new words: their reply is told again.
    const chunks = await chunksOf(await post(url, { id: "c", messages: [message] }));
    const replayed = await messageOf(version, chunks);
    expect(version === 6 ? bare(replayed) : replayed).toEqual(
      version === 6 ? bare(journal[index + 1]!) : journal[index + 1],
    );
  }
}

/** The message without the answers to its approvals. */
function bare(message: ChatUiMessage): ChatUiMessage {
  const parts = message.parts.map((part) => {
    const { approval, ...rest } = part;
    if (approval === undefined) return part;
    const { approved: _approved, reason: _reason, ...asked } = approval as Record<string, unknown>;
    return { ...rest, approval: asked };
  });
  return { ...message, parts: parts as ChatUiMessage["parts"] };
}

export const partsOf = (page: Pick<Page, "messages">): ChatUiMessage["parts"] => page.messages.at(-1)?.parts ?? [];

/** The text of each message. */
export const textsOf = ({ messages }: Pick<Page, "messages">): readonly string[] =>
  messages.map(({ parts }) => parts.flatMap((part) => (part.type === "text" ? [String(part["text"])] : [])).join("|"));

/** The parts of calls in the last message. */
export const callsOf = (page: Pick<Page, "messages">): readonly Record<string, unknown>[] =>
  partsOf(page).filter(({ type }) => type === "dynamic-tool");

/** The id of the approval that the call of this place is asked for. */
export const approvalIn = (page: Pick<Page, "messages">, place = 0): string =>
  (callsOf(page)[place]?.["approval"] as { readonly id: string }).id;
