// The known formats of keys, tokens, passwords and private keys.

import type { Format } from "./format.js";
import { assignments } from "./assignment.js";
import { after, format, isApart, token } from "./build-format.js";
import { credentials } from "./credentials.js";
import { characters, isOf, no, notBefore, oneOf, optional, run, sequence, words } from "./match.js";
import { linesOfCredentials } from "./lines-of-credentials.js";
import { privateKeys } from "./private-key.js";
import { restOf } from "./rest.js";
import { vendorShapes } from "./vendor-shapes.js";
import { vendorTokens } from "./vendor-tokens.js";

const alphanumeric = characters(/[A-Za-z0-9]/);
const word = characters(/[\w-]/);
const dotted = characters(/[\w.-]/);
const upper = characters(/[A-Z0-9]/);
const blank = characters(/[ \t]/);
const masked = characters(/[\w*-]/);
const bearer = characters(/[\w.~+/=-]/);
const user = characters(/[^\s/:@?#"'<>{}$`\\()]/);
const password = characters(/[^\s/@"'<>{}`\\()]/);
const query = characters(/[^\s&#"'<>(){}$`\\,;|[\]]/);

/** A JSON Web Token: three encoded parts, of which the first two are JSON objects. */
const jsonWebToken: Format = {
  ...format(
    "token",
    ["eyJ"],
    sequence(words("eyJ"), run(word, 10, 2048), words(".eyJ"), run(word, 10)),
    restOf(dotted),
  ),
  mayFollow: (before) => !isOf(word, before),
};

const quote = optional(oneOf(words('\\"'), words('"'), words("'")));
const scheme = oneOf(...["bearer ", "basic ", "token "].map((name) => words(name, true)));
const authorization: Format = {
  kind: "token",
  openers: ["authorization"],
  mayFollow: isApart,
  match: after(
    sequence(
      words("authorization", true),
      quote,
      run(blank, 0, 4),
      run(characters(/[:=]/), 1),
      run(blank, 0, 4),
      quote,
      scheme,
    ),
    run(bearer, 8),
    restOf(bearer),
  ),
};

const bearerName = words("bearer ", true);
const bearerText = run(bearer, 16);
const bearerToken: Format = {
  kind: "token",
  openers: ["bearer "],
  mayFollow: isApart,
  match(text, at, isWhole) {
    const from = bearerName(text, at, isWhole);
    if (from < 0) return from;
    const to = bearerText(text, from, isWhole);
    return to < 0 ? to : /\d/.test(text.slice(from, to)) ? { from, to, rest: restOf(bearer) } : no;
  },
};

const urlUser = sequence(words("://"), run(user, 0, 128), words(":"));
const urlSecret = run(password, 1, 256);
const urlHost = sequence(words("@"), run(characters(/[\w[]/), 1));
const urlPassword: Format = {
  kind: "password",
  openers: ["://"],
  mayFollow: () => true,
  match(text, at, isWhole) {
    const from = urlUser(text, at, isWhole);
    if (from < 0) return from;
    const to = urlSecret(text, from, isWhole);
    if (to < 0) return to;
    const end = urlHost(text, to, isWhole);
    return end < 0 ? end : { from, to };
  },
};

const queryNames = /^(?:.*[_-])?(?:key|apikey|token|secret|password|passwd|pwd|signature|sig)$|^auth$/i;
const queryName = run(word, 2, 40);
const queryAssigned = after(words("="), run(query, 6), restOf(query));
const queryValue: Format = {
  kind: "key",
  openers: ["?", "&"],
  mayFollow: () => true,
  match(text, at, isWhole) {
    const name = queryName(text, at + 1, isWhole);
    if (name < 0) return name;
    if (!queryNames.test(text.slice(at + 1, name))) return no;
    return queryAssigned(text, name, isWhole);
  },
};

/** OpenAI keys. Its error messages show them with asterisks in the middle. */
const openai = [
  token("key", ["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-v1-"], 8, masked),
  format(
    "key",
    ["sk-"],
    oneOf(
      sequence(words("sk-"), run(alphanumeric, 20)),
      sequence(words("sk-"), run(alphanumeric, 0, 20), words("***")),
    ),
    restOf(masked),
  ),
];

/** All formats that are redacted by default. If two match at the same index, the first in this list counts. */
export const formats: readonly Format[] = [
  token("key", ["sk-ant-"], 8, masked),
  ...openai,
  format(
    "key",
    ["AKIA", "ASIA"],
    sequence(oneOf(words("AKIA"), words("ASIA")), run(upper, 16), notBefore(alphanumeric)),
  ),
  jsonWebToken,
  ...linesOfCredentials,
  ...vendorShapes,
  ...vendorTokens,
  ...credentials,
  ...privateKeys,
  authorization,
  bearerToken,
  urlPassword,
  queryValue,
  ...assignments,
];
