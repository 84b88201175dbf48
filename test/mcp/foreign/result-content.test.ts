import { describe, expect, it } from "vitest";
import { readResult } from "../../../src/mcp/foreign/result-content.js";

const pdf = Buffer.from("%PDF-1.4\n%%EOF").toString("base64");
const png = Buffer.from("89504e470d0a1a0a", "hex").toString("base64");

describe("the content of a result", () => {
  it("is the texts, and a line for each other part", () => {
    const content = [
      { type: "text", text: "Hello." },
      { type: "image", mimeType: "image/png", data: png },
      { type: "audio", mimeType: "audio/wav", data: "AAAA" },
      { type: "resource", resource: { uri: "file:///a", text: "of a" } },
      { type: "resource", resource: { uri: "file:///b", mimeType: "application/zip", blob: "AAA=" } },
      { type: "resource_link", uri: "file:///c", name: "c", description: "the\n\u0007third" },
      { type: "hologram" },
    ];
    expect(readResult({ content }).text.split("\n")).toEqual([
      "Hello.",
      "[image/png, 8 bytes]",
      "[audio/wav, 3 bytes]",
      "[file:///a]",
      "of a",
      "[application/zip, 2 bytes] file:///b",
      "[a link to c, file:///c: the third]",
      "[a part of the kind hologram]",
    ]);
  });

  it("is its structure if it has no words, and says so if it has neither", () => {
    expect(readResult({ content: [], structuredContent: { a: 1 } }).text).toBe('{"a":1}');
    expect(readResult({ content: [] })).toEqual({
      text: "The call ended without any words.",
      files: [],
      isError: false,
    });
  });

  it("keeps images that are some, whatever the server calls them, and no more than ten", () => {
    const image = (data: string): object => ({ type: "image", mimeType: "image/jpeg", data });
    const { files } = readResult({ content: [image(png), image("AAAA")] });
    expect(files.map(({ bytes, mediaType }) => [bytes.length, mediaType])).toEqual([[8, "image/png"]]);
    expect(readResult({ content: Array.from({ length: 50 }, () => image(png)) }).files.length).toBe(10);
  });

  it.each([
    ["a PDF in a resource", resource("report.pdf", "application/pdf", pdf), ["application/pdf", "report.pdf"]],
    ["a PDF of no kind", resource("x", undefined, pdf), ["application/pdf", "x"]],
    ["a picture in a resource", resource("plot.png", "image/png", png), ["image/png", "plot.png"]],
    ["a sound", { type: "audio", mimeType: "audio/wav; rate=8000", data: "AAAA" }, ["audio/wav", undefined]],
    ["a sound in a resource", resource("a.mp3", "AUDIO/mpeg", "AAAA"), ["audio/mpeg", "a.mp3"]],
    ["a picture with line breaks", { type: "image", data: png.replace(/(.{4})/g, "$1\r\n") }, ["image/png", undefined]],
    ["a picture as a data address", { type: "image", data: `data:image/png;base64,${png}` }, ["image/png", undefined]],
  ])("that was thrown away is a file: %s", (_what, part, [mediaType, name]) => {
    const { files } = readResult({ content: [part] });
    expect(files.map((file) => [file.mediaType, file.name])).toEqual([[mediaType, name]]);
  });

  it.each([
    ["a zip", resource("a.zip", "application/zip", "AAAA")],
    ["an empty sound", { type: "audio", mimeType: "audio/wav", data: "" }],
    ["a sound without a kind", { type: "audio", data: "AAAA" }],
  ])("of which no model takes the bytes has a line alone: %s", (_what, part) => {
    const { files, text } = readResult({ content: [part] });
    expect([files, text]).toEqual([[], expect.stringContaining(" bytes]")]);
  });

  it("is words if a resource is a text that was sent as bytes", () => {
    const blob = Buffer.from("a;b\nä;1").toString("base64");
    for (const kind of ["text/csv", "application/json", "application/ld+json", "text/plain; charset=utf-8"])
      expect(readResult({ content: [resource("a.csv", kind, blob)] }).text).toBe("[file:///a.csv]\na;b\nä;1");
    const other = Buffer.from([0xff, 0xfe]).toString("base64");
    expect(readResult({ content: [resource("a", "text/plain", other)] }).text).toBe("[text/plain, 2 bytes] file:///a");
  });

  it("loses one part alone if its bytes are no base64", () => {
    for (const data of ["not-base64!!", "A", 5, undefined]) {
      const content = [
        { type: "text", text: "before" },
        { type: "image", mimeType: "image/png", data },
        resource("r", "application/pdf", pdf),
      ];
      const { text, files } = readResult({ content });
      expect(text.split("\n").slice(0, 2)).toEqual(["before", "[image/png that can't be read: its data is no base64]"]);
      expect(files).toHaveLength(1);
    }
  });

  it("may have any structure beside its words, or none", () => {
    const content = [{ type: "text", text: "one two" }];
    for (const structuredContent of [[1, 2], "one", null, 5])
      expect(readResult({ content, structuredContent }).text).toBe("one two");
    expect(readResult({ structuredContent: [1, 2] }).text).toBe("[1,2]");
    expect(readResult({ content: null, structuredContent: null }).text).toBe("The call ended without any words.");
  });

  it("that is none, or no list of parts, is an error", () => {
    expect(() => readResult("words")).toThrow("no result of a tool");
    expect(() => readResult({ content: "words" })).toThrow('its content is no list of parts, but "words"');
  });
});

function resource(name: string, mimeType: string | undefined, blob: string): object {
  return { type: "resource", resource: { uri: `file:///${name}`, ...(mimeType !== undefined && { mimeType }), blob } };
}
