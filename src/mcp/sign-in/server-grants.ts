// Grants: the tokens of people for servers, in the vault. A token that is over is refreshed once, by one process.

import { LastcallError, type Principal } from "../../core/index.js";
import type { AuthPackage, KnownClient, SentTokens } from "../connect/auth-package.js";
import { issuerFetch, reasonOfRefusal, refusalCode, voucherOf, type Issuer, type Wanting } from "./discovery.js";
import type { Kept, Vault } from "../../vault/index.js";

/** A place that wants people to sign in: an MCP server, or an API that tools of one's own call. */
export interface Place extends Wanting {
  /** Default: an MCP server. */
  readonly what?: "API" | undefined;
  /** The name of the server or the API, for words. */
  readonly server: string;
}

/** The kind of a place, for words. */
export function whatOf({ what }: Place): string {
  return what ?? "MCP server";
}

/** A person at a place: whose token it is, and for which place. */
export interface Seat extends Place {
  /** The person whose token it is. Undefined for callers without a name, who are one. */
  readonly principal: Principal | undefined;
}

/** The tokens of a person for a server, and whence they came. */
export interface Grant extends Issuer {
  readonly client: KnownClient;
  readonly access: string;
  readonly refresh?: string | undefined;
  readonly scope?: string | undefined;
  /** The scopes that were asked for. A person may have given less. */
  readonly asked?: string | undefined;
  /** The time after which the access token is no use, in milliseconds since 1970. */
  readonly until?: number | undefined;
  /** The key of the sign-in that it came from. */
  readonly from: string;
}

/** The part of its life, and the most milliseconds, before the end of a token when it is refreshed. */
const [shareBefore, mostBefore] = [0.1, 30_000];

/** The codes of an authorization server that will never refresh this token. */
const ended: readonly string[] = ["invalid_grant", "invalid_client", "unauthorized_client"];

/** The grants in a vault. */
export class Grants {
  readonly #vault: Vault;
  readonly #load: () => Promise<AuthPackage>;

  constructor(vault: Vault, load: () => Promise<AuthPackage>) {
    this.#vault = vault;
    this.#load = load;
  }

  /** The grant as the vault has it; undefined if there is none. */
  async of(seat: Seat): Promise<Grant | undefined> {
    return grantIn(await this.#vault.read(keyOf(seat)));
  }

  /**
   * The access token of a person for a server, refreshed if it is about to end; undefined if the person has to sign in.
   * @throws LastcallError `provider_unavailable` if the authorization server can't be reached.
   */
  async tokenOf(seat: Seat): Promise<string | undefined> {
    const grant = await this.of(seat);
    if (grant === undefined || !hasAsked(grant, seat)) return undefined;
    if (!isDue(grant)) return grant.access;
    return this.renew(seat, grant.access);
  }

  /**
   * A token that is newer than the refused token. One process asks for the token, and all other processes take the answer. Undefined if
   * the person has to sign in: the grant was revoked, or can't be refreshed.
   */
  async renew(seat: Seat, refused: string): Promise<string | undefined> {
    let access: string | undefined;
    await this.#vault.change(keyOf(seat), async (now) => {
      const grant = grantIn(now);
      if (grant === undefined) return undefined;
      if (grant.access !== refused && !isDue(grant)) {
        access = grant.access;
        return keptOf(grant);
      }
      const fresh = await this.#refreshed(seat, grant);
      access = fresh?.access;
      return fresh && keptOf(fresh);
    });
    return access;
  }

  async save(seat: Seat, grant: Grant): Promise<void> {
    await this.#vault.change(keyOf(seat), () => Promise.resolve(keptOf(grant)));
  }

  async drop(seat: Seat): Promise<void> {
    await this.#vault.change(keyOf(seat), () => Promise.resolve(undefined));
  }

  async #refreshed(seat: Seat, grant: Grant): Promise<Grant | undefined> {
    const { refresh, address, metadata, client, resource } = grant;
    if (refresh === undefined) return undefined;
    const sdk = await this.#load();
    try {
      const terms = {
        metadata,
        clientInformation: client,
        refreshToken: refresh,
        ...(resource !== undefined && { resource }),
      };
      const sent = await sdk.refreshAuthorization(address, { ...terms, fetchFn: issuerFetch(voucherOf(seat)) });
      return { ...grant, ...tokensOf(sent, grant.scope) };
    } catch (thrown) {
      if (ended.includes(refusalCode(sdk, thrown) ?? "")) return undefined;
      // The cause is left out: it may hold what was sent.
      const why = reasonOfRefusal(sdk, thrown);
      const message = `The sign-in at the ${whatOf(seat)} "${seat.server}" can't be refreshed: ${why}.`;
      throw new LastcallError("provider_unavailable", message);
    }
  }
}

/** The tokens of an answer, as a grant keeps them. An answer without a scope has the scope that was asked for. */
export function tokensOf(
  { access_token, token_type, expires_in, refresh_token, scope }: SentTokens,
  asked: string | undefined,
): Pick<Grant, "access" | "refresh" | "scope" | "until"> {
  if (token_type.toLowerCase() !== "bearer") throw new Error("its authorization server gave a token of another kind");
  if (!/^[\x21-\x7e]{1,16384}$/.test(access_token)) throw new Error("its authorization server gave no usable token");
  return {
    access: access_token,
    refresh: refresh_token,
    scope: scope ?? asked,
    until: expires_in === undefined ? undefined : Date.now() + expires_in * 1000 - marginOf(expires_in * 1000),
  };
}

function marginOf(life: number): number {
  return Math.min(mostBefore, life * shareBefore);
}

function isDue({ until = Infinity }: Grant): boolean {
  return Date.now() >= until;
}

/** True if each scope that calls need was given or asked for. */
function hasAsked({ scope = "", asked = "" }: Grant, { scopes = [] }: Seat): boolean {
  const known = new Set(`${scope} ${asked}`.split(" "));
  return scopes.every((one) => known.has(one));
}

/** The key of a grant: one for each person and server. */
function keyOf({ url, principal }: Seat): string {
  return JSON.stringify(["grant", url.href, principal?.tenant ?? null, principal?.id ?? null]);
}

function keptOf(grant: Grant): Kept {
  return { text: JSON.stringify(grant) };
}

function grantIn(text: string | undefined): Grant | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as Grant);
}
