// The known formats of keys, tokens, passwords and private keys.

import type { Format } from "./format.js";
import { assignment } from "./assignment.js";
import { characters, isOf, no, notBefore, oneOf, optional, run, sequence, words } from "./match.js";
import type { Characters, Part } from "./match.js";
import { open, restOf, type Rest } from "./rest.js";

const alphanumeric = characters(/[A-Za-z0-9]/);
const word = characters(/[\w-]/);
const dotted = characters(/[\w.-]/);
const upper = characters(/[A-Z0-9]/);
const title = characters(/[A-Z0-9 ]/);
const blank = characters(/[ \t]/);
const base64 = characters(/[A-Za-z0-9+/=]/);
const masked = characters(/[\w*-]/);
const bearer = characters(/[\w.~+/=-]/);
const user = characters(/[^\s/:@?#"'<>{}$`\\()]/);
const password = characters(/[^\s/@"'<>{}`\\()]/);
const query = characters(/[^\s&#"'<>(){}$`\\,;|[\]]/);

/** True unless the character before is a letter or a digit. */
const isApart = (before: number): boolean => !isOf(alphanumeric, before);

/** A format with an unmistakable prefix, followed by at least `minLength` characters. */
function token(kind: string, openers: readonly string[], minLength: number, set: Characters = word): Format {
  const parts = openers.map((opener) => sequence(words(opener), run(set, minLength)));
  return format(kind, openers, oneOf(...parts), restOf(set));
}

function format(kind: string, openers: readonly string[], part: Part, rest?: Rest): Format {
  return {
    kind,
    openers: openers.map((opener) => opener.toLowerCase()),
    mayFollow: isApart,
    match(text, at, isWhole) {
      const to = part(text, at, isWhole);
      return to < 0 ? to : { from: at, to, ...(rest && { rest }) };
    },
  };
}

/** Matches `lead` and then `part`. Only `part` is secret; `lead` stays readable. */
function after(lead: Part, part: Part, rest?: Rest): Format["match"] {
  return (text, at, isWhole) => {
    const from = lead(text, at, isWhole);
    if (from < 0) return from;
    const to = part(text, from, isWhole);
    return to < 0 ? to : { from, to, ...(rest && { rest }) };
  };
}

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

/** A line number, as tools put it before each line. */
const numbered = optional(sequence(run(characters(/\d/), 1, 8), run(characters(/[\t:|]/), 1), run(blank, 0, 4)));
const newline = sequence(oneOf(words("\r\n"), words("\n"), words("\\r\\n"), words("\\n")), run(blank, 0, 40), numbered);
const headers = sequence(
  words("Proc-Type: "),
  run(characters(/[\w,]/), 1, 40),
  newline,
  words("DEK-Info: "),
  run(characters(/[\w,-]/), 1, 100),
  newline,
  newline,
);
const pemEnd = sequence(words("-----END "), run(title, 0, 60), words("-----"));
const pemText = characters(/[A-Za-z0-9+/=\\\r\n\t]/);
/** The signs between a line number and its line. */
const numbering = characters(/[:|]/);
/** The characters after which a space may stand. */
const indenting = characters(/[ \n\t:|]/);

/** Reads the lines of a private key, up to its end marker or a character that a key can't contain. */
const pemRest: Rest = (text, at, isWhole, before) => {
  let last = before;
  for (let end = at; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (code === 0x2d) {
      const keyEnd = pemEnd(text, end, isWhole);
      return keyEnd === no ? end : keyEnd < 0 ? open(end) : keyEnd;
    }
    const isIndent = code === 0x20 && isOf(indenting, last);
    const isNumbered = isOf(numbering, code) && last >= 0x30 && last <= 0x39;
    if (!isIndent && !isNumbered && !isOf(pemText, code)) return end;
    last = code;
  }
  return isWhole ? text.length : open(text.length);
};

const pemTitle = run(title, 11, 60);
const pemName: Part = (text, at, isWhole) => {
  const end = pemTitle(text, at, isWhole);
  return end < 0 || /PRIVATE KEY(?: BLOCK)?$/.test(text.slice(at, end)) ? end : no;
};
const privateKey: Format = {
  ...format(
    "private key",
    ["-----BEGIN "],
    sequence(words("-----BEGIN "), pemName, words("-----"), newline, optional(headers), run(base64, 16)),
    pemRest,
  ),
  mayFollow: () => true,
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
  token("token", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], 20, alphanumeric),
  token("token", ["github_pat_"], 22, characters(/\w/)),
  token("token", ["glpat-"], 20),
  format(
    "key",
    ["AKIA", "ASIA"],
    sequence(oneOf(words("AKIA"), words("ASIA")), run(upper, 16), notBefore(alphanumeric)),
  ),
  token("key", ["AIza"], 35),
  token("token", ["xoxa-", "xoxb-", "xoxe-", "xoxp-", "xoxr-", "xoxs-", "xapp-"], 10),
  token("key", ["sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_"], 16, alphanumeric),
  token("token", ["npm_"], 36, alphanumeric),
  token("token", ["hf_"], 30, alphanumeric),
  jsonWebToken,
  privateKey,
  authorization,
  bearerToken,
  urlPassword,
  queryValue,
  assignment,
];
