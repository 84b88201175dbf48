// The messages of a chat, from the journal alone.

import type { JournalRecord } from "../../core/index.js";
import { ChatMapper, type MapperOptions } from "./chat-mapper.js";
import { GrowingMessage } from "./ui-message.js";
import type { ChatUiMessage } from "./ui-chunk.js";

/** The messages that the records of a session make, oldest first. The last may still grow. */
export function chatMessages(
  records: readonly JournalRecord[],
  options: Omit<MapperOptions, "toPage">,
): readonly ChatUiMessage[] {
  const mapper = new ChatMapper({ ...options, toPage: false });
  const messages: (ChatUiMessage | GrowingMessage)[] = [];
  let growing: GrowingMessage | undefined;
  for (const record of records)
    for (const news of mapper.record(record)) {
      if (news.type === "user") messages.push(news.message);
      else if (news.type === "begin") messages.push((growing = new GrowingMessage(news.id)));
      else if (news.type === "chunk") growing?.add(news.chunk);
    }
  return messages.map((message) => (message instanceof GrowingMessage ? message.message : message));
}
