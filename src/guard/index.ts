// Guard: refuses requests that a web page, or anybody without the token, sends to a server on this machine, keeps paths from callers, and
// tells the sessions of one principal from the sessions of another.

import { createHash, timingSafeEqual } from "node:crypto";
import type { JsonObject, Principal } from "../core/index.js";
import { readPrincipal } from "../core/internal.js";

/** The callers that may ask. */
export interface GuardSettings {
  /** The host names under which the server is reached. */
  readonly hosts: readonly string[];
  /** The origins of pages that may ask besides the server's own. Default: none. */
  readonly origins?: readonly string[];
  /** The token that each request has to bring; undefined for none. */
  readonly token: string | undefined;
  /** True if only callers on this machine may ask: nothing else tells these callers from other callers. */
  readonly onlyHere: boolean;
  /** True for files of a page, which are the same for everybody: links elsewhere may lead to them. Default false. */
  readonly isPage?: boolean;
}

/** The sender of a request, as `authenticate` knows it. */
export type Sender = Principal | boolean | undefined;

/** Says who sends a request. */
export type Authenticate = (request: Request) => Sender | Promise<Sender>;

/** The sender of a request that may pass; undefined if all callers are alike. */
export interface Admitted {
  readonly principal: Principal | undefined;
}

/**
 * Asks who sends the request. Undefined for a sender that is nobody.
 * @throws LastcallError `configuration` for a principal that is none.
 */
export async function admittedBy(authenticate: Authenticate, request: Request): Promise<Admitted | undefined> {
  const sender = await authenticate(request);
  if (sender === undefined || sender === false) return undefined;
  if (sender === true) return { principal: undefined };
  return { principal: readPrincipal(sender, "The principal that authenticate returned") };
}

/** The token that the request brings as `authorization: Bearer <token>`; undefined for none. */
export function bearerIn({ headers }: Request): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(headers.get("authorization") ?? "")?.[1];
}

/** The digest of a principal that stands in the ids of its sessions: 16 letters and digits. */
export function digestOf({ tenant, id }: Principal): string {
  const whose = JSON.stringify([tenant ?? null, id]);
  return createHash("sha256").update(whose).digest("hex").slice(0, 16);
}

/** The data that a session keeps of its owner. */
export function ownedBy({ id, tenant }: Principal): { readonly owner: JsonObject } {
  return { owner: { id, ...(tenant !== undefined && { tenant }) } };
}

/** The names of this machine. */
export const thisMachine: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];

/**
 * The refusal of a request; undefined if it may pass. A page that was bound to this machine's address by its name server has another host
 * in its requests, and a page of another origin says so.
 */
export function refusalOf(
  request: Request,
  { hosts, origins = [], token, onlyHere, isPage = false }: GuardSettings,
): Response | undefined {
  const { headers } = request;
  const elsewhere = onlyHere ? whyElsewhere(request) : undefined;
  if (elsewhere !== undefined)
    return refuse(403, `${elsewhere} Without a token or \`authenticate\`, only callers on this machine may ask.`);
  const host = headers.get("host") ?? "";
  if (!hosts.includes(nameOf(host))) return refuse(403, "This host is not served here.");
  const origin = headers.get("origin");
  const isOwn = origin === null || hostOf(origin) === host.toLowerCase();
  if (!isOwn && !origins.includes(origin)) return refuse(403, "This origin may not ask.");
  const site = headers.get("sec-fetch-site");
  const isLink = isPage && headers.get("sec-fetch-mode") === "navigate" && headers.get("sec-fetch-dest") === "document";
  if (
    !isLink &&
    site !== null &&
    site !== "same-origin" &&
    site !== "none" &&
    (origin === null || !origins.includes(origin))
  )
    return refuse(403, "This page may not ask.");
  const given = headers.get("authorization") ?? "";
  if (token !== undefined && !isSame(given, `Bearer ${token}`)) return refuse(401, "The token is missing or wrong.");
  return undefined;
}

/** A path from a root, of at least two names, and not a part of an address. Windows begins it with a drive. */
const paths = /(?<![\w:/.])(?:[A-Za-z]:(?=[\\/])|~)?[\\/]+[^\s'"`()<>,;\\/]+(?:[\\/]+[^\s'"`()<>,;\\/]+)+[\\/]?/g;

/** The words of a fault for a caller: without the folders and files of this machine, which they name for its owner. */
export function withoutPaths(message: string): string {
  return message.replaceAll(paths, "…");
}

/** Headers that a proxy adds: the sender is somebody whom it does not show. */
const forwarding: readonly string[] = [
  ...["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"],
];

/** The words about a caller that is not on this machine, or may not be. The headers of a caller can say anything, so they admit nobody. */
function whyElsewhere(request: Request): string | undefined {
  const address = addressOf(request);
  if (address === undefined)
    return "The server that this handler is mounted in does not tell the address of the caller.";
  if (!isHere(address)) return "The request comes from another machine.";
  return forwarding.some((name) => request.headers.has(name)) ? "A proxy has passed this request on." : undefined;
}

/** A request as srvx makes it, which `serve` listens with, and `nodeHandler`. */
interface HeardRequest {
  readonly runtime?: { readonly name?: unknown };
  /** The address of the socket's other end. */
  readonly ip?: unknown;
}

/** The runtimes whose requests have the address from the socket. On other runtimes it comes from a header. */
const ofSockets: ReadonlySet<unknown> = new Set(["node", "bun", "deno"]);

/** The address of the caller's socket. Undefined if nobody tells it: for a request made by hand, and for a socket of the file system. */
function addressOf(request: Request): string | undefined {
  const { runtime, ip } = request as HeardRequest;
  return ofSockets.has(runtime?.name) && typeof ip === "string" && ip !== "" ? ip : undefined;
}

/** True for an address that only this machine has, also as IPv6 writes one of IPv4. */
function isHere(address: string): boolean {
  return address === "::1" || /^(?:::ffff:)?127\.\d+\.\d+\.\d+$/i.test(address);
}

/** The name in a Host header, without the port. */
function nameOf(host: string): string {
  return host.replace(/:\d+$/, "").toLowerCase();
}

/** The host of an origin, with its port if that is not the usual port. */
function hostOf(origin: string): string {
  try {
    return new URL(origin).host;
  } catch {
    return "";
  }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash("sha256").update(text).digest()) as [Buffer, Buffer];
  return timingSafeEqual(a, b);
}

/** The answer to a request of nobody. It names the scheme, as HTTP wants it of each 401. */
export function unauthorized(): Response {
  return refuse(401, "The request is not authorized.");
}

function refuse(status: number, message: string): Response {
  return new Response(JSON.stringify({ error: message }), {
    status,
    headers: { "content-type": "application/json", ...(status === 401 && { "www-authenticate": "Bearer" }) },
  });
}
