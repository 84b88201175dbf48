// Secrets that are recognized by more than a prefix: webhook addresses, connection strings, login files and hashes of passwords.

import { after, format, newline } from "./build-format.js";
import type { Format } from "./format.js";
import { characters, isOf, notBefore, oneOf, optional, run, sequence, words, type Part } from "./match.js";
import { restOf } from "./rest.js";

const alphanumeric = characters(/[A-Za-z0-9]/);
const word = characters(/[\w-]/);
const digit = characters(/\d/);
const hex = characters(/[0-9a-f]/);
const base64 = characters(/[A-Za-z0-9+/=]/);
const blank = characters(/[ \t]/);
const graphic = characters(/[^\s"'`\\<>{}$]/);
const path = characters(/[A-Za-z0-9/]/);
const blanks = run(blank, 0, 4);

/** The address of a Slack webhook, of which the path is the secret. Source: gitleaks, slack-webhook-url. */
const slackWebhook: Format = {
  ...format("token", ["hooks.slack.com/"], words("hooks.slack.com/")),
  match: after(
    sequence(words("hooks.slack.com/"), oneOf(...["services/", "workflows/", "triggers/"].map((kind) => words(kind)))),
    run(path, 30),
    restOf(path),
  ),
};

/** The key in an Azure connection string. Source: Azure's documentation of connection strings; trufflehog, azure_storage. */
const azureNames = ["AccountKey=", "SharedAccessKey="];
const azureKey: Format = {
  ...format("key", azureNames, words("")),
  match: after(oneOf(...azureNames.map((name) => words(name))), run(base64, 40), restOf(base64)),
};

/** The client secret of a Microsoft Entra application, from its fifth character on. Source: gitleaks, azure-ad-client-secret. */
const entraText = characters(/[\w.~-]/);
const entraSecret: Format = {
  ...format("secret", ["Q~"], sequence(words("Q~"), run(entraText, 31, 35), notBefore(entraText))),
  mayFollow: (before) => isOf(digit, before),
};

/** Source: trufflehog, sendgrid. */
const sendGrid = format(
  "key",
  ["SG."],
  sequence(words("SG."), run(word, 20, 24), words("."), run(word, 39)),
  restOf(word),
);

/** Source: gitleaks, postman-api-token. */
const postman = format("key", ["PMAK-"], sequence(words("PMAK-"), run(hex, 24), words("-"), run(hex, 34)), restOf(hex));

/** Source: gitleaks, databricks-api-token. */
const databricks = format(
  "key",
  ["dapi"],
  sequence(words("dapi"), run(hex, 32), optional(sequence(words("-"), run(digit, 1))), notBefore(word)),
);

/** A HCP Terraform token, without its 14 characters before the marker. Source: gitleaks, hashicorp-tf-api-token. */
const terraform: Format = {
  ...format("token", [".atlasv1."], sequence(words(".atlasv1."), run(word, 60)), restOf(word)),
  mayFollow: (before) => isOf(alphanumeric, before),
};

/** The secret part of a Telegram bot's token, after the bot's number. Source: trufflehog, telegrambottoken. */
const telegram: Format = {
  ...format("token", [":AA"], words(":AA")),
  mayFollow: (before) => isOf(digit, before),
  match: after(words(":"), sequence(words("AA"), run(word, 33), notBefore(word))),
};

const quote = oneOf(words('\\"'), words('"'));
const login = after(
  oneOf(
    sequence(words("auth"), quote, blanks, words(":"), blanks, quote),
    sequence(words("_auth"), blanks, words("="), blanks, optional(quote)),
  ),
  run(base64, 8, 512),
);

/** A user and a password in base64: `auth` in Docker's config.json, `_auth` in .npmrc. Source: the documentation of Docker and npm. */
const encodedLogin: Format = {
  kind: "password",
  openers: ['auth"', 'auth\\"', "_auth"],
  mayFollow: (before, text, at) => text.charAt(at) === "_" || before === 0x22,
  match(text, at, isWhole) {
    const found = login(text, at, isWhole);
    return typeof found === "number" || isLogin(text.slice(found.from, found.to)) ? found : -1;
  },
};

/** True for the base64 form of a user and a password. */
function isLogin(encoded: string): boolean {
  return /^[\x20-\x7e]+:[\x21-\x7e]+$/.test(decoded(encoded));
}

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

function decoded(encoded: string): string {
  let [held, bits, out] = [0, 0, ""];
  for (const character of encoded.replace(/={1,2}$/, "")) {
    held = ((held << 6) | alphabet.indexOf(character)) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    out += String.fromCharCode((held >> bits) & 0xff);
  }
  return out;
}

/** The password in a .netrc file. Source: netrc(5). */
const bracket = characters(/\[/);
const gap = oneOf(newline, run(blank, 1, 8));
const netrcEntry = sequence(
  words("machine "),
  run(graphic, 1, 255),
  gap,
  words("login "),
  run(graphic, 1, 128),
  gap,
  words("password "),
);
const netrc: Format = {
  ...format("password", ["machine "], words("machine ")),
  match: after(netrcEntry, sequence(notBefore(bracket), run(graphic, 4, 256))),
};

/** Hashes of passwords, as /etc/shadow and .htpasswd contain them. Source: crypt(5), htpasswd(1). */
const crypt = characters(/[./A-Za-z0-9]/);
const rounds = optional(sequence(words("rounds="), run(digit, 1, 9), words("$")));
const salted = (salt: number, hash: number): Part =>
  sequence(run(crypt, 1, salt), words("$"), run(crypt, hash), notBefore(crypt));
const cost = sequence(run(digit, 2), words("$"), run(crypt, 53), notBefore(crypt));
const shapes: readonly (readonly [prefix: string, shape: Part])[] = [
  ["$1$", salted(8, 22)],
  ["$apr1$", salted(8, 22)],
  ["$5$", sequence(rounds, salted(16, 43))],
  ["$6$", sequence(rounds, salted(16, 86))],
  ["$y$", sequence(run(crypt, 1, 30), words("$"), salted(86, 43))],
  ...["$2a$", "$2b$", "$2y$"].map((prefix) => [prefix, cost] as const),
];
const passwordHash: Format = {
  ...format(
    "password",
    shapes.map(([prefix]) => prefix),
    oneOf(...shapes.map(([prefix, shape]) => sequence(words(prefix), shape))),
  ),
};

export const credentials: readonly Format[] = [
  slackWebhook,
  azureKey,
  entraSecret,
  sendGrid,
  postman,
  databricks,
  terraform,
  telegram,
  encodedLogin,
  netrc,
  passwordHash,
];
