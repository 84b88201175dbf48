// The stream of one message of a chat: the chunks that a page gets for it, from frames.

import type { Frame } from "../feed/frame.js";
import { ChatMapper, type MapperOptions, type Told } from "./chat-mapper.js";
import type { ChatChunk } from "./ui-chunk.js";

/** The message that a page reads, and the part that the page lacks. */
export interface StreamedMessage {
  readonly messageId: string;
  /** The number of the first record that the page has not seen. 0 for all of the message. */
  readonly from: number;
  /** The end of a run in a record with a smaller number is not the end of the stream: something went on after it. */
  readonly endsFrom: number;
}

/** The frames of the session from its beginning, and the way in which they become chunks. */
export interface StreamSource {
  readonly frames: AsyncGenerator<Frame, void, void>;
  readonly options: Omit<MapperOptions, "toPage">;
}

/**
 * Yields the chunks of a message until its run ends, or until words of the user end it. If the frames end first, so does the stream,
 * without an end of the message: the page connects again.
 */
export async function* messageChunks(
  { frames, options }: StreamSource,
  { messageId, from, endsFrom }: StreamedMessage,
): AsyncGenerator<ChatChunk, boolean, void> {
  const mapper = new ChatMapper({ ...options, toPage: true });
  let isInside = false;
  yield { type: "start", messageId };
  try {
    for await (const frame of frames) {
      const told = tell(mapper, frame);
      // The journal is a different journal: the page has to load its messages again.
      if (told === undefined) return false;
      const seq = "record" in frame ? frame.record.seq : Infinity;
      for (const one of told) {
        if (one.type === "begin") {
          if (isInside) {
            yield { type: "finish", finishReason: "other" };
            return true;
          }
          isInside = one.id === messageId;
        } else if (!isInside || one.type === "user") continue;
        else if (one.type === "chunk") {
          if (seq >= from) yield one.chunk;
        } else if (seq >= endsFrom) {
          yield one.chunk;
          return true;
        }
      }
    }
    return false;
  } finally {
    await frames.return();
  }
}

function tell(mapper: ChatMapper, frame: Frame): readonly Told[] | undefined {
  if ("record" in frame) return mapper.record(frame.record);
  if ("event" in frame) return mapper.event(frame.event);
  return undefined;
}
