import { describe, expect, it } from "vitest";
import { sseEvents } from "../../../src/model/http/sse.js";
import { processorTime } from "../../processor-time.js";

async function* given(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void, void> {
  yield* pieces;
}

async function read(pieces: readonly Uint8Array[]): Promise<readonly string[]> {
  const events: string[] = [];
  for await (const batch of sseEvents(given(pieces))) events.push(...batch.map(({ data }) => data));
  return events;
}

function readText(text: string): Promise<readonly string[]> {
  return read([Buffer.from(text)]);
}

function inPieces(bytes: Uint8Array, size: number): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; start += size) pieces.push(bytes.subarray(start, start + size));
  return pieces;
}

const stream = [
  ": a comment\r\n",
  "event: message\r\nid: 7\r\nretry: 10\r\n",
  'data: {"text":"héllo 日本 👩‍👧"}\r\n\r\n',
  "data: first line\r\ndata:  second line\r\ndata:third\r\n\r\n",
  "data: ended by CR\r\rdata: ended by LF\n\n",
  ": keep-alive\n\n\n\n",
  "data: mixed\r\n\ndata: [DONE]\n\n",
].join("");

const events = [
  '{"text":"héllo 日本 👩‍👧"}',
  "first line\n second line\nthird",
  "ended by CR",
  "ended by LF",
  "mixed",
  "[DONE]",
];

describe("server-sent events", () => {
  it("give the data of each event and nothing else", async () => {
    expect(await readText(stream)).toEqual(events);
  });

  it("give the same wherever the bytes are split in two: within a character, between \\r and \\n", async () => {
    const bytes = Buffer.from(stream);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(await read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(events);
    }
  });

  it("give the same in pieces of every size, and with empty pieces between", async () => {
    const bytes = Buffer.from(stream);
    for (let size = 1; size <= 9; size += 1) {
      const pieces = inPieces(bytes, size);
      expect(await read(pieces)).toEqual(events);
      expect(await read(pieces.flatMap((piece) => [new Uint8Array(), piece]))).toEqual(events);
    }
  });

  it("need no white space after the colon, and keep all but one where there is some", async () => {
    expect(await readText("data:a\n\ndata: b\n\ndata:  c\n\n")).toEqual(["a", "b", " c"]);
  });

  it("pass over comments and other fields, also within an event", async () => {
    expect(await readText(": x\n\nevent: ping\n\ndata: a\n: x\nid: 1\ndata: b\n\ndatabase: no\n\n")).toEqual(["a\nb"]);
  });

  it("give the last event also where its blank line, or even its line's end, is missing", async () => {
    expect(await readText("data: a\n\ndata: b\n")).toEqual(["a", "b"]);
    expect(await readText("data: a\n\ndata: b")).toEqual(["a", "b"]);
    expect(await readText("data: a\n\ndata: b\r")).toEqual(["a", "b"]);
  });

  it("are none in no bytes, and none in comments alone", async () => {
    expect(await read([])).toEqual([]);
    expect(await readText(": x\n\n: y\n\n")).toEqual([]);
  });

  it("may begin with a byte order mark", async () => {
    expect(await readText("\ufeffdata: a\n\n")).toEqual(["a"]);
  });

  it("are given as soon as they are whole", async () => {
    const received: string[] = [];
    async function* pieces(): AsyncGenerator<Uint8Array, void, void> {
      yield Buffer.from("data: a\n\nda");
      expect(received).toEqual(["a"]);
      yield Buffer.from("ta: b\r\n\r");
      expect(received).toEqual(["a", "b"]);
      yield Buffer.from("\n");
    }
    for await (const batch of sseEvents(pieces())) received.push(...batch.map(({ data }) => data));
    expect(received).toEqual(["a", "b"]);
  });

  it("let go of the bytes when they are left early", async () => {
    let isLetGo = false;
    async function* pieces(): AsyncGenerator<Uint8Array, void, void> {
      try {
        for (;;) yield Buffer.from("data: a\n\n");
      } finally {
        isLetGo = true;
      }
    }
    for await (const batch of sseEvents(pieces())) if (batch[0]?.data === "a") break;
    expect(isLetGo).toBe(true);
  });

  it("throw what the bytes throw", async () => {
    async function* pieces(): AsyncGenerator<Uint8Array, void, void> {
      yield Buffer.from("data: a\n");
      throw new Error("reset");
    }
    const source = sseEvents(pieces());
    await expect(source.next()).rejects.toThrow("reset");
  });

  it("take a line of 1 MB in pieces of four bytes in little time", async () => {
    const value = "0123456789abcdé€".repeat(65_536);
    const pieces = inPieces(Buffer.from(`data: ${value}\n\n`), 4);
    expect(pieces.length).toBeGreaterThan(262_144);
    const spent = processorTime();
    const [data] = await read(pieces);
    expect(spent()).toBeLessThan(2000);
    expect(data === value).toBe(true);
  });
});
