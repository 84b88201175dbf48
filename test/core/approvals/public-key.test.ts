// Public keys are read by the crypto of the platform, so these tests make them with it too, and run in browsers and workers.

import type { webcrypto } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { publicKeyOf } from "../../../src/core/approvals/public-key.js";

/** A pair of keys in the forms that people keep them in. */
interface Texts {
  readonly pem: string;
  readonly privatePem: string;
  readonly jwk: webcrypto.JsonWebKey;
  readonly privateJwk: webcrypto.JsonWebKey;
}

let [own, ec] = [{} as Texts, {} as Texts];

beforeAll(async () => {
  own = await textsOf({ name: "Ed25519" });
  ec = await textsOf({ name: "ECDSA", namedCurve: "P-256" });
});

async function textsOf(algorithm: webcrypto.EcKeyGenParams | { readonly name: string }): Promise<Texts> {
  const pair = (await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"])) as webcrypto.CryptoKeyPair;
  return {
    pem: pemOf("PUBLIC KEY", await crypto.subtle.exportKey("spki", pair.publicKey)),
    privatePem: pemOf("PRIVATE KEY", await crypto.subtle.exportKey("pkcs8", pair.privateKey)),
    jwk: await crypto.subtle.exportKey("jwk", pair.publicKey),
    privateJwk: await crypto.subtle.exportKey("jwk", pair.privateKey),
  };
}

function pemOf(what: string, bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes))).replaceAll(/.{64}/g, "$&\n");
  return `-----BEGIN ${what}-----\n${text}\n-----END ${what}-----\n`;
}

test.each<readonly [form: string, text: () => string]>([
  ["PEM", () => own.pem],
  ["PEM in one line, as a field of a page has it", () => own.pem.replaceAll("\n", "")],
  ["PEM with lines of Windows and words around it", () => `my key\r\n${own.pem.replaceAll("\n", "\r\n")}`],
  ["JWK", () => JSON.stringify(own.jwk)],
  ["JWK with more fields", () => ` ${JSON.stringify({ ...own.jwk, use: "sig", alg: "EdDSA", kid: "1" })}`],
])("a public key is read from %s", async (_form, text) => {
  const key = await publicKeyOf(text());
  expect([key.type, key.algorithm.name, key.usages]).toEqual(["public", "Ed25519", ["verify"]]);
});

test.each<readonly [what: string, text: () => string, words: string]>([
  ["words", () => "words", "BEGIN PUBLIC KEY"],
  ["a part of JSON", () => "{", "JSON"],
  ["a private key", () => own.privatePem, "a private key, which no verifier needs"],
  ["a private JWK", () => JSON.stringify(own.privateJwk), "a private key, which no verifier needs"],
  ["a key of another kind", () => ec.pem, "another kind than Ed25519"],
  ["a JWK of another kind", () => JSON.stringify(ec.jwk), "another kind than Ed25519"],
  ["a key with another tag", () => own.pem.replace("MCow", "MCoX"), "it is damaged"],
  ["a key of another algorithm", () => own.pem.replace("MCowBQYDK2Vw", "MCowBQYDK2Vx"), "it is damaged"],
  ["a key that is cut", () => own.pem.replace(/.{8}=?\n(?=-----END)/, "\n"), "it is damaged"],
  ["a JWK that is cut", () => JSON.stringify({ ...own.jwk, x: own.jwk.x?.slice(4) }), "it is damaged"],
  ["a JWK that is longer", () => JSON.stringify({ ...own.jwk, x: `${String(own.jwk.x)}AAAA` }), "it is damaged"],
  ["a character", () => "-----BEGIN PUBLIC KEY-----A-----END PUBLIC KEY-----", "it is damaged"],
])("%s is refused in words", async (_what, text, words) => {
  await expect(publicKeyOf(text())).rejects.toThrow(words);
});
