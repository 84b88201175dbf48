// The ids of interrupts: the call or the question that waits, and for an approval the digest of the call that was shown.

/** The id of an interrupt. A client gives it back unchanged, so an approval counts for no other call than the call it saw. */
export function interruptIdOf(id: string, digest?: string): string {
  return digest === undefined ? id : `${id}@${digest}`;
}

/** Reads the id of an interrupt: the call or the question, and the digest if it is an approval. */
export function readInterruptId(text: string): { readonly answers: string; readonly digest: string | undefined } {
  const match = /^(.+)@([0-9a-f]{64})$/s.exec(text);
  return { answers: match?.[1] ?? text, digest: match?.[2] };
}
