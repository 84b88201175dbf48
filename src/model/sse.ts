// Server-sent events: bytes in, the data of each event out, in time linear in the bytes.

/** Reads the `data` of every event. Comments, other fields and empty events are passed over. */
export async function* sseData(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  let data: string[] = [];
  for await (const line of lines(bytes)) {
    if (line === "") {
      if (data.some((part) => part !== "")) yield data.join("\n");
      data = [];
    } else if (line.startsWith("data:")) data.push(line.slice(line.charAt(5) === " " ? 6 : 5));
  }
  if (data.some((part) => part !== "")) yield data.join("\n");
}

/** Lines ended by \n, \r\n or \r; the last one need not be ended. */
async function* lines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  let skipsNewline = false;
  for await (const piece of bytes) {
    const text = decoder.decode(piece, { stream: true });
    let start = 0;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code !== 10 && code !== 13) {
        skipsNewline = false;
        continue;
      }
      if (!(code === 10 && skipsNewline)) {
        begun.push(text.slice(start, index));
        yield begun.join("");
        begun = [];
      }
      skipsNewline = code === 13;
      start = index + 1;
    }
    if (start < text.length) begun.push(text.slice(start));
  }
  const rest = begun.join("") + decoder.decode();
  if (rest !== "") yield rest;
}
