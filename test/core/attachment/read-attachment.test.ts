import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { readAttachment } from "../../../src/core/attachment/read-attachment.js";

function png(width: number, height: number): Buffer {
  const bytes = Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "latin1"), Buffer.alloc(8)]);
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

const tokens = async (bytes: Uint8Array, mediaType?: string): Promise<number> =>
  (await readAttachment({ bytes, mediaType })).tokens;

test("an attachment has the SHA-256 of its bytes, their number, and the name if there is one", async () => {
  const bytes = png(10, 10);
  const digest = createHash("sha256").update(bytes).digest("hex");
  const read = { mediaType: "image/png", digest, size: bytes.length, tokens: 1 };
  expect(await readAttachment({ bytes })).toEqual(read);
  expect(await readAttachment({ bytes, name: "a.png" })).toEqual({ ...read, name: "a.png" });
});

test("a type that is given counts more than the bytes, in lower case", async () => {
  expect(await readAttachment({ bytes: png(1, 1), mediaType: "Image/X-Icon" })).toMatchObject({
    mediaType: "image/x-icon",
  });
});

describe("the tokens of", () => {
  test("an image go by its pixels, up to those of the largest that a provider reads", async () => {
    expect(await tokens(png(750, 100))).toBe(100);
    expect(await tokens(png(20_000, 20_000))).toBe(1600);
    expect(await tokens(Buffer.from("\x89PNG\r\n\x1a\n", "latin1"))).toBe(1600);
    expect(await tokens(Buffer.from("???"), "image/heic")).toBe(1600);
  });

  test("a PDF go by the pages that it names, or by its size", async () => {
    const page = "1 0 obj << /Type /Page /Parent 9 0 R >> endobj\n";
    expect(await tokens(Buffer.from(`%PDF-1.4\n${page.repeat(3)}<< /Type /Pages >>`))).toBe(7500);
    expect(await tokens(Buffer.concat([Buffer.from("%PDF-1.5\n"), Buffer.alloc(120_000)]))).toBe(7500);
  });

  test("any other file go by its size", async () => {
    expect(await tokens(Buffer.alloc(3000), "audio/wav")).toBe(1000);
  });
});
