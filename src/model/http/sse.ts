// Reads server-sent events: takes bytes and returns the events, in linear time.

/** One event of a stream. */
export interface SseEvent {
  readonly data: string;
  /** True if the event is named `error`. */
  readonly isError: boolean;
}

/**
 * Reads the events, in one batch for each chunk of bytes that completes an event. Comments, other fields and events without data are
 * skipped.
 */
export async function* sseEvents(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<readonly SseEvent[], void, void> {
  const decoder = new TextDecoder();
  const lines = lineReader();
  const events = eventReader();
  for await (const chunk of bytes) {
    const batch = lines.write(decoder.decode(chunk, { stream: true })).flatMap((line) => events.write(line) ?? []);
    if (batch.length > 0) yield batch;
  }
  const last = events.end(lines.end() + decoder.decode());
  if (last !== undefined) yield [last];
}

interface EventReader {
  /** Takes a line. Returns the event that it ends; undefined if it ends none, or one without data. */
  write(line: string): SseEvent | undefined;
  /** Takes the rest of the last line. Returns the event that was begun. */
  end(rest: string): SseEvent | undefined;
}

function eventReader(): EventReader {
  let data: string[] = [];
  let name = "";

  function write(line: string): SseEvent | undefined {
    if (line !== "") {
      if (line.startsWith("data:")) data.push(line.slice(line.charAt(5) === " " ? 6 : 5));
      else if (line.startsWith("event:")) name = line.slice(6).trim();
      return undefined;
    }
    const whole = data.some((part) => part !== "") ? { data: data.join("\n"), isError: name === "error" } : undefined;
    data = [];
    name = "";
    return whole;
  }

  return {
    write,
    end(rest) {
      if (rest !== "") write(rest);
      return write("");
    },
  };
}

interface LineReader {
  /** Takes a chunk of text. Returns the lines that end in it. */
  write(text: string): readonly string[];
  /** The last line, if it was not ended. */
  end(): string;
}

/** Splits a text into lines that end with \n, \r\n or \r. */
function lineReader(): LineReader {
  let partialLine: string[] = [];
  let skipsNewline = false;
  return {
    write(text) {
      if (text === "") return [];
      const parts = text.slice(skipsNewline && text.startsWith("\n") ? 1 : 0).split(/\r\n|\n|\r/);
      skipsNewline = text.endsWith("\r");
      partialLine.push(parts[0] ?? "");
      if (parts.length === 1) return [];
      parts[0] = partialLine.join("");
      partialLine = parts.splice(-1);
      return parts;
    },
    end: () => partialLine.join(""),
  };
}
