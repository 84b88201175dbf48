// Access: which sessions a principal may look at, and which it may use.

import type { JsonObject, Principal } from "../../core/index.js";
import { isPlainObject, isSamePrincipal } from "../../core/internal.js";
import { digestOf } from "../../guard/index.js";
import { openSession, rootOf, type Store } from "../../memory/index.js";

/** The options of a handler about callers with names. */
export interface AccessOptions {
  /**
   * The role of the principals to whom sessions without an owner belong: sessions of the command, of programs that give inputs to the host
   * themselves, and of older servers. Default: nobody sees them.
   */
  readonly unowned?: string | undefined;
  /** Decides who may look at the session of another principal, besides its owner. It may use nothing of it. Default: nobody. */
  readonly mayRead?: ((principal: Principal, session: OwnedSession) => boolean | Promise<boolean>) | undefined;
}

/** A session and its owner. */
export interface OwnedSession {
  readonly id: string;
  /** The id and the tenant of the principal that began it. */
  readonly owner: Principal;
}

/** The thing that a principal may do with a session: nothing, look, or use it. `new`: nobody has such a session yet. */
export type Level = "none" | "new" | "read" | "use";

/** The most sessions whose owners are kept in mind. */
const mostKnown = 20_000;

/** The owner of each session of a store, and the options. */
export class Access {
  readonly #store: Store;
  readonly #options: AccessOptions;
  /** The owners of sessions that exist; undefined for a session without one. An owner never changes. */
  readonly #owners = new Map<string, Principal | undefined>();

  constructor(store: Store, options: AccessOptions) {
    this.#store = store;
    this.#options = options;
  }

  /** The level of a principal at a session. An agent's session in a call belongs to the owner of the session around it. */
  async levelOf(principal: Principal, id: string): Promise<Level> {
    const root = rootOf(id);
    const found = await this.#ownerOf(root);
    if (found === "new") return "new";
    if (found === undefined) {
      const { unowned } = this.#options;
      return unowned !== undefined && principal.roles?.includes(unowned) === true ? "use" : "none";
    }
    if (isSamePrincipal(found, principal)) return "use";
    return (await this.#options.mayRead?.(principal, { id: root, owner: found })) === true ? "read" : "none";
  }

  async #ownerOf(id: string): Promise<Principal | undefined | "new"> {
    if (this.#owners.has(id)) return this.#owners.get(id);
    if ((await this.#store.read(id)) === undefined) return "new";
    let owner: Principal | undefined;
    try {
      owner = ownerIn(await openSession({ store: this.#store, id }).about());
    } catch {
      // A damaged session tells no owner. It must not hide the other sessions of a list.
      return undefined;
    }
    if (this.#owners.size >= mostKnown) this.#owners.delete(this.#owners.keys().next().value ?? "");
    this.#owners.set(id, owner);
    return owner;
  }
}

/** The owner in the data of a session; undefined if it has none. */
function ownerIn(about: JsonObject | undefined): Principal | undefined {
  const owner = about?.["owner"];
  if (!isPlainObject(owner) || typeof owner["id"] !== "string") return undefined;
  return { id: owner["id"], ...(typeof owner["tenant"] === "string" && { tenant: owner["tenant"] }) };
}

/**
 * The id under which a session is kept that a client names before it exists. Two clients may choose the same name, and neither learns of
 * the other's session. Each name has one id for each principal.
 */
export function keptAs(principal: Principal, name: string): string {
  return `${digestOf(principal)}.${name}`;
}
