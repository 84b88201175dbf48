// Reads the kind and the dimensions of an image from the first bytes of its file.

/**
 * The kind and the dimensions of an image, in pixels. The dimensions are undefined if the first bytes don't contain
 * them.
 */
export interface Image {
  readonly kind: "PNG" | "JPEG" | "GIF" | "WebP";
  readonly width?: number;
  readonly height?: number;
}

/** The image that begins with these bytes; undefined if they begin no PNG, JPEG, GIF or WebP. */
export function imageIn(bytes: Buffer): Image | undefined {
  const starts = (text: string, at = 0): boolean => bytes.toString("latin1", at, at + text.length) === text;
  if (starts("\x89PNG\r\n\x1a\n")) return { kind: "PNG", ...(bytes.length >= 24 && big(bytes, 16, 20)) };
  if (starts("GIF87a") || starts("GIF89a"))
    return { kind: "GIF", ...(bytes.length >= 10 && { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }) };
  if (starts("RIFF") && starts("WEBP", 8)) return { kind: "WebP", ...webp(bytes) };
  if (starts("\xff\xd8\xff")) return { kind: "JPEG", ...jpeg(bytes) };
  return undefined;
}

type Size = Omit<Image, "kind">;

function big(bytes: Buffer, width: number, height: number): Size {
  return { width: bytes.readUInt32BE(width), height: bytes.readUInt32BE(height) };
}

function webp(bytes: Buffer): Size {
  if (bytes.length < 30) return {};
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return {};
  }
}

/** The dimensions are in the first frame segment (SOF). */
function jpeg(bytes: Buffer): Size {
  let at = 2;
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    at += 2 + bytes.readUInt16BE(at + 2);
  }
  return {};
}
