import { describe, expect, test } from "vitest";
import { recognize } from "../../../src/core/attachment/media-type.js";

const be = (...numbers: readonly number[]): Buffer => {
  const bytes = Buffer.alloc(4 * numbers.length);
  numbers.forEach((number, at) => bytes.writeUInt32BE(number, 4 * at));
  return bytes;
};
const webp = (kind: string, ...rest: readonly number[]): Buffer => {
  const head = Buffer.from(`RIFF\0\0\0\0WEBP${kind}\n\0\0\0`, "latin1");
  return Buffer.concat([head, Buffer.from(rest), Buffer.alloc(30)]);
};

describe("a file is told by its first bytes, with the dimensions of an image:", () => {
  test.each<[string, Uint8Array, object]>([
    [
      "PNG",
      Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), be(13), Buffer.from("IHDR"), be(640, 480)]),
      { mediaType: "image/png", width: 640, height: 480 },
    ],
    ["PNG that is cut", Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), { mediaType: "image/png" }],
    [
      "GIF",
      Buffer.from([...Buffer.from("GIF89a"), 0x80, 2, 0xe0, 1]),
      { mediaType: "image/gif", width: 640, height: 480 },
    ],
    ["GIF that is cut", Buffer.from("GIF87a"), { mediaType: "image/gif" }],
    [
      "JPEG with a segment before its frame",
      Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xc0, 0, 11, 8, 1, 0xe0, 2, 0x80, 3]),
      { mediaType: "image/jpeg", width: 640, height: 480 },
    ],
    ["JPEG without a frame", Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0]), { mediaType: "image/jpeg" }],
    [
      "lossy WebP",
      webp("VP8 ", 0, 0, 0, 0x9d, 1, 0x2a, 0x80, 2, 0xe0, 1),
      { mediaType: "image/webp", width: 640, height: 480 },
    ],
    ["lossless WebP", webp("VP8L", 0x2f, 0x7f, 0xc2, 0x77, 0), { mediaType: "image/webp", width: 640, height: 480 }],
    [
      "extended WebP",
      webp("VP8X", 0, 0, 0, 0, 0x7f, 2, 0, 0xdf, 1, 0),
      { mediaType: "image/webp", width: 640, height: 480 },
    ],
    ["WebP of another kind", webp("ABCD"), { mediaType: "image/webp" }],
    ["PDF", Buffer.from("%PDF-1.7\n"), { mediaType: "application/pdf" }],
  ])("%s", (_what, bytes, recognized) => {
    expect(recognize(bytes)).toEqual(recognized);
  });

  test("a part of a larger buffer is read at its own place", () => {
    const whole = Buffer.concat([Buffer.from("xyz"), Buffer.from([...Buffer.from("GIF89a"), 0x80, 2, 0xe0, 1])]);
    expect(recognize(whole.subarray(3))).toEqual({ mediaType: "image/gif", width: 640, height: 480 });
  });

  test.each(["", "hello", "<svg>", "PK\x03\x04", "\x89PNG"])("%j is none of them", (text) => {
    expect(recognize(Buffer.from(text, "latin1"))).toBeUndefined();
  });
});
