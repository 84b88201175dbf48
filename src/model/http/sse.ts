// Server-sent events: bytes in, the data of each event out, in time linear in the bytes.

/**
 * Reads the `data` of every event: what each piece of the bytes brought, where it brought any. Comments, other fields and empty events
 * are passed over.
 */
export async function* sseData(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<readonly string[], void, void> {
  const decoder = new TextDecoder();
  const lines = lineReader();
  const events = eventReader();
  for await (const piece of bytes) {
    const brought = lines.write(decoder.decode(piece, { stream: true })).flatMap((line) => events.write(line) ?? []);
    if (brought.length > 0) yield brought;
  }
  const data = events.end(lines.end() + decoder.decode());
  if (data !== undefined) yield [data];
}

interface EventReader {
  /** Takes a line; returns the data of the event that it ends, if it ends one that has any. */
  write(line: string): string | undefined;
  /** Takes what is left of a last line; returns the data of the event that was begun. */
  end(rest: string): string | undefined;
}

function eventReader(): EventReader {
  let data: string[] = [];

  function write(line: string): string | undefined {
    if (line !== "") {
      if (line.startsWith("data:")) data.push(line.slice(line.charAt(5) === " " ? 6 : 5));
      return undefined;
    }
    const whole = data.some((part) => part !== "") ? data.join("\n") : undefined;
    data = [];
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
  /** Takes a piece of text; returns the lines that end in it. */
  write(text: string): readonly string[];
  /** What is left of a line that was not ended. */
  end(): string;
}

/** Lines ended by \n, \r\n or \r. */
function lineReader(): LineReader {
  let begun: string[] = [];
  let skipsNewline = false;
  return {
    write(text) {
      if (text === "") return [];
      const parts = text.slice(skipsNewline && text.startsWith("\n") ? 1 : 0).split(/\r\n|\n|\r/);
      skipsNewline = text.endsWith("\r");
      begun.push(parts[0] ?? "");
      if (parts.length === 1) return [];
      parts[0] = begun.join("");
      begun = parts.splice(-1);
      return parts;
    },
    end: () => begun.join(""),
  };
}
