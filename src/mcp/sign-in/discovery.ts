// Discovery: where people sign in for a server, and the client that asks there. The addresses come from strangers, so each is checked.

import { LastcallError } from "../../core/index.js";
import { explain } from "../../core/internal.js";
import type { AuthPackage, IssuerMetadata, KnownClient, ResourceMetadata } from "../connect/auth-package.js";
import { boundedFetch } from "../connect/bounded-fetch.js";
import type { Challenge } from "../connect/sign-in-needed.js";
import { foreignLine } from "../foreign/foreign-text.js";

/** The authorization server of a server, and the name of the server there. */
export interface Issuer {
  /** The address under which the metadata was found. */
  readonly address: string;
  readonly metadata: IssuerMetadata;
  /** The name of the server in requests for tokens (RFC 8707), which binds the tokens to it. Undefined for an API that has none. */
  readonly resource?: string | undefined;
}

/** Milliseconds that a request to an authorization server may take, and the most bytes of its answer. */
const [longestRequest, largestAnswer] = [30_000, 1_048_576];

/** Host names and addresses of this machine, of private networks, and of networks that lead to them. */
const privateHosts =
  /^(?:localhost|.*\.(?:localhost|local|internal)|0\.[\d.]+|10\.[\d.]+|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.[\d.]+|127\.[\d.]+|169\.254\.[\d.]+|172\.(?:1[6-9]|2\d|3[01])\.[\d.]+|192\.168\.[\d.]+|198\.1[89]\.[\d.]+|\[(?:::.*|f[cd][\da-f]*:.*|fe[89a-f][\da-f]:.*|64:ff9b:.*|2002:.*)\])$/i;

const hereHosts = /^(?:localhost|127\.[\d.]+|\[::1\])$/;

/** The host of an address. A name may end with a dot, and is the same name. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/\.+$/, "");
}

/**
 * The reason why an address that a server names is not used; undefined if it may be. It is https, or on this machine if the server is on
 * this machine, too. A server elsewhere can't send requests into a private network.
 */
function refusedAddress(address: string | URL, server: URL): string | undefined {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return `it names ${foreignLine(String(address), 200)}, which is no address`;
  }
  const shown = foreignLine(`${url.protocol}//${url.host}`, 200);
  if (url.username !== "" || url.password !== "") return `it names ${shown} with a name or a password`;
  const [host, own] = [hostOf(url), hostOf(server)];
  const isHere = hereHosts.test(host);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isHere))
    return `it names ${shown}, which is not https`;
  if (privateHosts.test(host) && !privateHosts.test(own))
    return `it names ${shown}, which is in a private network, and the server is not`;
  if (isHere && !hereHosts.test(own)) return `it names ${shown}, which is this machine`;
  return undefined;
}

/** Makes the fetch function for addresses that a server names. Redirects are not followed here. `stop` ends each request. */
export function issuerFetch(server: URL, stop?: AbortSignal): typeof fetch {
  const bounded = boundedFetch(fetch, largestAnswer);
  return (input, init) => {
    const address = input instanceof Request ? input.url : input;
    const refused = refusedAddress(address, server);
    if (refused !== undefined) return Promise.reject(new TypeError(refused));
    const signals = [AbortSignal.timeout(longestRequest), init?.signal ?? undefined, stop];
    const signal = AbortSignal.any(signals.filter((one) => one !== undefined));
    return bounded(input, { ...init, redirect: "manual", signal });
  };
}

/** The place that a person has to sign in for, as far as its authorization server depends on it. */
export interface Wanting {
  readonly url: URL;
  /** The issuer of its authorization server, if the program says it. Default: the place says it. */
  readonly issuer?: string | undefined;
  /** The scopes without which nothing is called. */
  readonly scopes?: readonly string[] | undefined;
  /** The name of the place in requests for tokens, if the program says it. */
  readonly resource?: string | undefined;
}

/** The address that vouches for the addresses of an authorization server: the issuer that the program names, or the place itself. */
export function voucherOf({ url, issuer }: Wanting): URL {
  return issuer === undefined ? url : new URL(issuer);
}

/**
 * Finds the authorization server of a place (RFC 9728, RFC 8414), and the scopes to ask for. An issuer that the program names is
 * believed about its own addresses, and need not say that it takes PKCE.
 * @throws Error that says why there is none, or none that is safe.
 */
export async function discover(
  sdk: AuthPackage,
  place: Wanting,
  { scope, metadata: named }: Challenge,
  stop?: AbortSignal,
): Promise<Issuer & { readonly scope: string | undefined }> {
  const { url, issuer, scopes } = place;
  const voucher = voucherOf(place);
  const fetchFn = issuerFetch(voucher, stop);
  const found =
    issuer === undefined
      ? await sdk.discoverOAuthServerInfo(url.href, {
          fetchFn,
          ...(named !== undefined && { resourceMetadataUrl: new URL(named) }),
        })
      : {
          authorizationServerUrl: issuer,
          authorizationServerMetadata: await sdk.discoverAuthorizationServerMetadata(issuer, { fetchFn }),
          resourceMetadata: undefined,
        };
  const { authorizationServerUrl: address, authorizationServerMetadata: metadata, resourceMetadata } = found;
  if (metadata === undefined) throw new Error("it names no authorization server that can be found");
  for (const one of [metadata.authorization_endpoint, metadata.token_endpoint]) {
    const refused = refusedAddress(one, voucher);
    if (refused !== undefined) throw new Error(refused);
  }
  // A server that says nothing about PKCE may ignore it, and then a code that was caught is enough.
  const methods = metadata.code_challenge_methods_supported;
  if (methods?.includes("S256") !== true && (issuer === undefined || methods !== undefined))
    throw new Error("its authorization server does not say that it takes PKCE with S256");
  const own = sdk.computeScopeUnion(listed(scopes), scope) ?? listed(resourceMetadata?.scopes_supported);
  const offline = metadata.scopes_supported?.includes("offline_access") === true ? "offline_access" : undefined;
  const meant = issuer === undefined ? resourceOf(sdk, url, resourceMetadata) : undefined;
  return {
    address,
    metadata: usedOf(metadata),
    resource: place.resource ?? meant,
    scope: own === undefined ? undefined : sdk.computeScopeUnion(own, offline),
  };
}

function listed(scopes: readonly string[] | undefined): string | undefined {
  return scopes === undefined || scopes.length === 0 ? undefined : scopes.join(" ");
}

/** The part of the metadata that is kept. */
function usedOf(metadata: IssuerMetadata): IssuerMetadata {
  const { issuer, authorization_endpoint, token_endpoint, authorization_response_iss_parameter_supported } = metadata;
  const { registration_endpoint, client_id_metadata_document_supported } = metadata;
  const { token_endpoint_auth_methods_supported } = metadata;
  return {
    issuer,
    authorization_endpoint,
    token_endpoint,
    registration_endpoint,
    client_id_metadata_document_supported,
    authorization_response_iss_parameter_supported,
    token_endpoint_auth_methods_supported,
    // The package wants to find both lists.
    ...({ response_types_supported: ["code"] } as object),
    code_challenge_methods_supported: ["S256"],
  };
}

function resourceOf(sdk: AuthPackage, server: URL, metadata: ResourceMetadata | undefined): string {
  const own = server.href.replace(/#.*$/, "");
  if (metadata === undefined) return own;
  const { resource } = metadata;
  if (!sdk.checkResourceAllowed({ requestedResource: own, configuredResource: resource }))
    throw new Error(`it says that it is ${foreignLine(resource, 200)}, which is another server`);
  return resource;
}

/** The terms of a registration. */
export interface Registration {
  /** The address that the authorization server sends people back to. */
  readonly redirect: string;
  /** The name of the program, which people see when they sign in. */
  readonly program: string;
}

/**
 * Registers a client that has no secret (RFC 7591).
 * @throws Error if the authorization server refuses, or takes no registrations.
 */
export async function register(
  sdk: AuthPackage,
  fetchFn: typeof fetch,
  { address, metadata }: Pick<Issuer, "address" | "metadata">,
  { redirect, program }: Registration,
): Promise<KnownClient> {
  if (metadata.registration_endpoint === undefined)
    throw new Error(
      `its authorization server ${foreignLine(metadata.issuer, 200)} takes no registrations: give \`clients\` of signIns the client that you have there`,
    );
  const { client_id, client_secret } = await sdk.registerClient(address, {
    metadata,
    clientMetadata: {
      client_name: program,
      redirect_uris: [redirect],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      application_type: hereHosts.test(new URL(redirect).hostname) ? "native" : "web",
    },
    fetchFn,
  });
  return { client_id, ...(client_secret !== undefined && { client_secret }) };
}

/**
 * The reason of a failed request to an authorization server, in few words. Its own words are left out but for its code: they may hold what
 * was sent.
 */
export function reasonOfRefusal(sdk: AuthPackage, thrown: unknown): string {
  const code = refusalCode(sdk, thrown);
  if (code !== undefined) return `its authorization server answered ${code}`;
  if (thrown instanceof LastcallError) return thrown.message;
  if (thrown instanceof Error && thrown.name === "RegistrationRejectedError")
    return "its authorization server refused to register this client";
  return foreignLine(explain(thrown), 300).replace(/\.$/, "");
}

/** The code with which an authorization server refused; undefined if it did not answer so. */
export function refusalCode(sdk: AuthPackage, thrown: unknown): string | undefined {
  if (!(thrown instanceof sdk.OAuthError)) return undefined;
  return /^[a-z_]{1,60}$/.test(thrown.code) ? thrown.code : "an error";
}
