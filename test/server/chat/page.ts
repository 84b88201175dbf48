// Pages in tests: the chat of the AI SDK itself, in both of its versions, over real HTTP.

import * as ai6 from "ai6";
import { Chat as Chat6 } from "ai6-react";
import * as ai7 from "ai7";
import { Chat as Chat7 } from "ai7-react";
import type { ChatUiMessage } from "../../../src/server/index.js";

/** The part of a chat that tests use. */
export interface Page {
  readonly messages: readonly ChatUiMessage[];
  readonly status: string;
  readonly error: Error | undefined;
  sendMessage(message: { text: string }): Promise<void>;
  addToolOutput(
    answer: { tool: string; toolCallId: string } & ({ output: unknown } | { state: "output-error"; errorText: string }),
  ): Promise<void>;
  addToolApprovalResponse(answer: { id: string; approved: boolean; reason?: string }): Promise<void>;
  regenerate(): Promise<void>;
  resumeStream(): Promise<void>;
  stop(): Promise<void>;
}

export type Version = 6 | 7;
export const versions: readonly Version[] = [6, 7];

export interface PageOptions {
  readonly url: string;
  readonly id?: string;
  readonly messages?: readonly ChatUiMessage[];
  readonly fetch?: typeof fetch;
  readonly onData?: (part: { type: string; data: unknown }) => void;
  /** The tools that the page carries out. */
  readonly tools?: Readonly<Record<string, object>>;
  readonly onToolCall?: (asked: { toolCall: { toolName: string; toolCallId: string; input: unknown } }) => void;
}

/** Opens a page of this version on a chat. It sends answers by itself, as the docs say. */
export function openPage(version: Version, { url, id = "c", messages = [], ...rest }: PageOptions): Page {
  const { DefaultChatTransport, ...ai } = version === 6 ? (ai6 as unknown as typeof ai7) : ai7;
  const Chat = version === 6 ? (Chat6 as unknown as typeof Chat7) : Chat7;
  return new Chat({
    id,
    messages: messages as never,
    ...(rest.onData && { onData: rest.onData }),
    ...(rest.onToolCall && { onToolCall: rest.onToolCall }),
    transport: new DefaultChatTransport({
      api: new URL("/chat", url).href,
      ...(rest.fetch && { fetch: rest.fetch }),
      ...(rest.tools && { body: { tools: rest.tools } }),
      prepareSendMessagesRequest: ({ id: chat, messages: all, trigger, messageId, body }) => ({
        body: { ...body, id: chat, messages: all.slice(-1), trigger, messageId },
      }),
    }),
    sendAutomaticallyWhen: (state) =>
      ai.lastAssistantMessageIsCompleteWithApprovalResponses(state) ||
      ai.lastAssistantMessageIsCompleteWithToolCalls(state),
  }) as unknown as Page;
}

/** The messages as plain JSON. */
export function plain(messages: readonly ChatUiMessage[]): readonly ChatUiMessage[] {
  return JSON.parse(JSON.stringify(messages)) as readonly ChatUiMessage[];
}

/** Resolves once a page is as expected; fails after ten seconds, and at once if the page has an error nobody expects. */
export async function until(isSo: () => boolean, what: string): Promise<void> {
  const end = Date.now() + 10_000;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`It never came: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
