// Redaction: the texts that are redacted and those that are not, in linear time, wherever the text is cut.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { redactor } from "../../../src/core/index.js";
import { nearMisses } from "./near-misses.js";

const a = (count: number, word = "aB3"): string => word.repeat(count).slice(0, count);
const pem = `-----BEGIN RSA PRIVATE KEY-----\n${`${a(64)}\n`.repeat(20)}-----END RSA PRIVATE KEY-----`;
const encrypted = `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n${a(64)}\n-----END RSA PRIVATE KEY-----`;
const jwt = `eyJ${a(30)}.eyJ${a(120)}.${a(43)}`;

/** Texts with secrets, each with its redacted form. */
const secrets: readonly (readonly [string, string])[] = [
  [`use sk-proj-${a(40)} now`, "use [redacted: key] now"],
  ["Incorrect API key provided: sk-proj-AAAAAAAA***.", "Incorrect API key provided: [redacted: key]."],
  ["Incorrect API key provided: sk-abcd********wxyz.", "Incorrect API key provided: [redacted: key]."],
  [`sk-${a(48)}`, "[redacted: key]"],
  [`key sk-ant-api03-${a(90)}\n`, "key [redacted: key]\n"],
  [`ghp_${a(36)}, gho_${a(36)} and ghs_${a(36)}`, "[redacted: token], [redacted: token] and [redacted: token]"],
  [`github_pat_${a(22)}_${a(59)}`, "[redacted: token]"],
  [`glpat-${a(20)}`, "[redacted: token]"],
  ["id AKIAIOSFODNN7EXAMPLE.", "id [redacted: key]."],
  [
    "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY\nA=1",
    "AWS_SECRET_ACCESS_KEY=[redacted: secret]\nA=1",
  ],
  [
    'aws_secret_access_key = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"',
    'aws_secret_access_key = "[redacted: secret]"',
  ],
  ["aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws_secret_access_key = [redacted: secret]"],
  [`AIza${a(35)}`, "[redacted: key]"],
  [`xoxb-1234567890-${a(24)}`, "[redacted: token]"],
  [`sk_live_${a(24)}`, "[redacted: key]"],
  [`//registry.npmjs.org/:_authToken=npm_${a(36)}`, "//registry.npmjs.org/:_authToken=[redacted: secret]"],
  [`npm_${a(36)}`, "[redacted: token]"],
  [`hf_${a(34)}`, "[redacted: token]"],
  [`id_token ${jwt} end`, "id_token [redacted: token] end"],
  [`a\n${pem}\nb`, "a\n[redacted: private key]\nb"],
  [encrypted, "[redacted: private key]"],
  // Lines as read_file and grep show them. A private key with line numbers was once not redacted.
  ...["\t", ":", "|", ": "].map((mark): readonly [string, string] => [
    `x\n${pem
      .split("\n")
      .map((line, index) => `${String(index + 8).padStart(4)}${mark}${line}`)
      .join("\n")}\n  30${mark}b`,
    `x\n   8${mark}[redacted: private key]\n  30${mark}b`,
  ]),
  [JSON.stringify({ key: pem, b: 1 }), '{"key":"[redacted: private key]","b":1}'],
  [`  key: |\n    ${pem.replaceAll("\n", "\n    ")}\n  next: 1`, "  key: |\n    [redacted: private key]\n  next: 1"],
  [`Authorization: Bearer ${a(20)}\r\nHost: x`, "Authorization: Bearer [redacted: token]\r\nHost: x"],
  [`"authorization": "Basic dXNlcjpwYXNz"`, `"authorization": "Basic [redacted: token]"`],
  [`curl -H "Bearer ${a(30)}"`, 'curl -H "Bearer [redacted: token]"'],
  ["postgres://app:hunter2@db.local:5432/x", "postgres://app:[redacted: password]@db.local:5432/x"],
  ["https://:s3cret@host", "https://:[redacted: password]@host"],
  ["GET https://x.example/v1?key=SECRET failed", "GET https://x.example/v1?key=[redacted: key] failed"],
  ["?a=1&access_token=abcdef123&b=2", "?a=1&access_token=[redacted: key]&b=2"],
  ["SOMETHING_SECRET=swordfish", "SOMETHING_SECRET=[redacted: secret]"],
  ["export DB_PASSWORD=swordfish && x", "export DB_PASSWORD=[redacted: secret] && x"],
  ["password: hunter2hunter", "password: [redacted: secret]"],
  ["password=correct-horse1", "password=[redacted: secret]"],
  ['{"password":"hunter2hunter","user":"me"}', '{"password":"[redacted: secret]","user":"me"}'],
  ['"{\\"client_secret\\": \\"abc12345678\\"}"', '"{\\"client_secret\\": \\"[redacted: secret]\\"}"'],
  ['const apiKey = "0123456789abcdef";', 'const apiKey = "[redacted: secret]";'],
  ["config[\"api_key\"] = 'k3y-of-mine'", "config[\"api_key\"] = '[redacted: secret]'"],
  ["x-api-key: a1b2c3d4e5", "x-api-key: [redacted: secret]"],
  [`API_TOKEN=${a(400)} end`, "API_TOKEN=[redacted: secret] end"],
];

/** Texts without secrets. */
const ordinary: readonly string[] = [
  "const password = getPassword();",
  "token: string",
  "token: string;\n  password?: string | undefined,",
  "password: z.string().min(8)",
  "secret = process.env.SECRET_TOKEN_V2",
  "const token = tokens[index2];",
  "apiKey: config.openai2.apiKey,",
  "if (password === 'x' || token !== other_token1) return;",
  'label: "Password must have 8 characters"',
  "function checkToken(token: Uint8Array): boolean",
  "interface A {\n  secret: Uint8Array\n  token: Base64String\n}",
  "MAX_TOKENS=4096000000\nmax_tokens: 128000000",
  "password=$PASSWORD1 token=${TOKEN1} secret: <your-secret-1> key: {{ api_key_1 }}",
  "API_KEY=undefined",
  "https://${user}:${password}@host, https://user@host, http://localhost:8080/@scope",
  "fetch(`/search?key=${key}&page=2&token=`)",
  "Authorization: Bearer ${token}\nAuthorization: Bearer <token>",
  "The bearer of this letter; Bearer authentication is used",
  "git commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad",
  "id: 550e8400-e29b-41d4-a716-446655440000",
  '"integrity": "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg=="',
  '"resolved": "https://registry.npmjs.org/token-types/-/token-types-6.0.0.tgz"',
  "![x](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==)",
  "//# sourceMappingURL=data:application/json;base64,eyJ2ZXJzaW9uIjozLCJzb3VyY2VzIjpbImEudHMiXX0=",
  'expect(text).toContain("-----BEGIN PRIVATE KEY-----");',
  "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----",
  "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----",
  ".sk-loading-spinner-container-item { color: red } task-sk-ant sk-SK",
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGPKQ8v9Yt0nUa4wWqTQ8n me@host",
  'import { tokenize } from "./tokenizer.js"; const tokens2 = tokenize(secretary);',
  'passwordFile: "/run/secrets/db_password_1", token_url: "https://x.example/oauth2/token"',
  "token=sha256(value1)  secret=base64_decode(x1), key=value12",
  "a ? key : other; b && token; x ?? secret1",
  "Error: expected token: '}' at 12:34567890",
  "keyboard-shortcuts.password1.md",
];

const { text: redact } = redactor();

/** The beginning of a text, for the name of a test. */
const named = (text: string): string => JSON.stringify(text).slice(0, 80);

describe("the known formats", () => {
  test.each(secrets.map(([text, left]) => [named(text), text, left]))("%s is redacted", (_name, text, left) => {
    expect(redact(text)).toBe(left);
  });

  test.each(ordinary.map((text) => [named(text), text]))("%s is not changed", (_name, text) => {
    expect(redact(text)).toBe(text);
  });

  test("the source of this project is not changed", () => {
    const root = resolve(import.meta.dirname, "../../../src");
    const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
    const changed = files.filter((file) => {
      const text = readFileSync(join(root, file), "utf8");
      return redact(text) !== text;
    });
    expect(changed).toEqual([]);
  });

  test("redacting a redacted text changes nothing", () => {
    const all = secrets.map(([text]) => text).join("\n");
    expect(redact(redact(all))).toBe(redact(all));
  });
});

describe("a text in pieces", () => {
  const texts = [...secrets.map(([text]) => text), ...ordinary];

  test.each(texts.map((text) => [named(text), text]))(
    "gives the same result wherever %s is cut in two",
    (_name, text) => {
      const whole = redact(text);
      for (let at = 0; at <= text.length; at += 1) {
        const stream = redactor().stream();
        expect(stream.write(text.slice(0, at)) + stream.write(text.slice(at)) + stream.end()).toBe(whole);
      }
    },
  );

  test("gives the same result character by character and with pieces of every size", () => {
    const text = texts.join("\n");
    const whole = redact(text);
    const secrets = redactor();
    for (const size of [1, 2, 3, 5, 7, 11, 64, 1000]) {
      const stream = secrets.stream();
      let out = "";
      for (let at = 0; at < text.length; at += size) out += stream.write(text.slice(at, at + size));
      expect(out + stream.end()).toBe(whole);
    }
  });

  test("holds back only a possible beginning of a secret", () => {
    const stream = redactor().stream();
    expect(stream.write("12 of 30 tests are done")).toBe("12 of 30 tests are done");
    expect(stream.write(" with sk-pr")).toBe(" with ");
    expect(stream.write("ograms.\n")).toBe("sk-programs.\n");
    expect(stream.write("password: ")).toBe("");
    expect(stream.end()).toBe("password: ");
  });

  test("is held back for at most a few thousand characters", () => {
    for (const start of [
      "_auth=",
      "machine ",
      "$6$",
      "ya29.",
      "A_PASS='",
      "Private-Lines: ",
      "eyJ",
      "token=",
      'token="',
      "https://u:",
      "?key",
      "-----BEGIN ",
      "sk-proj-",
      "secret: '",
    ]) {
      const stream = redactor().stream();
      let sent = 0;
      let out = "";
      for (const piece of [start, ...Array.from({ length: 100 }, () => "a".repeat(100))]) {
        sent += piece.length;
        out += stream.write(piece);
        if (!out.includes("[redacted")) expect(sent - out.length).toBeLessThan(5000);
      }
    }
  });
});

describe("the caller's own secrets", () => {
  const { text, stream, data } = redactor({ values: ["open sesame", 'with "quotes"'], patterns: [/emp-\d+/, /x*/g] });

  test("values and patterns are redacted, also in JSON and in addresses", () => {
    expect(text('say open sesame to emp-12, {"a":"with \\"quotes\\""} ?q=open%20sesame')).toBe(
      'say [redacted: value] to [redacted: pattern], {"a":"[redacted: value]"} ?q=[redacted: value]',
    );
    expect(text(text("emp-1 open sesame"))).toBe("[redacted: pattern] [redacted: value]");
  });

  test("a pattern that matches a marker does not change it", () => {
    const own = redactor({ patterns: [/key|redacted/] });
    expect(own.text(own.text("the key"))).toBe("the [redacted: pattern]");
  });

  test("they are found across the borders of pieces", () => {
    const whole = "a open sesame b emp-123\nemp-1".repeat(3);
    for (let size = 1; size < 20; size += 1) {
      const pieces = stream();
      let out = "";
      for (let at = 0; at < whole.length; at += size) out += pieces.write(whole.slice(at, at + size));
      expect(out + pieces.end()).toBe(text(whole));
    }
  });

  test("in plain data every text is redacted, and data without secrets stays the same object", () => {
    const clean = { a: [1, "b", { c: null }], when: new Date(0) };
    expect(data(clean)).toBe(clean);
    expect(data({ a: ["open sesame", 1], password: "hunter2hunter" })).toEqual({
      a: ["[redacted: value]", 1],
      password: "[redacted: secret]",
    });
  });

  test("a value with less than 8 characters is a configuration error", () => {
    expect(() => redactor({ values: ["short"] })).toThrow(/less than 8 characters/);
  });
});

test("a long text of a beginning of a secret is read in linear time", () => {
  for (const miss of nearMisses) {
    const began = process.cpuUsage();
    redact(miss.repeat(Math.ceil(30_000 / miss.length)));
    const { user, system } = process.cpuUsage(began);
    // It takes some milliseconds. A search that tries again at each place takes half a second.
    expect((user + system) / 1000, JSON.stringify(miss)).toBeLessThan(400);
  }
});

test("two redactors share the known formats, and neither knows the values of the other", () => {
  const [one, other] = [redactor({ values: ["tangerine-1"] }), redactor({ values: ["tangerine-2"] })];
  const text = `tangerine-1 tangerine-2 ghp_${a(36)}`;
  expect(one.text(text)).toBe("[redacted: value] tangerine-2 [redacted: token]");
  expect(other.text(text)).toBe("tangerine-1 [redacted: value] [redacted: token]");
  expect(redactor().text(text)).toBe("tangerine-1 tangerine-2 [redacted: token]");
});
