// Stdio transport: messages to and from a local server, one JSON text a line. Noise is told, and an oversized message fails its call alone.

import { isPlainObject } from "../../core/internal.js";
import { foreignLine } from "../foreign/foreign-text.js";
import { MessageLines, type OversizedLine } from "./message-lines.js";
import type { McpTransport } from "./package.js";
import { startServer, type ServerCommand, type ServerProcess } from "./server-process.js";

/**
 * A transport over a process. Its fields `stderr` and `pid` tell the client package that this transport is over a process: a server
 * that does not answer the newest protocol is then asked in the older protocol.
 */
export class StdioTransport implements McpTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: unknown) => void) | undefined;
  readonly stderr = null;
  /** The way in which the server ended; undefined while it runs. */
  ending: string | undefined;
  readonly #command: ServerCommand;
  readonly #most: number | undefined;
  #process: ServerProcess | undefined;

  constructor(command: ServerCommand, most?: number) {
    this.#command = command;
    this.#most = most;
  }

  get pid(): number | null {
    return this.#process?.pid ?? null;
  }

  /** @throws LastcallError `configuration` if the command can't be started. */
  async start(): Promise<void> {
    const lines = new MessageLines(
      {
        line: (text) => {
          this.#read(text);
        },
        oversized: (line) => {
          this.#refuse(line);
        },
        endless: (bytes) => {
          this.ending = `it wrote a line of more than ${String(bytes)} bytes, so it was ended`;
          void this.close();
        },
      },
      this.#most,
    );
    this.#process = await startServer(this.#command, {
      output: (bytes) => {
        lines.write(bytes);
      },
      ended: (how) => {
        this.ending ??= how;
        this.onclose?.();
      },
    });
  }

  async send(message: unknown): Promise<void> {
    if (this.#process === undefined) throw new Error("the server was not started");
    await this.#process.write(`${JSON.stringify(message)}\n`);
  }

  async close(): Promise<void> {
    await this.#process?.close();
  }

  #read(text: string): void {
    const message = parse(text);
    if (message !== undefined) this.onmessage?.(message);
    else if (text.trim() !== "")
      this.onerror?.(new Error(`It wrote something to its output that is no message: ${foreignLine(text, 200)}`));
  }

  /** Answers for the server: the call fails, and the connection stays. Without an id nobody can tell whose message it was. */
  #refuse({ bytes, edges }: OversizedLine): void {
    const message = `The answer has ${bytes.toLocaleString("en-US")} bytes, more than are read; ask for less at a time`;
    const id = /"id"\s*:\s*(\d{1,15})/.exec(edges)?.[1];
    if (id === undefined) this.onerror?.(new Error(message));
    else this.onmessage?.({ jsonrpc: "2.0", id: Number(id), error: { code: -32_000, message } });
  }
}

function parse(text: string): unknown {
  try {
    const read: unknown = JSON.parse(text);
    if (!isPlainObject(read) || read["jsonrpc"] !== "2.0") return undefined;
    return /\d[\d.]{15}/.test(text) ? withDigits(read, text) : read;
  } catch {
    return undefined;
  }
}

/** A text in double quotes, or a number outside of one. */
const textsAndNumbers = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/**
 * The message, with the data of a result that has no words as words in which each number has its digits: a number of JavaScript keeps about
 * 16. A longer number is written as a text.
 */
function withDigits(message: Readonly<Record<string, unknown>>, text: string): unknown {
  const { result } = message;
  if (!isPlainObject(result) || result["structuredContent"] === undefined) return message;
  if (Array.isArray(result["content"]) && result["content"].length > 0) return message;
  const quoted = text.replace(textsAndNumbers, (part) =>
    part.startsWith('"') || Number.isSafeInteger(Number(part)) || !/^-?\d+$/.test(part) ? part : `"${part}"`,
  );
  const { result: whole } = JSON.parse(quoted) as { readonly result: { readonly structuredContent: unknown } };
  const words = JSON.stringify(whole.structuredContent);
  return { ...message, result: { ...result, content: [{ type: "text", text: words }] } };
}
