// The port for vaults, which keep tokens and what belongs to sign-ins, and the vault in memory.

/** The longest wait for another process that changes the same key, in milliseconds. */
export const longestWait = 60_000;

/** A text in a vault. */
export interface Kept {
  /** The text, which may hold tokens. */
  readonly text: string;
  /** The time after which it is no use, in milliseconds since 1970. Default: it stays. */
  readonly until?: number | undefined;
}

/**
 * A place for tokens: texts under keys. `fileVault`, `pgStore(pool).vault()` and `memoryVault` make them.
 *
 * Contract: `read` returns the text that was kept last, and undefined for a key that has none, or whose time is over. `change` calls `next`
 * with that text and keeps what it returns; undefined removes it. Changes of one key come one after the other, in all processes that
 * share the vault, and a change that throws keeps the text as it was. A text that `change` kept is there after a crash. Nobody
 * else reads the vault: a text is as secret as a password.
 */
export interface Vault {
  read(key: string): Promise<string | undefined>;
  change(key: string, next: (now: string | undefined) => Promise<Kept | undefined>): Promise<void>;
}

/** Makes a vault in the memory of this process. Its tokens are gone with the process, so sign-ins that wait are lost, too. */
export function memoryVault(): Vault {
  const kept = new Map<string, Kept>();
  const turns = new Map<string, Promise<void>>();
  const textOf = (key: string): string | undefined => {
    const found = kept.get(key);
    return found === undefined || isOver(found) ? undefined : found.text;
  };
  return {
    read: (key) => Promise.resolve(textOf(key)),
    change(key, next) {
      const turn = (turns.get(key) ?? Promise.resolve()).then(async () => {
        const text = await next(textOf(key));
        if (text === undefined) kept.delete(key);
        else kept.set(key, text);
        for (const [other, one] of kept) if (isOver(one)) kept.delete(other);
      });
      const settled = turn.catch(() => undefined);
      turns.set(key, settled);
      void settled.then(() => {
        if (turns.get(key) === settled) turns.delete(key);
      });
      return turn;
    },
  };
}

/** True if the time of a text is over. */
export function isOver({ until = Infinity }: Kept): boolean {
  return Date.now() >= until;
}
