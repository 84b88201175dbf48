// Sign-ins: how people sign in at servers. A sign-in begins with a question of a run, and ends with the address that they are sent back to.

import { createHash, randomBytes } from "node:crypto";
import { LastcallError, type Principal } from "../../core/index.js";
import {
  atCaller,
  checkOptions,
  isPlainObject,
  isSamePrincipal,
  needed,
  type OptionKinds,
} from "../../core/internal.js";
import type { KnownClient } from "../connect/auth-package.js";
import { loadClient } from "../connect/package.js";
import type { SignInNeeded } from "../connect/sign-in-needed.js";
import { foreignLine } from "../foreign/foreign-text.js";
import { discover, issuerFetch, reasonOfRefusal, refusalCode, register, voucherOf, type Issuer } from "./discovery.js";
import type { SignInQuestion } from "./asker.js";
import { Grants, tokensOf, whatOf, type Seat } from "./server-grants.js";
import { signInApi, type SignInApi, type SignInApiOptions } from "./sign-in-api.js";
import type { Vault } from "../../vault/index.js";

/** The options of `signIns`. */
export interface SignInOptions {
  /** Keeps the tokens, by person and server. */
  readonly vault: Vault;
  /**
   * The address to which people are sent back, such as `https://agents.example/oauth/callback`: https, or http on this machine. Whatever
   * answers there passes the whole address on to `complete`; `createHandler({ signIn })` does.
   */
  readonly redirect: string;
  /**
   * The clients that you have registered, by the issuer of their authorization server. Default: the client names itself by `document`
   * where that is taken, and registers itself otherwise.
   */
  readonly clients?:
    Readonly<Record<string, { readonly id: string; readonly secret?: string | undefined }>> | undefined;
  /** The https address of a document that describes this client, which is the client's id (CIMD). Default: none. */
  readonly document?: string | undefined;
  /** The name of your program, which people see when they sign in. Default `lastcall`. */
  readonly program?: string | undefined;
}

/** The end of a sign-in. */
export interface SignedIn {
  /** The name of the server. */
  readonly server: string;
  /** The id of the call that asked. The session that waits begins its question's id with it. */
  readonly call: string;
  /** The answer to the question of the run. */
  readonly answer: { readonly action: "accept" | "decline" };
}

/** The sign-ins of a program, for `mcpTools`, `createHandler` and tools of your own. `signIns` makes them. */
export interface SignIns {
  /** The address to which people are sent back. */
  readonly redirect: string;
  /**
   * Ends a sign-in with the whole address to which the person was sent back. The tokens are in the vault then, and the run that waits goes
   * on with `answer`. The same address may come again, for example after a crash, and ends in the same way. `by` is the person who brings
   * it, if that is known: only the person who was asked may.
   * @throws LastcallError `configuration` for an address of no sign-in that waits, or of another person's; `authentication` if the
   * authorization server is another than asked, or refuses the code.
   */
  complete(address: string, by?: Principal): Promise<SignedIn>;
  /**
   * Makes an API at which people sign in, for tools of your own. A call asks its person as a call of an MCP server does, and `complete`
   * ends that sign-in.
   * @throws LastcallError `configuration` that names the wrong option.
   */
  api(options: SignInApiOptions): SignInApi;
}

const signInOptions = {
  vault: needed("object"),
  redirect: needed("text"),
  clients: "object",
  document: "text",
  program: "text",
} satisfies OptionKinds<SignInOptions>;

/** Milliseconds that a sign-in waits for its person, and that its end is known. */
const [longestSignIn, longestKnown] = [7 * 24 * 3_600_000, 24 * 3_600_000];

/**
 * Makes the sign-ins of a program. They share the vault with all processes that have it: any process may complete a sign-in.
 * @throws LastcallError `configuration` for a wrong option.
 */
export function signIns(options: SignInOptions): SignIns {
  return atCaller(signIns, () => {
    checkOptions("signIns", options, signInOptions);
    const { redirect, document, clients = {} } = options;
    expectAddress("redirect", redirect, ["localhost", "127.0.0.1", "[::1]"]);
    if (document !== undefined) expectAddress("document", document, []);
    for (const [issuer, client] of Object.entries(clients))
      if (!isPlainObject(client) || typeof client.id !== "string")
        throw wrong(`signIns has a client of ${issuer} without an id: give clients: { "${issuer}": { id: "..." } }`);
    return new SignInDesk(options);
  });
}

function expectAddress(name: string, text: string, here: readonly string[]): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && here.includes(url.hostname));
  if (url === undefined || !isSafe || url.hash !== "" || url.search !== "")
    throw wrong(`The ${name} of signIns is ${JSON.stringify(text)}: give an https address without ? and #`);
}

/** A sign-in that waits for its person, or that has ended. */
interface Pending extends Issuer {
  readonly what?: Seat["what"];
  readonly server: string;
  readonly url: string;
  /** The issuer that the program named. */
  readonly named?: string | undefined;
  readonly principal?: Principal | undefined;
  readonly call: string;
  readonly client: KnownClient;
  readonly scope?: string | undefined;
  /** The secret of PKCE. It never leaves the vault but for the authorization server. */
  readonly verifier: string;
  readonly end?: SignedIn["answer"]["action"] | undefined;
}

/** The place where sign-ins begin and end. */
export class SignInDesk implements SignIns {
  readonly redirect: string;
  readonly vault: Vault;
  readonly grants: Grants;
  readonly #options: SignInOptions;

  constructor(options: SignInOptions) {
    this.redirect = options.redirect;
    this.vault = options.vault;
    this.grants = new Grants(options.vault, loadPackage);
    this.#options = options;
  }

  api(options: SignInApiOptions): SignInApi {
    return signInApi(this, options);
  }

  /**
   * Begins a sign-in of a person for a call, and returns the question to the person. It stops with the call.
   * @throws LastcallError `authentication` if the server names no authorization server that may be used; the signal's reason if it aborts.
   */
  async begin(
    seat: Seat,
    { id: call, signal }: { readonly id: string; readonly signal: AbortSignal },
    { challenge }: SignInNeeded,
  ): Promise<SignInQuestion> {
    const sdk = await loadPackage();
    try {
      const { scope: asked, ...issuer } = await discover(sdk, seat, challenge, signal);
      const held = challenge.isStepUp ? (await this.grants.of(seat))?.scope : undefined;
      const scope = sdk.computeScopeUnion(held, asked);
      const client = await this.#client(issuer, issuerFetch(voucherOf(seat), signal));
      const state = randomBytes(32).toString("base64url");
      const { authorizationUrl, codeVerifier } = await sdk.startAuthorization(issuer.address, {
        metadata: issuer.metadata,
        clientInformation: client,
        redirectUrl: this.redirect,
        state,
        ...(issuer.resource !== undefined && { resource: issuer.resource }),
        ...(scope !== undefined && { scope }),
      });
      const { what, server, url, issuer: named, principal } = seat;
      const pending: Pending = {
        ...issuer,
        what,
        server,
        url: url.href,
        named,
        principal,
        call,
        client,
        scope,
        verifier: codeVerifier,
      };
      await this.#keep(keyOf(state), pending, longestSignIn);
      return {
        kind: "sign_in",
        server,
        message: messageOf(seat, authorizationUrl, challenge.isStepUp),
        address: authorizationUrl.href,
        scopes: scope?.split(" ") ?? [],
      };
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof LastcallError && thrown.code === "store") throw thrown;
      const why = reasonOfRefusal(sdk, thrown);
      throw new LastcallError(
        "authentication",
        `The ${whatOf(seat)} "${seat.server}" wants a sign-in, which can't begin: ${why}.`,
      );
    }
  }

  async complete(address: string, by?: Principal): Promise<SignedIn> {
    const params = this.#paramsOf(address);
    const state = params.get("state") ?? "";
    const unknown = wrong(
      "No sign-in waits for this address: it has ended, or is another person's. Answer the question of the run anew to get another address",
    );
    const key = keyOf(state);
    let done: SignedIn | undefined;
    await this.vault.change(key, async (now) => {
      if (state === "" || now === undefined) throw unknown;
      const pending = JSON.parse(now) as Pending;
      if (!isTheirs(pending, by)) throw unknown;
      const action = pending.end ?? (await this.#end(pending, params, key));
      done = { server: pending.server, call: pending.call, answer: { action } };
      // The verifier is used up.
      const ended: Pending = { ...pending, verifier: "", end: action };
      return { text: JSON.stringify(ended), until: Date.now() + longestKnown };
    });
    if (done === undefined) throw unknown;
    return done;
  }

  #paramsOf(address: string): URLSearchParams {
    const [url, own] = [URL.canParse(address) ? new URL(address) : undefined, new URL(this.redirect)];
    if (url?.origin === own.origin && url.pathname === own.pathname) return url.searchParams;
    throw wrong(`This is no address that a sign-in sends people back to: such an address begins with ${this.redirect}`);
  }

  /** Ends a sign-in: the code becomes tokens, or the person has said no. */
  async #end(pending: Pending, params: URLSearchParams, key: string): Promise<SignedIn["answer"]["action"]> {
    const sdk = await loadPackage();
    const { address, metadata, resource, client, scope, verifier, what, server, principal } = pending;
    const seat: Seat = { what, server, url: new URL(pending.url), issuer: pending.named, principal };
    const iss = params.get("iss") ?? undefined;
    try {
      // First of all: an answer of another authorization server is worth nothing, its errors included (RFC 9207).
      sdk.validateAuthorizationResponseIssuer({
        iss,
        expectedIssuer: metadata.issuer,
        issParameterSupported: metadata.authorization_response_iss_parameter_supported === true,
      });
    } catch {
      throw failed(seat, "the answer is of another authorization server than the server's");
    }
    const code = params.get("code");
    if (code === null) {
      if (params.get("error") === "access_denied") return "decline";
      const error = params.get("error") ?? "";
      throw failed(
        seat,
        /^[a-z_]{1,60}$/.test(error) ? `its authorization server answered ${error}` : "there is no code",
      );
    }
    try {
      const sent = await sdk.exchangeAuthorization(address, {
        metadata,
        clientInformation: client,
        authorizationCode: code,
        codeVerifier: verifier,
        redirectUri: this.redirect,
        fetchFn: issuerFetch(voucherOf(seat)),
        ...(resource !== undefined && { resource }),
        ...(iss !== undefined && { iss }),
      });
      const tokens = tokensOf(sent, scope);
      await this.grants.save(seat, { address, metadata, resource, client, from: key, asked: scope, ...tokens });
    } catch (thrown) {
      // A process may have died between the tokens and the end of the sign-in.
      if ((await this.grants.of(seat))?.from === key) return "accept";
      if (thrown instanceof LastcallError && thrown.code === "store") throw thrown;
      if (refusalCode(sdk, thrown) === "invalid_client")
        await this.vault.change(this.#clientKey(pending), async () => Promise.resolve(undefined));
      throw failed(seat, reasonOfRefusal(sdk, thrown));
    }
    return "accept";
  }

  /** The client for an authorization server: registered by you, named by its document, or registered once and kept. */
  async #client(issuer: Issuer, fetchFn: typeof fetch): Promise<KnownClient> {
    const { clients = {}, document, program = "lastcall" } = this.#options;
    const own = Object.entries(clients).find(
      ([name]) => withoutSlash(name) === withoutSlash(issuer.metadata.issuer),
    )?.[1];
    if (own !== undefined) return { client_id: own.id, ...(own.secret !== undefined && { client_secret: own.secret }) };
    if (document !== undefined && issuer.metadata.client_id_metadata_document_supported === true)
      return { client_id: document };
    const key = this.#clientKey(issuer);
    let client: KnownClient | undefined;
    await this.vault.change(key, async (now) => {
      client =
        now === undefined
          ? await register(await loadPackage(), fetchFn, issuer, { redirect: this.redirect, program })
          : (JSON.parse(now) as KnownClient);
      return { text: JSON.stringify(client) };
    });
    if (client === undefined) throw new Error("its authorization server gave no client");
    return client;
  }

  #clientKey({ metadata }: Pick<Issuer, "metadata">): string {
    return JSON.stringify(["client", metadata.issuer, this.redirect]);
  }

  async #keep(key: string, pending: Pending, life: number): Promise<void> {
    await this.vault.change(key, () => Promise.resolve({ text: JSON.stringify(pending), until: Date.now() + life }));
  }
}

function messageOf(seat: Seat, address: URL, isStepUp: boolean): string {
  const why = isStepUp ? "needs more rights than you have given" : "wants you to sign in";
  return `The ${whatOf(seat)} ${seat.server} ${why}. Open the address of ${foreignLine(address.host, 200)} in a browser.`;
}

/** True if the person who brings the address is the person who was asked. A caller who may do everything has no name. */
function isTheirs({ principal }: Pending, by: Principal | undefined): boolean {
  return by === undefined || (principal !== undefined && isSamePrincipal(principal, by));
}

/** The key of a sign-in: whoever can read the names of a vault's texts learns no state. */
function keyOf(state: string): string {
  return JSON.stringify(["sign-in", createHash("sha256").update(state).digest("hex")]);
}

function withoutSlash(issuer: string): string {
  return issuer.replace(/\/$/, "");
}

function wrong(problem: string): LastcallError {
  return new LastcallError("configuration", `${problem}.`);
}

function failed(seat: Seat, why: string): LastcallError {
  return new LastcallError("authentication", `The sign-in at the ${whatOf(seat)} "${seat.server}" failed: ${why}.`);
}

function loadPackage(): ReturnType<typeof loadClient> {
  return loadClient("signIns");
}
