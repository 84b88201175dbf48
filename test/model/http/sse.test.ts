import { describe, expect, it } from "vitest";
import { SseReader, type SseEvent } from "../../../src/model/http/sse.js";
import { processorTime } from "../../processor-time.js";

function eventsIn(pieces: readonly Uint8Array[]): readonly SseEvent[] {
  const reader = new SseReader();
  return [...pieces.flatMap((piece) => reader.write(piece)), ...reader.end()];
}

function read(pieces: readonly Uint8Array[]): readonly string[] {
  return eventsIn(pieces).map(({ data }) => data);
}

function readText(text: string): readonly string[] {
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
  it("give the data of each event and nothing else", () => {
    expect(readText(stream)).toEqual(events);
  });

  it("give the same wherever the bytes are split in two: within a character, between \\r and \\n", () => {
    const bytes = Buffer.from(stream);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(read([bytes.subarray(0, at), bytes.subarray(at)])).toEqual(events);
    }
  });

  it("give the same in pieces of every size, and with empty pieces between", () => {
    const bytes = Buffer.from(stream);
    for (let size = 1; size <= 9; size += 1) {
      const pieces = inPieces(bytes, size);
      expect(read(pieces)).toEqual(events);
      expect(read(pieces.flatMap((piece) => [new Uint8Array(), piece]))).toEqual(events);
    }
  });

  it("need no white space after the colon, and keep all but one where there is some", () => {
    expect(readText("data:a\n\ndata: b\n\ndata:  c\n\n")).toEqual(["a", "b", " c"]);
  });

  it("pass over comments and other fields, also within an event", () => {
    expect(readText(": x\n\nevent: ping\n\ndata: a\n: x\nid: 1\ndata: b\n\ndatabase: no\n\n")).toEqual(["a\nb"]);
  });

  it("give the last event also where its blank line, or even its line's end, is missing", () => {
    expect(readText("data: a\n\ndata: b\n")).toEqual(["a", "b"]);
    expect(readText("data: a\n\ndata: b")).toEqual(["a", "b"]);
    expect(readText("data: a\n\ndata: b\r")).toEqual(["a", "b"]);
  });

  it("are none in no bytes, and none in comments alone", () => {
    expect(read([])).toEqual([]);
    expect(readText(": x\n\n: y\n\n")).toEqual([]);
  });

  it("may begin with a byte order mark", () => {
    expect(readText("\ufeffdata: a\n\n")).toEqual(["a"]);
  });

  it("are given as soon as they are whole", () => {
    const reader = new SseReader();
    const write = (text: string): readonly string[] => reader.write(Buffer.from(text)).map(({ data }) => data);
    expect(write("data: a\n\nda")).toEqual(["a"]);
    expect(write("ta: b\r\n\r")).toEqual(["b"]);
    expect(write("\n")).toEqual([]);
    expect(reader.end()).toEqual([]);
  });

  it("take a line of 1 MB in pieces of four bytes in little time", () => {
    const value = "0123456789abcdé€".repeat(65_536);
    const pieces = inPieces(Buffer.from(`data: ${value}\n\n`), 4);
    expect(pieces.length).toBeGreaterThan(262_144);
    const spent = processorTime();
    const [data] = read(pieces);
    expect(spent()).toBeLessThan(2000);
    expect(data === value).toBe(true);
  });
});
