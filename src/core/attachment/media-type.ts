// Tells the media type of a file by its first bytes, and the dimensions of an image.

/** The kind of a file that models take. The dimensions of an image are in pixels, and absent if the bytes don't contain them. */
export interface Recognized {
  readonly mediaType: "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "application/pdf";
  readonly width?: number;
  readonly height?: number;
}

/** The kind of the file that begins with these bytes; undefined if they begin no PNG, JPEG, GIF, WebP or PDF. */
export function recognize(bytes: Uint8Array): Recognized | undefined {
  const starts = (text: string, at = 0): boolean => textAt(bytes, at, text.length) === text;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (starts("\x89PNG\r\n\x1a\n"))
    return {
      mediaType: "image/png",
      ...(bytes.length >= 24 && { width: view.getUint32(16), height: view.getUint32(20) }),
    };
  if (starts("GIF87a") || starts("GIF89a"))
    return {
      mediaType: "image/gif",
      ...(bytes.length >= 10 && { width: view.getUint16(6, true), height: view.getUint16(8, true) }),
    };
  if (starts("RIFF") && starts("WEBP", 8)) return { mediaType: "image/webp", ...webp(bytes, view) };
  if (starts("\xff\xd8\xff")) return { mediaType: "image/jpeg", ...jpeg(view) };
  if (starts("%PDF-")) return { mediaType: "application/pdf" };
  return undefined;
}

type Size = Omit<Recognized, "mediaType">;

function webp(bytes: Uint8Array, view: DataView): Size {
  if (bytes.length < 30) return {};
  switch (textAt(bytes, 12, 4)) {
    case "VP8 ":
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
    case "VP8L": {
      const bits = view.getUint32(21, true);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return {
        width: (view.getUint32(24, true) & 0xffffff) + 1,
        height: view.getUint16(27, true) + ((bytes[29] ?? 0) << 16) + 1,
      };
    default:
      return {};
  }
}

/** The dimensions are in the first frame segment (SOF). */
function jpeg(view: DataView): Size {
  let at = 2;
  while (at + 9 <= view.byteLength && view.getUint8(at) === 0xff) {
    const marker = view.getUint8(at + 1);
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) };
    at += 2 + view.getUint16(at + 2);
  }
  return {};
}

function textAt(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}
