// Reads server-sent events: takes bytes and returns the events, in linear time.

import { StringDecoder } from "node:string_decoder";

/** One event of a stream. */
export interface SseEvent {
  readonly data: string;
  /** True if the event is named `error`. */
  readonly isError: boolean;
}

/** Reads the events of one stream. Comments, other fields and events without data are skipped. */
export class SseReader {
  readonly #decoder = new StringDecoder("utf8");
  readonly #lines = new LineReader();
  #hasBegun = false;
  #data: string | undefined;
  #name = "";

  /** Takes the next bytes. Returns the events that end in them. */
  write(bytes: Uint8Array): readonly SseEvent[] {
    return this.#read(this.#lines.write(this.#decode(bytes)));
  }

  /** Takes the end of the stream. Returns the event that was begun, if there is one. */
  end(): readonly SseEvent[] {
    const rest = this.#lines.write(this.#decoder.end());
    return this.#read([...rest, this.#lines.end(), ""]);
  }

  #decode(bytes: Uint8Array): string {
    const text = this.#decoder.write(bytes);
    if (this.#hasBegun || text === "") return text;
    this.#hasBegun = true;
    return text.startsWith("\uFEFF") ? text.slice(1) : text;
  }

  #read(lines: readonly string[]): readonly SseEvent[] {
    const events: SseEvent[] = [];
    for (const line of lines) {
      if (line === "") {
        const data = this.#data ?? "";
        // Newlines alone are no data.
        if (data !== "" && /[^\n]/.test(data)) events.push({ data, isError: this.#name === "error" });
        this.#data = undefined;
        this.#name = "";
      } else if (line.startsWith("data:")) {
        const data = line.slice(line.charCodeAt(5) === space ? 6 : 5);
        this.#data = this.#data === undefined ? data : `${this.#data}\n${data}`;
      } else if (line.startsWith("event:")) this.#name = line.slice(6).trim();
    }
    return events;
  }
}

const space = 32;

/** Splits a text into lines that end with \n, \r\n or \r. */
class LineReader {
  /** The pieces of the line that has not ended. A piece may be one byte, so they are joined once. */
  #partial: string[] = [];
  #skipsNewline = false;

  /** Takes a text. Returns the lines that end in it. */
  write(text: string): readonly string[] {
    if (text === "") return [];
    const hasReturn = this.#skipsNewline || text.includes("\r");
    const rest = this.#skipsNewline && text.startsWith("\n") ? text.slice(1) : text;
    this.#skipsNewline = hasReturn && text.endsWith("\r");
    const lines = hasReturn ? rest.split(/\r\n|\n|\r/) : rest.split("\n");
    const last = lines.pop() ?? "";
    const [first] = lines;
    if (first !== undefined && this.#partial.length > 0) {
      lines[0] = this.#partial.join("") + first;
      this.#partial = [];
    }
    if (last !== "") this.#partial.push(last);
    return lines;
  }

  /** The last line, if it has not ended. */
  end(): string {
    const line = this.#partial.join("");
    this.#partial = [];
    return line;
  }
}
