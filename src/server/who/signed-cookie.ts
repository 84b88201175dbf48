// signedCookie: principals in a cookie that this server has signed.

import { LastcallError, type Principal } from "../../core/index.js";
import {
  atCaller,
  checkOptions,
  listOf,
  needed,
  readPrincipal,
  toBase64,
  wholeNumber,
  type OptionKinds,
} from "../../core/internal.js";

/** The options of `signedCookie`. */
export interface SignedCookieOptions {
  /**
   * The secrets, each of at least 32 characters. The first signs, and all verify: a new secret goes to the front, and the old secret goes
   * once its last cookie has expired.
   */
  readonly secrets: readonly string[];
  /** The name of the cookie. Default: `__Host-lastcall`, a name that browsers take from this host alone. */
  readonly name?: string | undefined;
  /** Milliseconds for which a cookie counts, at least 1000. The end stands in the signed value. Default: 8 hours. */
  readonly maxAge?: number | undefined;
}

/** A cookie that says who asks. */
export interface SignedCookie {
  /** The principal of the cookie that the request brings, for `createHandler` and `mcpHandler`. Undefined for none that counts. */
  authenticate(request: Request): Promise<Principal | undefined>;
  /**
   * The value of a header `set-cookie` that signs the principal in. The cookie is `HttpOnly`, `Secure` and `SameSite=Lax`, for all paths of
   * this host. Its value is signed, and not encrypted: the person at the browser can read the principal.
   * @throws LastcallError `configuration` for a principal that is none, or that is too long for a cookie.
   */
  set(principal: Principal): Promise<string>;
  /** The value of a header `set-cookie` that takes the cookie away from this browser. */
  clear(): string;
}

const cookieOptions = {
  secrets: needed(listOf("text")),
  name: "text",
  maxAge: "number",
} satisfies OptionKinds<SignedCookieOptions>;

const defaultName = "__Host-lastcall";
const shortestSecret = 32;
/** The longest cookie that every browser keeps: its name and its value. */
const longestCookie = 4096;
const eightHours = 8 * 60 * 60 * 1000;
const attributes = "Path=/; HttpOnly; Secure; SameSite=Lax";

/** A key of the platform. */
type Key = Parameters<typeof crypto.subtle.verify>[1];

/**
 * Makes a cookie that says who asks, signed by HMAC-SHA-256 of the platform. Nothing is stored, so a cookie counts until it expires or its
 * secret is gone. The name is signed too: a cookie does not count under another name.
 * @throws LastcallError `configuration` for a wrong option, without a secret, and for a secret of less than 32 characters. The message has
 * no secret.
 */
export function signedCookie(options: SignedCookieOptions): SignedCookie {
  atCaller(signedCookie, () => {
    expectOptions(options);
  });
  const { name = defaultName, maxAge = eightHours } = options;
  const secrets = [...options.secrets];
  let imported: Promise<readonly Key[]> | undefined;
  const keys = (): Promise<readonly Key[]> => (imported ??= Promise.all(secrets.map(keyOf)));
  return {
    authenticate: (request) => principalIn(request, name, keys),
    set: async (principal) => {
      const { id, name: called, tenant, roles } = readPrincipal(principal, "The principal of the cookie");
      const end = Date.now() + maxAge;
      const payload = toText(encoder.encode(JSON.stringify({ id, name: called, tenant, roles, end })));
      const [key] = (await keys()) as [Key];
      const signature = await crypto.subtle.sign("HMAC", key, signedBytes(name, payload));
      const cookie = `${name}=v1.${payload}.${toText(new Uint8Array(signature))}`;
      if (cookie.length > longestCookie)
        throw wrong("The principal is too long for a cookie: leave roles out, or keep them behind the id.");
      return `${cookie}; Max-Age=${String(Math.floor(maxAge / 1000))}; ${attributes}`;
    },
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
  };
}

function expectOptions(options: SignedCookieOptions): void {
  checkOptions("signedCookie", options, cookieOptions);
  const { secrets, name = defaultName, maxAge = eightHours } = options;
  if (secrets.length === 0) throw wrong("signedCookie has no secret: give secrets, the first of which signs.");
  const short = secrets.findIndex((secret) => secret.length < shortestSecret);
  if (short !== -1)
    throw wrong(
      `The secret ${String(short)} of signedCookie has less than ${String(shortestSecret)} characters: give random ones that nobody guesses.`,
    );
  if (!/^[\w!#$%&'*+.^`|~-]{1,100}$/.test(name))
    throw wrong("The name of signedCookie is no name of a cookie: give 1 to 100 letters, digits, - and _.");
  wholeNumber("maxAge", maxAge, 1000);
}

/** The principal of the cookie. Undefined if there is none, or more than one: another site of this domain may have set the second. */
async function principalIn(
  request: Request,
  name: string,
  keys: () => Promise<readonly Key[]>,
): Promise<Principal | undefined> {
  const pairs = (request.headers.get("cookie") ?? "").split(";").map((pair) => pair.trim());
  const [value, ...more] = pairs.flatMap((pair) => (pair.startsWith(`${name}=`) ? [pair.slice(name.length + 1)] : []));
  if (value === undefined || more.length > 0 || value.length > longestCookie) return undefined;
  const [, payload, signature] = /^v1\.([\w-]+)\.([\w-]{43})$/.exec(value) ?? [];
  if (payload === undefined || signature === undefined) return undefined;
  if (!(await isSigned(signedBytes(name, payload), toBytes(signature), await keys()))) return undefined;
  const { end, ...principal } = JSON.parse(decoder.decode(toBytes(payload))) as Principal & { readonly end: number };
  return Date.now() < end ? readPrincipal(principal, "The principal of the cookie") : undefined;
}

async function isSigned(bytes: Bytes, signature: Bytes, keys: readonly Key[]): Promise<boolean> {
  for (const key of keys) if (await crypto.subtle.verify("HMAC", key, signature, bytes)) return true;
  return false;
}

type Bytes = Uint8Array<ArrayBuffer>;

const [encoder, decoder] = [new TextEncoder(), new TextDecoder()];

function keyOf(secret: string): Promise<Key> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  return crypto.subtle.importKey("raw", encoder.encode(secret), algorithm, false, ["sign", "verify"]);
}

/** The bytes that are signed. The words before them keep the secret's other signatures apart. */
function signedBytes(name: string, payload: string): Bytes {
  return encoder.encode(`lastcall cookie v1\n${name}\n${payload}`);
}

/** Bytes in base64url. */
function toText(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The bytes that a text in base64url stands for. */
function toBytes(text: string): Bytes {
  return Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));
}

function wrong(message: string): LastcallError {
  return new LastcallError("configuration", message);
}
