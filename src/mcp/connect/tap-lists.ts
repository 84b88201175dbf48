// Taps lists: takes the tools out of a server's answers as they were sent. The package refuses a whole list for one bad tool in it.

import { isPlainObject } from "../../core/internal.js";
import type { McpTransport } from "./package.js";

/** The tools that were taken out. */
export interface TappedLists {
  /** Runs one request of a list, after the requests before it, and returns the tools of its answer and the cursor of the next page. */
  next(
    request: () => Promise<{ nextCursor?: string | undefined }>,
  ): Promise<{ readonly tools: readonly unknown[]; readonly next: string | undefined }>;
}

type Receive = (message: unknown, ...more: readonly unknown[]) => void;

/** Lets the client of this transport see only empty lists of tools, and keeps what was in them. */
export function tapLists(transport: McpTransport): TappedLists {
  const asked = new Set<unknown>();
  let taken: readonly unknown[] = [];
  let last: Promise<unknown> = Promise.resolve();
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (isPlainObject(message) && message["method"] === "tools/list") asked.add(message["id"]);
    return send(message, options);
  };
  const emptied = (message: unknown): unknown => {
    if (!isPlainObject(message) || !asked.delete(message["id"])) return message;
    const { result } = message;
    if (!isPlainObject(result) || !Array.isArray(result["tools"])) return message;
    taken = result["tools"];
    return { ...message, result: { ...result, tools: [] } };
  };
  let receive: Receive | undefined;
  const tapped: Receive = (message, ...more) => receive?.(emptied(message), ...more);
  Object.defineProperty(transport, "onmessage", {
    get: () => receive && tapped,
    set: (given: Receive | undefined) => {
      receive = given === tapped ? receive : given;
    },
    configurable: true,
    enumerable: true,
  });
  return {
    next(request) {
      const reading = last.then(async () => {
        taken = [];
        const { nextCursor } = await request();
        return { tools: taken, next: nextCursor };
      });
      last = reading.catch(() => undefined);
      return reading;
    },
  };
}
