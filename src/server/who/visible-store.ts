// A store as one principal sees it: other sessions do not exist.

import { LastcallError, type Principal } from "../../core/index.js";
import type { ListOptions, Store, StoredSession } from "../../memory/index.js";
import type { Access, Level } from "./access.js";

/** The store without the sessions that the principal may not see. It takes new sessions, and changes those that the principal may use. */
export function visibleStore(store: Store, access: Access, principal: Principal): Store {
  const level = (id: string): Promise<Level> => access.levelOf(principal, id);
  const sees = async (id: string): Promise<boolean> => ["read", "use"].includes(await level(id));
  const expectUsable = async (id: string): Promise<void> => {
    if (["new", "use"].includes(await level(id))) return;
    throw new LastcallError("configuration", `There is no session ${id}.`);
  };
  const { readBytes, attachments } = store;
  return {
    name: store.name,
    ...(store.place && { place: (id: string) => store.place?.(id) ?? store.name }),
    list: (options) => listed(store, sees, options),
    read: async (id, from) => ((await sees(id)) ? store.read(id, from) : undefined),
    ...(readBytes && { readBytes: async (id: string) => ((await sees(id)) ? store.readBytes?.(id) : undefined) }),
    async lock(id, holder) {
      await expectUsable(id);
      return store.lock(id, holder);
    },
    async send(id, message) {
      await expectUsable(id);
      return store.send(id, message);
    },
    messages: async (id) => ((await sees(id)) ? store.messages(id) : []),
    async drop(id, messages) {
      await expectUsable(id);
      return store.drop(id, messages);
    },
    ...(attachments && {
      attachments: (id: string) => {
        const kept = attachments.call(store, id);
        return {
          read: async (digest: string) => ((await sees(id)) ? kept.read(digest) : undefined),
          async write(digest: string, bytes: Uint8Array) {
            await expectUsable(id);
            return kept.write(digest, bytes);
          },
          async remove(digest: string) {
            await expectUsable(id);
            return kept.remove(digest);
          },
        };
      },
    }),
    async delete(id) {
      await expectUsable(id);
      return store.delete(id);
    },
  };
}

/** The sessions that are seen. With `most`, more are looked at until there are so many. */
async function listed(
  store: Store,
  sees: (id: string) => Promise<boolean>,
  { most }: ListOptions = {},
): Promise<readonly StoredSession[]> {
  const seenOf = async (all: readonly StoredSession[]): Promise<readonly StoredSession[]> => {
    const found: StoredSession[] = [];
    for (const session of all) if (await sees(session.id)) found.push(session);
    return found;
  };
  if (most === undefined) return seenOf(await store.list());
  const last = await store.list({ most });
  const found = await seenOf(last);
  return found.length >= most || last.length < most ? found : seenOf(await store.list());
}
