// Callers with JSON Web Tokens: each is the principal of its claims, over HTTP, with keys from a list and from a server.

import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { inspect } from "node:util";
import { calculateJwkThumbprint, exportJWK, exportSPKI, generateKeyPair, SignJWT, type JWK } from "jose";
import { afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import type { LastcallError } from "../../src/index.js";
import { jwt, type JwtOptions } from "../../src/jwt/index.js";
import { runFor, servedTo, type Served } from "../server/who/served.js";

const issuer = "https://login.example.com/";
const audience = "https://agents.example.com";

/** A pair of keys of the issuer, or of somebody else. */
interface Pair {
  /** The private key, for each algorithm of its kind. */
  readonly secret: JWK;
  /** The public key as text. */
  readonly pem: string;
  readonly jwk: { readonly kid: string };
}

async function pairOf(algorithm: string): Promise<Pair> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = await exportJWK(publicKey);
  return {
    secret: await exportJWK(privateKey),
    pem: await exportSPKI(publicKey),
    jwk: { ...jwk, kid: await calculateJwkThumbprint(jwk) },
  };
}

let elliptic: Pair;
let rsa: Pair;
let stranger: Pair;
beforeAll(async () => {
  [elliptic, rsa, stranger] = await Promise.all([pairOf("ES256"), pairOf("RS256"), pairOf("ES256")]);
});
afterEach(() => {
  vi.useRealTimers();
});

/** Signs claims with good ones beside them: a claim that is undefined is left out. */
async function signed(
  claims: Readonly<Record<string, unknown>> = {},
  { alg = "ES256", pair = elliptic, kid = pair.jwk.kid }: { alg?: string; pair?: Pair; kid?: string | undefined } = {},
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const all = { iss: issuer, aud: audience, sub: "ann", org: "north", iat: now, exp: now + 60, ...claims };
  return new SignJWT(all).setProtectedHeader({ alg, kid }).sign(pair.secret);
}

const bearer = (token: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${token}` });
const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A server whose callers bring tokens of the issuer. */
function servedWith(options: Partial<JwtOptions> = {}): Promise<Served> {
  const keys = options.jwksUrl === undefined ? { keys: [elliptic.jwk, rsa.jwk] } : {};
  return servedTo(jwt({ issuer, audience, ...keys, ...options }));
}

test.each(["ES256", "RS256", "PS256"])("a caller with a token signed by %s is its subject", async (alg) => {
  const served = await servedWith();
  const token = await signed({}, { alg, pair: alg === "ES256" ? elliptic : rsa });
  const { by, text } = await runFor(served, bearer(token));
  expect(by).toEqual({ id: "ann" });
  for (const piece of token.split(".")) expect([text, ...served.printed].join("\n")).not.toContain(piece);
});

test("a claim says the tenant, and principals of two tenants with one subject see nothing of each other", async () => {
  const served = await servedWith({
    principal: ({ sub, org }) => (typeof org === "string" ? { id: String(sub), tenant: org } : undefined),
  });
  const { session, by } = await runFor(served, bearer(await signed()));
  expect(by).toEqual({ id: "ann", tenant: "north" });
  const look = async (org: string | undefined): Promise<number> =>
    (await fetch(new URL(`/sessions/${session}`, served.url), { headers: bearer(await signed({ org })) })).status;
  expect([await look("north"), await look("south"), await look(undefined)]).toEqual([200, 404, 401]);
});

describe("nobody's is a token", () => {
  const now = Math.floor(Date.now() / 1000);
  const withHeader = async (header: object): Promise<string> => {
    const [, payload = ""] = (await signed()).split(".");
    return `${part(header)}.${payload}.`;
  };

  test.each<[string, () => Promise<string>]>([
    ["that has expired", () => signed({ exp: now - 6 })],
    ["that never expires", () => signed({ exp: undefined })],
    ["that does not count yet", () => signed({ nbf: now + 300 })],
    ["of another issuer", () => signed({ iss: "https://login.example.com" })],
    ["of no issuer", () => signed({ iss: undefined })],
    ["for another audience", () => signed({ aud: "https://other.example.com" })],
    ["for no audience", () => signed({ aud: undefined })],
    ["without a subject", () => signed({ sub: undefined })],
    ["of another key under the name of ours", () => signed({}, { pair: stranger, kid: elliptic.jwk.kid })],
    ["of a key that nobody knows", () => signed({}, { pair: stranger })],
    [
      "whose claims were changed",
      async () =>
        (await signed()).replace(/\..*\./, `.${part({ iss: issuer, aud: audience, sub: "eve", exp: now + 99 })}.`),
    ],
    ["whose signature is cut", async () => (await signed()).slice(0, -4)],
    ["with alg none", () => withHeader({ alg: "none" })],
    ["with alg none in other letters", () => withHeader({ alg: "nOnE", kid: elliptic.jwk.kid })],
    ["with an algorithm that is not allowed", () => signed({}, { alg: "RS512", pair: rsa })],
    ["whose header needs an extension", () => withHeader({ alg: "ES256", crit: ["x"], x: 1, kid: elliptic.jwk.kid })],
    [
      "signed by HMAC with the public key as its secret",
      async () => {
        const [, payload = ""] = (await signed()).split(".");
        const text = `${part({ alg: "HS256", kid: rsa.jwk.kid })}.${payload}`;
        return `${text}.${createHmac("sha256", rsa.pem).update(text).digest("base64url")}`;
      },
    ],
    ["that brings a key of its own", async () => withHeader({ alg: "ES256", jwk: stranger.jwk })],
    ["that is encrypted", () => Promise.resolve("a.b.c.d.e")],
    ["that is none", () => Promise.resolve("not-a-token")],
  ])("%s", async (_what, made) => {
    const served = await servedWith();
    const answer = await served.send(bearer(await made()), "Go.");
    expect([answer.status, await answer.json()]).toEqual([401, { error: "The request is not authorized." }]);
    expect(await served.store.list()).toEqual([]);
    expect([served.faults, served.printed]).toEqual([[], []]);
  });

  test("that does not come at all", async () => {
    expect((await (await servedWith()).send({})).status).toBe(401);
  });
});

test("the clocks may differ by a few seconds, and no more", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  const served = await servedWith();
  const token = await signed();
  vi.setSystemTime(Date.now() + 63_000);
  expect((await served.send(bearer(token))).status).toBe(200);
  vi.setSystemTime(Date.now() + 3_000);
  expect((await served.send(bearer(token))).status).toBe(401);
});

test("the algorithms can be fewer, and others", async () => {
  const served = await servedWith({ algorithms: ["RS512"] });
  expect((await served.send(bearer(await signed({}, { alg: "RS512", pair: rsa })))).status).toBe(200);
  expect((await served.send(bearer(await signed()))).status).toBe(401);
});

test("an error of the program's own principal is its own fault, whatever its code is", async () => {
  const served = await servedWith({
    principal: () => {
      throw Object.assign(new Error("The directory is down."), { code: "ERR_JWT_EXPIRED" });
    },
  });
  const answer = await served.send(bearer(await signed()));
  expect([answer.status, await answer.json()]).toEqual([500, { error: "The server failed." }]);
  expect(String(served.faults[0])).toContain("The directory is down.");
});

describe("a server of keys", () => {
  /** An issuer's server, which answers as it is told to. */
  async function keysAt() {
    const state = { keys: [elliptic.jwk] as readonly object[], status: 200, asked: 0 };
    const server = createServer((_request, response) => {
      state.asked += 1;
      response.writeHead(state.status, { location: "http://127.0.0.1:1/", "content-type": "application/json" });
      response.end(JSON.stringify({ keys: state.keys }));
    });
    await once(server.listen(0, "127.0.0.1"), "listening");
    const close = (): void => {
      server.closeAllConnections();
      server.close();
    };
    onTestFinished(close);
    const { port } = server.address() as AddressInfo;
    return { state, close, jwksUrl: `http://127.0.0.1:${String(port)}/keys` };
  }

  test("is asked once, with the first token", async () => {
    const { state, jwksUrl } = await keysAt();
    const served = await servedWith({ jwksUrl });
    expect(state.asked).toBe(0);
    expect((await served.send({})).status).toBe(401);
    expect(state.asked).toBe(0);
    const answers = await Promise.all([1, 2, 3].map(async () => served.send(bearer(await signed()))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(state.asked).toBe(1);
  });

  test("gives a new key once a token names it, and strangers do not make it work", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { state, jwksUrl } = await keysAt();
    const served = await servedWith({ jwksUrl });
    expect((await served.send(bearer(await signed()))).status).toBe(200);
    for (let tries = 0; tries < 5; tries += 1)
      expect((await served.send(bearer(await signed({}, { pair: stranger })))).status).toBe(401);
    expect(state.asked).toBe(1);
    state.keys = [rsa.jwk];
    vi.setSystemTime(Date.now() + 31_000);
    expect((await served.send(bearer(await signed({}, { alg: "RS256", pair: rsa })))).status).toBe(200);
    // The old key is gone with the fetch.
    expect((await served.send(bearer(await signed()))).status).toBe(401);
    expect(state.asked).toBe(2);
  });

  test.each<[string, Partial<Awaited<ReturnType<typeof keysAt>>["state"]>]>([
    ["that fails", { status: 500 }],
    ["that sends elsewhere", { status: 302 }],
    ["whose keys are none", { keys: "none" as unknown as readonly object[] }],
  ])("%s is a fault of the server, and the caller learns nothing", async (_what, change) => {
    const { state, jwksUrl } = await keysAt();
    Object.assign(state, change);
    const served = await servedWith({ jwksUrl });
    const token = await signed();
    const answer = await served.send(bearer(token));
    expect([answer.status, await answer.json()]).toEqual([500, { error: "The server failed." }]);
    const [fault] = served.faults as [LastcallError];
    expect([fault.code, fault.message]).toEqual([
      "provider_unavailable",
      expect.stringContaining(new URL(jwksUrl).host),
    ]);
    for (const piece of token.split(".")) expect(inspect(fault, { depth: 9 })).not.toContain(piece);
    expect(inspect(fault, { depth: 9 })).not.toContain("north");
    Object.assign(state, { status: 200, keys: [elliptic.jwk] });
    expect((await served.send(bearer(token))).status).toBe(200);
  });

  test("that is down admits nobody, and known keys count meanwhile", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { close, jwksUrl } = await keysAt();
    const [knowing, fresh] = [await servedWith({ jwksUrl }), await servedWith({ jwksUrl })];
    expect((await knowing.send(bearer(await signed()))).status).toBe(200);
    close();
    vi.setSystemTime(Date.now() + 9 * 60_000);
    expect((await knowing.send(bearer(await signed()))).status).toBe(200);
    expect((await fresh.send(bearer(await signed()))).status).toBe(500);
    expect(fresh.faults).toEqual([expect.objectContaining({ code: "provider_unavailable" })]);
    expect(await fresh.store.list()).toEqual([]);
  });
});

test("a key that can't be imported is told as the program's mistake", async () => {
  const served = await servedWith({ keys: [{ ...elliptic.jwk, x: "AAAA" }] });
  expect((await served.send(bearer(await signed()))).status).toBe(500);
  expect(served.faults).toEqual([
    expect.objectContaining({
      code: "configuration",
      message: expect.stringContaining("jwt can't use a key") as string,
    }),
  ]);
});

test.each<[string, () => object, string]>([
  ["no issuer", () => ({ issuer: undefined }), "jwt needs the option issuer"],
  ["an empty issuer", () => ({ issuer: "" }), "jwt needs an issuer and an audience"],
  ["an empty audience", () => ({ audience: "" }), "jwt needs an issuer and an audience"],
  ["no keys at all", () => ({ keys: undefined }), "jwt takes keys or a jwksUrl: give one of the two"],
  [
    "keys and an address",
    () => ({ jwksUrl: "https://a.example/" }),
    "jwt takes keys or a jwksUrl: give one of the two",
  ],
  ["an empty list of keys", () => ({ keys: [] }), "jwt has no key in keys"],
  ["the algorithm none", () => ({ algorithms: ["none"] }), 'jwt takes no algorithm "none"'],
  ["an algorithm of shared secrets", () => ({ algorithms: ["ES256", "HS256"] }), 'jwt takes no algorithm "HS256"'],
  ["no algorithm", () => ({ algorithms: [] }), "jwt has no algorithm"],
  [
    "a shared secret",
    () => ({ keys: [{ kty: "oct", k: "secret-4711" }] }),
    "The key 0 of jwt is private, or a shared secret",
  ],
  ["a private key", () => ({ keys: [{ ...elliptic.jwk, d: "secret-4711" }] }), "The key 0 of jwt is private"],
  [
    "an object that is no key",
    () => ({ keys: [{ pem: "secret-4711" }] }),
    "The key 0 of jwt is no public JSON Web Key",
  ],
  [
    "several keys without a kid",
    () => ({ keys: [elliptic.jwk, { ...rsa.jwk, kid: undefined }] }),
    "The key 1 of jwt has no kid",
  ],
  ["a short key", () => ({ keys: [{ kty: "RSA", e: "AQAB", n: "A".repeat(171) }] }), "less than 2048 bits"],
  ["keys over plain HTTP", () => ({ keys: undefined, jwksUrl: "http://login.example.com/keys" }), "give one of https:"],
  ["keys from a file", () => ({ keys: undefined, jwksUrl: "file:///keys" }), "give one of https:"],
  ["an address that is none", () => ({ keys: undefined, jwksUrl: "keys" }), "give one of https:"],
])("%s is refused at once, without a secret in the message", (_what, change, words) => {
  const make = (): unknown => jwt({ issuer, audience, keys: [elliptic.jwk], ...change() });
  expect(make).toThrow(words);
  expect(make).not.toThrow("4711");
});
