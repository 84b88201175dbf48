import { describe, expect, it } from "vitest";
import { readResult } from "../../../src/mcp/foreign/result-content.js";

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
      images: [],
      isError: false,
    });
  });

  it("keeps images that are some, whatever the server calls them, and no more than ten", () => {
    const image = (data: string): object => ({ type: "image", mimeType: "image/jpeg", data });
    expect(readResult({ content: [image(png), image("AAAA")] }).images.map(({ length }) => length)).toEqual([8]);
    expect(readResult({ content: Array.from({ length: 50 }, () => image(png)) }).images.length).toBe(10);
  });

  it("of bytes that are no base64, or of no result at all, is an error", () => {
    const content = [{ type: "image", mimeType: "image/png", data: "not-base64!!" }];
    expect(() => readResult({ content })).toThrow("image/png whose data is no base64");
    expect(() => readResult("words")).toThrow("no result of a tool");
  });
});
