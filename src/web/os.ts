// The part of node:os that the sources use.

let name: string | undefined;

/** A name that no other program has: nobody can tell from outside whether the holder of a lock still runs here. */
export function hostname(): string {
  // Some runtimes give no random numbers before the first request.
  name ??= `web-${globalThis.crypto.randomUUID()}`;
  return name;
}
