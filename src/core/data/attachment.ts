// Attachments: files that go with a text of the user or with the result of a call.

/**
 * A file that goes with a text, as a record and a message name it. Its bytes are kept once, beside the journal, under their digest. So
 * the record stays small, and a file that is sent twenty times is stored once.
 */
export interface Attachment {
  /** The media type, for example `image/png` or `application/pdf`. */
  readonly mediaType: string;
  /** SHA-256 of the bytes, in hexadecimal. */
  readonly digest: string;
  /** The number of bytes. */
  readonly size: number;
  /** An estimate of the tokens that the file takes of a prompt. Providers count differently. */
  readonly tokens: number;
  /** The name of the file, for people and for the model. Absent if it has none. */
  readonly name?: string;
}

/** A file to attach. */
export interface NewAttachment {
  /** The content. A `Buffer` is one. */
  readonly bytes: Uint8Array;
  /** The media type. Default: told by the first bytes, for PNG, JPEG, GIF, WebP and PDF. */
  readonly mediaType?: string | undefined;
  /** The name of the file. Default: none. */
  readonly name?: string | undefined;
}

/** Keeps the bytes of the attachments of one session, by digest. */
export interface AttachmentStore {
  /** Keeps the bytes, so that not even a loss of power takes them away. Does nothing if they are kept already. */
  write(digest: string, bytes: Uint8Array): Promise<void>;
  /** The bytes; undefined if none are kept under this digest. */
  read(digest: string): Promise<Uint8Array | undefined>;
  /** Removes the bytes. Records still name them, and the model is told that they are gone. */
  remove(digest: string): Promise<void>;
}

/** The attachment in one line: `[chart.png: image/png, 12,345 bytes]`. `why` says why it is not shown. */
export function describeAttachment({ mediaType, size, name }: Attachment, why = ""): string {
  const named = name === undefined ? "" : `${name}: `;
  return `[${named}${mediaType}, ${size.toLocaleString("en-US")} bytes${why === "" ? "" : `: ${why}`}]`;
}

/** True if one of the patterns names the media type: `image/png` itself, `image/*` or `*`. */
export function takesType(patterns: readonly string[], mediaType: string): boolean {
  return patterns.some(
    (pattern) =>
      pattern === "*" ||
      pattern === mediaType ||
      (pattern.endsWith("/*") && mediaType.startsWith(pattern.slice(0, -1))),
  );
}
