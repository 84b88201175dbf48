import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { publicKeyOf } from "../../../src/core/approvals/public-key.js";

const { publicKey, privateKey } = generateKeyPairSync("ed25519");
const pem = publicKey.export({ format: "pem", type: "spki" }).toString();
const jwk = publicKey.export({ format: "jwk" });

test.each([
  ["PEM", pem],
  ["PEM in one line, as a field of a page has it", pem.replaceAll("\n", "")],
  ["PEM with lines of Windows and words around it", `my key\r\n${pem.replaceAll("\n", "\r\n")}`],
  ["JWK", JSON.stringify(jwk)],
  ["JWK with more fields", ` ${JSON.stringify({ ...jwk, use: "sig", alg: "EdDSA", kid: "1", key_ops: ["verify"] })}`],
])("a public key is read from %s", async (_form, text) => {
  const key = await publicKeyOf(text);
  expect([key.type, key.algorithm.name, key.usages]).toEqual(["public", "Ed25519", ["verify"]]);
});

const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });

test.each([
  ["words", "BEGIN PUBLIC KEY"],
  ["{", "JSON"],
  [privateKey.export({ format: "pem", type: "pkcs8" }).toString(), "a private key, which no verifier needs"],
  [JSON.stringify(privateKey.export({ format: "jwk" })), "a private key, which no verifier needs"],
  [ec.publicKey.export({ format: "pem", type: "spki" }).toString(), "another kind than Ed25519"],
  [JSON.stringify(ec.publicKey.export({ format: "jwk" })), "another kind than Ed25519"],
  [pem.replace("MCow", "MCoX"), "it is damaged"],
  ["-----BEGIN PUBLIC KEY-----A-----END PUBLIC KEY-----", "it is damaged"],
])("%s is refused in words", async (text, words) => {
  await expect(publicKeyOf(text)).rejects.toThrow(words);
});
