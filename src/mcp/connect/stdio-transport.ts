// Stdio transport: messages to and from a local server, one JSON text a line. Noise is told, and an oversized message fails its call alone.

import { setTimeout as sleep } from "node:timers/promises";
import { isPlainObject } from "../../core/internal.js";
import { foreignLine } from "../foreign/foreign-text.js";
import { withDigits } from "./keep-digits.js";
import { MessageLines, type OversizedLine } from "./message-lines.js";
import type { McpTransport } from "./package.js";
import { startServer, type ServerCommand, type ServerProcess } from "./server-process.js";

/** Milliseconds that a failed write waits for the end of the server, which says why it failed. */
const longestEnd = 500;

/**
 * A transport over a process. Its fields `stderr` and `pid` tell the client package that this transport is over a process: a server
 * that does not answer the newest protocol is then asked in the older protocol.
 */
export class StdioTransport implements McpTransport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: ((message: unknown) => void) | undefined;
  readonly stderr = null;
  /** The way in which the server ended by itself; undefined while it runs, and if it was closed. */
  ending: string | undefined;
  readonly #command: ServerCommand;
  readonly #most: number | undefined;
  #process: ServerProcess | undefined;
  #isClosing = false;
  #hasSpoken = false;
  #ended: Promise<void> = Promise.resolve();

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
          this.ending ??= `it wrote a line of more than ${String(bytes)} bytes, so it was ended`;
          void this.close();
        },
      },
      this.#most,
    );
    let end = (): void => undefined;
    this.#ended = new Promise((resolve) => (end = resolve));
    this.#process = await startServer(this.#command, {
      output: (bytes) => {
        lines.write(bytes);
      },
      ended: (how) => {
        if (!this.#isClosing) this.ending ??= how;
        end();
        this.onclose?.();
      },
    });
  }

  /** Writes one message. If the server has ended, it rejects after the end was told. */
  async send(message: unknown): Promise<void> {
    if (this.#process === undefined) throw new Error("the server was not started");
    try {
      await this.#process.write(`${JSON.stringify(message)}\n`);
    } catch (thrown) {
      await Promise.race([this.#ended, sleep(longestEnd, undefined, { ref: false })]);
      throw thrown;
    }
  }

  /** Ends the server. It gets no time for that if it never said anything. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#process?.close({ atOnce: !this.#hasSpoken });
  }

  #read(text: string): void {
    const messages = parse(text);
    if (messages.length > 0) this.#hasSpoken = true;
    for (const message of messages) this.onmessage?.(message);
    if (messages.length === 0 && text.trim() !== "")
      this.onerror?.(new Error(`It wrote something to its output that is no message: ${foreignLine(text, 200)}`));
  }

  /** Answers for the server: the call fails, and the connection stays. Without an id nobody can tell whose message it was. */
  #refuse({ bytes, edges }: OversizedLine): void {
    const message = `The answer has ${bytes.toLocaleString("en-US")} bytes, more than are read; ask for less at a time`;
    const id = /"id"\s*:\s*"?(\d{1,15})/.exec(edges)?.[1];
    if (id === undefined) this.onerror?.(new Error(message));
    else this.onmessage?.({ jsonrpc: "2.0", id: Number(id), error: { code: -32_000, message } });
  }
}

/** The messages of a line: one, or a list of them. An answer without the version of the protocol is one too. */
function parse(text: string): readonly unknown[] {
  try {
    const read: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    const messages: readonly unknown[] = Array.isArray(read) ? read : [withDigits(read, text)];
    return messages.filter(isMessage);
  } catch {
    return [];
  }
}

function isMessage(read: unknown): boolean {
  if (!isPlainObject(read)) return false;
  const isAnswer = read["id"] !== undefined && (read["result"] !== undefined || read["error"] !== undefined);
  return read["jsonrpc"] === "2.0" || isAnswer;
}
