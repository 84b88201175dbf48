// The attachments of a run: keeps their bytes beside the journal, and hands them to the model.

import { digestOf, readAttachment } from "../attachment/read-attachment.js";
import type { Attachment, AttachmentStore, NewAttachment } from "../data/attachment.js";
import { LastcallError } from "../data/fault.js";
import type { Lease, Session } from "../journal/session.js";

/** The attachments of one run. A session that is plain data holds the bytes itself; the bytes of a stored session are in its store. */
export class AttachmentBox {
  readonly #store: AttachmentStore;
  readonly #plain: PlainAttachments | undefined;
  /** The bytes that were kept or read in this run. */
  readonly #bytes = new Map<string, Uint8Array>();

  constructor(kept: Session["attachments"], lease: Lease | undefined) {
    this.#plain = lease === undefined ? new PlainAttachments(kept ?? {}) : undefined;
    this.#store = this.#plain ?? lease?.attachments ?? noStore;
  }

  /** The bytes in Base64, for a session that is plain data. Undefined if there are none, or if a store has them. */
  get plain(): Session["attachments"] {
    return this.#plain?.kept;
  }

  /**
   * Keeps the bytes of a file and returns the attachment that records name. An attachment of an earlier record is returned as it is.
   * @throws LastcallError `configuration` for an unusable file; `store` if it can't be kept.
   */
  async keep(given: NewAttachment | Attachment): Promise<Attachment> {
    if ("digest" in given) return given;
    const attachment = await readAttachment(given);
    const { digest } = attachment;
    if (!this.#bytes.has(digest)) await this.#store.write(digest, given.bytes);
    this.#bytes.set(digest, given.bytes);
    return attachment;
  }

  /**
   * Reads the bytes of these attachments, as far as they were not read before. Returns the function that a request has for them. Bytes
   * that do not have their digest are as good as gone.
   */
  async load(attachments: readonly Attachment[]): Promise<(attachment: Attachment) => Uint8Array | undefined> {
    for (const { digest } of attachments) {
      if (this.#bytes.has(digest)) continue;
      const bytes = await this.#store.read(digest);
      if (bytes !== undefined && (await digestOf(bytes)) === digest) this.#bytes.set(digest, bytes);
    }
    return ({ digest }) => this.#bytes.get(digest);
  }
}

/** The attachments of a session that is plain data. */
export class PlainAttachments implements AttachmentStore {
  #kept: Readonly<Record<string, string>>;

  constructor(kept: Readonly<Record<string, string>>) {
    this.#kept = kept;
  }

  /** Undefined if there are none. */
  get kept(): Readonly<Record<string, string>> | undefined {
    return Object.keys(this.#kept).length === 0 ? undefined : this.#kept;
  }

  write(digest: string, bytes: Uint8Array): Promise<void> {
    this.#kept = { ...this.#kept, [digest]: toBase64(bytes) };
    return Promise.resolve();
  }

  read(digest: string): Promise<Uint8Array | undefined> {
    const text = Object.hasOwn(this.#kept, digest) ? this.#kept[digest] : undefined;
    return Promise.resolve(text === undefined ? undefined : fromBase64(text));
  }

  remove(digest: string): Promise<void> {
    const { [digest]: _removed, ...rest } = this.#kept;
    this.#kept = rest;
    return Promise.resolve();
  }
}

const noStore: AttachmentStore = {
  write: () =>
    Promise.reject(
      new LastcallError("configuration", "The store of this session keeps no attachments: it has no `attachments`."),
    ),
  read: () => Promise.resolve(undefined),
  remove: () => Promise.resolve(),
};

/** The bytes that are written at once, so that no call gets too many arguments. */
const portion = 0x8000;

/** The bytes in Base64. */
export function toBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += portion) {
    parts.push(String.fromCharCode(...bytes.subarray(at, at + portion)));
  }
  return btoa(parts.join(""));
}

/** The bytes of a Base64 text; undefined if it is none. */
function fromBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
