// Proofs of approvals: the statement that the signature of a yes or no covers, and its signature.

import type { Call } from "../data/call.js";
import { canonical } from "../data/json.js";
import type { Principal } from "../data/principal.js";
import type { ApprovalProof, ApprovalRecord, ParkedRecord } from "../journal/record.js";
import { sha256 } from "../journal/verify-receipt.js";
import type { ApprovalSigner } from "../ports/permission.js";

/** A key of the platform's WebCrypto. */
export interface ApprovalKey {
  readonly type: string;
  readonly extractable: boolean;
  readonly algorithm: { readonly name: string };
  readonly usages: readonly string[];
}

/** The key as the platform's functions take it. */
type PlatformKey = Parameters<typeof crypto.subtle.verify>[1];

/** An answer before it is recorded. */
export type Unsigned = Pick<
  ApprovalRecord,
  "answers" | "allowed" | "reason" | "always" | "missing" | "text" | "givenAt" | "by"
>;

/** The session of an answer, the call that waits, and the time. */
export interface ProofPlace {
  readonly session: string;
  readonly parked: ParkedRecord;
  /** The call in its reply. Undefined if no reply has it. */
  readonly call: Call | undefined;
  /** The approval before the answer. Undefined if there is none. */
  readonly last: ApprovalRecord | undefined;
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
  const { session, parked, call, last, now: at, salt } = place;
  const unsigned = {
    key,
    session,
    call: await callHash(parked, call),
    principal: await principalHash(answer.by, salt),
    salt,
    at,
    before: await hashOf(last),
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
export function callHash(parked: ParkedRecord, call: Call | undefined): Promise<string> {
  const { callId, name, input, source, reason, digest, preview, expiresAt, quorum } = parked;
  return sha256(canonical([callId, name, input, source, reason, digest, preview, expiresAt, quorum, call]));
}

/** The hash of a principal. Without the salt, names could be tried. */
export function principalHash(by: Principal | undefined, salt: string): Promise<string> {
  return sha256(canonical([salt, by === undefined ? null : [by.tenant ?? null, by.id]]));
}

/** The hash of an approval, by which the next approval names it; a hash of nothing for the first. */
export function hashOf(approval: ApprovalRecord | undefined): Promise<string> {
  return sha256(approval === undefined ? "" : canonical([approval.answers, approval.proof?.signature]));
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
    sign: async (bytes) => new Uint8Array(await crypto.subtle.sign("Ed25519", privateKey as PlatformKey, bytes)),
  };
}
