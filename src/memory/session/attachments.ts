// The attachments of stored sessions: the attachments that records name, and the removal of an attachment.

import {
  LastcallError,
  type Attachment,
  type AttachmentStore,
  type JournalRecord,
  type NewAttachment,
  type Session,
} from "../../core/index.js";
import { checkOptions, portKinds, needed, type OptionKinds, readAttachment, toBase64 } from "../../core/internal.js";
import { checkId } from "../store/session-id.js";
import type { Store } from "../store/store.js";

/** The options of `removeAttachment`. */
export interface RemoveAttachmentOptions {
  readonly store: Store;
  /** The id of the session. */
  readonly id: string;
  /** The digest of the attachment, as its record names it. */
  readonly digest: string;
}

const removeOptions = {
  store: needed(portKinds.store),
  id: needed("text"),
  digest: needed("text"),
} satisfies OptionKinds<RemoveAttachmentOptions>;

/**
 * Removes the bytes of an attachment from a session, for example because they show a secret. The records stay: the model is told that the
 * bytes are gone. Does nothing if they are gone already.
 * @throws LastcallError `configuration` for an invalid id or digest; `store` if they can't be removed.
 */
export async function removeAttachment(options: RemoveAttachmentOptions): Promise<void> {
  checkOptions("removeAttachment", options, removeOptions);
  const { store, id, digest } = options;
  await store.attachments?.(checkId(id)).remove(digest);
}

/**
 * The attachments of a session in a store.
 * @throws LastcallError `configuration` if the store keeps none.
 */
function attachmentsOf(store: Store, id: string): AttachmentStore {
  const attachments = store.attachments?.(id);
  if (attachments !== undefined) return attachments;
  throw new LastcallError("configuration", `${store.name} keeps no attachments: it has no \`attachments\`.`);
}

/**
 * Keeps the bytes of files that go with an input of the session, and returns the attachments that records name. An attachment that is
 * kept already is returned as it is.
 * @throws LastcallError `configuration` for an unusable file, and if the store keeps none; `store` if one can't be kept.
 */
export async function keepAttachments(
  store: Store,
  id: string,
  files: readonly (NewAttachment | Attachment)[],
): Promise<readonly Attachment[]> {
  const kept: Attachment[] = [];
  for (const file of files) {
    const attachment = "digest" in file ? file : await readAttachment(file);
    if ("bytes" in file) await attachmentsOf(store, id).write(attachment.digest, file.bytes);
    kept.push(attachment);
  }
  return kept;
}

/** The attachments that the records name, each once. */
export function attachmentsIn(records: readonly JournalRecord[]): readonly Attachment[] {
  const found = new Map<string, Attachment>();
  for (const record of records) {
    const holder = record.type === "result" ? record.result : record;
    if (!("attachments" in holder)) continue;
    for (const attachment of holder.attachments ?? []) found.set(attachment.digest, attachment);
  }
  return [...found.values()];
}

/** The bytes of the attachments that the records name, as plain data. Bytes that are gone are left out. */
export async function plainAttachments(
  store: Store,
  id: string,
  records: readonly JournalRecord[],
): Promise<Pick<Session, "attachments">> {
  const kept: Record<string, string> = {};
  for (const { digest } of attachmentsIn(records)) {
    const bytes = await store.attachments?.(id).read(digest);
    if (bytes !== undefined) kept[digest] = toBase64(bytes);
  }
  return Object.keys(kept).length === 0 ? {} : { attachments: kept };
}

/** Copies the bytes of the attachments that the records name. Bytes that are gone stay gone. */
export async function copyAttachments(
  store: Store,
  records: readonly JournalRecord[],
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> {
  for (const { digest } of attachmentsIn(records)) {
    const bytes = await store.attachments?.(from).read(digest);
    if (bytes !== undefined) await store.attachments?.(to).write(digest, bytes);
  }
}
