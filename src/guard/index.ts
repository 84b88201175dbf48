// Guard: refuses requests that a web page, or anybody without the token, sends to a server on this machine.

import { createHash, timingSafeEqual } from "node:crypto";

/** The callers that may ask. */
export interface GuardSettings {
  /** The host names under which the server is reached. */
  readonly hosts: readonly string[];
  /** The origins of pages that may ask besides the server's own. Default: none. */
  readonly origins?: readonly string[];
  /** The token that each request has to bring; undefined for none. */
  readonly token: string | undefined;
}

/**
 * The refusal of a request; undefined if it may pass. A page that was bound to this machine's address by its name server has another host
 * in its requests, and a page of another origin says so.
 */
export function refusalOf(request: Request, { hosts, origins = [], token }: GuardSettings): Response | undefined {
  const { headers } = request;
  const host = headers.get("host") ?? "";
  if (!hosts.includes(nameOf(host))) return refuse(403, "This host is not served here.");
  const origin = headers.get("origin");
  const isOwn = origin === null || hostOf(origin) === host.toLowerCase();
  if (!isOwn && !origins.includes(origin)) return refuse(403, "This origin may not ask.");
  const site = headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin" && site !== "none" && (origin === null || !origins.includes(origin)))
    return refuse(403, "This page may not ask.");
  const given = headers.get("authorization") ?? "";
  if (token !== undefined && !isSame(given, `Bearer ${token}`)) return refuse(401, "The token is missing or wrong.");
  return undefined;
}

/** The name in a Host header, without the port. */
function nameOf(host: string): string {
  return host.replace(/:\d+$/, "").toLowerCase();
}

/** The host of an origin, with its port if that is not the usual one. */
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

function refuse(status: number, message: string): Response {
  return new Response(JSON.stringify({ error: message }), {
    status,
    headers: { "content-type": "application/json", ...(status === 401 && { "www-authenticate": "Bearer" }) },
  });
}
