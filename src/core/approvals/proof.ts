// Proofs of approvals: the statement that the signature of a yes or no covers, and its signature.

import { canonical } from "../data/json.js";
import type { Principal } from "../data/principal.js";
import type { ApprovalProof, ApprovalRecord, JournalRecord, ParkedRecord } from "../journal/record.js";
import { sha256 } from "../journal/verify-receipt.js";
import type { ApprovalSigner } from "../ports/permission.js";

/** A key of the platform's WebCrypto. */
export type ApprovalKey = Parameters<typeof crypto.subtle.verify>[1];

/** An answer before it is recorded. */
export type Unsigned = Pick<
  ApprovalRecord,
  "answers" | "allowed" | "reason" | "always" | "missing" | "text" | "givenAt" | "by"
>;

/** The session of an answer, its records so far, and the time. */
export interface ProofPlace {
  readonly session: string;
  readonly records: readonly JournalRecord[];
  readonly parked: ParkedRecord;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** A text that nobody can guess. */
  readonly salt: string;
}

/**
 * Signs an answer to a call that waits.
 * @throws whatever the signer throws; the answer is then not recorded.
 */
export async function prove(
  answer: Unsigned,
  place: ProofPlace,
  { key, sign }: ApprovalSigner,
): Promise<ApprovalProof> {
  const { session, records, parked, now: at, salt } = place;
  const unsigned = {
    key,
    session,
    call: await callHash(parked, records),
    principal: await principalHash(answer.by, salt),
    salt,
    at,
    before: await hashBefore(records),
  };
  const signature = await sign(bytesOf(answer, unsigned));
  return { ...unsigned, signature: toHex(signature) };
}

/** The bytes that a signature covers: the answer without the words of people, and the hashes of its proof. */
export function bytesOf(answer: Unsigned, proof: Omit<ApprovalProof, "signature">): Uint8Array<ArrayBuffer> {
  const { answers, allowed, always = false, missing = 0, givenAt = null } = answer;
  const { key, session, call, principal, salt, at, before } = proof;
  const bound = { answers, allowed, always, missing, givenAt, key, session, call, principal, salt, at, before };
  return new TextEncoder().encode(canonical(["lastcall approval 1", bound]));
}

/** The hash of the call as the journal shows it: the record with which it waits, and the call in the reply. */
export function callHash(parked: ParkedRecord, records: readonly JournalRecord[]): Promise<string> {
  const { callId, name, input, source, reason, digest, preview, expiresAt, quorum } = parked;
  const asked = records.flatMap((record) => (record.type === "reply" ? record.reply.calls : []));
  const call = asked.find(({ id }) => id === callId);
  return sha256(canonical([callId, name, input, source, reason, digest, preview, expiresAt, quorum, call]));
}

/** The hash of a principal. Without the salt, names could be tried. */
export function principalHash(by: Principal | undefined, salt: string): Promise<string> {
  return sha256(canonical([salt, by === undefined ? null : [by.tenant ?? null, by.id]]));
}

/** The hash of the last approval of these records; a hash of nothing if there is none. */
export function hashBefore(records: readonly JournalRecord[]): Promise<string> {
  const last = records.findLast((record) => record.type === "approval");
  return sha256(last?.type === "approval" ? canonical([last.answers, last.proof?.signature]) : "");
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The bytes of a text in hexadecimal; undefined if it is none. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^(?:[0-9a-f]{2})+$/.test(text)) return undefined;
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => parseInt(byte, 16));
}

/** A signer over a private key of Ed25519 from the platform's WebCrypto. `key` is the name by which a verifier finds the public key. */
export function ed25519(key: string, privateKey: ApprovalKey): ApprovalSigner {
  return {
    key,
    sign: async (bytes) => new Uint8Array(await crypto.subtle.sign("Ed25519", privateKey, bytes)),
  };
}
