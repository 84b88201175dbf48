// Secrets by the words around them on a line: options of commands, cookies, connection strings, definitions of PHP.

import { isRandom, isSecretText } from "./assignment.js";
import { format, isApart, judged } from "./build-format.js";
import type { Format, SecretSpan } from "./format.js";
import { characters, no, notBefore, oneOf, optional, run, sequence, words, type Part } from "./match.js";
import { restOf } from "./rest.js";

const blank = characters(/[ \t]/);
const quote = optional(oneOf(words('\\"'), words('"'), words("'")));
const blanks = run(blank, 0, 4);

/** The longest value that is examined. A longer value is no password. */
const longest = 128;
/** No reference to a variable, no placeholder, and no end of a word in a shell. */
const typed = characters(/[^\s"'`\\<>{}()[\]$,;|&]/);
const typedEnd = notBefore(characters(/[^\s"'`\\,;|&)\]]/));
const typedValue = (least: number): Part => run(typed, least, longest);

/** Finds the lead, and then a value that ends there. */
function ending(lead: Part, value: Part, end: Part = typedEnd): Format["match"] {
  return (text, at, isWhole): SecretSpan | number => {
    const from = lead(text, at, isWhole);
    if (from < 0) return from;
    const to = value(text, from, isWhole);
    if (to < 0) return to;
    const after = end(text, to, isWhole);
    return after < 0 ? after : { from, to };
  };
}

const beforeOption: Format["mayFollow"] = (before) =>
  Number.isNaN(before) || /[\s"'`(]/.test(String.fromCharCode(before));

/** An option with a token or a password as its next word. Source: the options of gh, docker, npm, vault and other programs. */
function option(kind: string, names: readonly string[], isLikely: (value: string) => boolean): Format {
  const openers = names.map((name) => `--${name} `);
  const lead = sequence(oneOf(...openers.map((opener) => words(opener, true))), run(blank, 0, 4), quote);
  return judged(
    { ...format(kind, openers, words("")), mayFollow: beforeOption, match: ending(lead, typedValue(8)) },
    (value) => !/[/=]./.test(value) && isLikely(value),
  );
}

const tokenOptions = [
  "token",
  "auth-token",
  "access-token",
  "api-token",
  "api-key",
  "apikey",
  "secret-key",
  "client-secret",
];
const tokenOption = option("token", tokenOptions, (value) => isRandom(value, 16, 0.3));
const passwordOption = option("password", ["password", "passwd", "passphrase"], isSecretText);

/** The password of a login as an option of curl and wget. Source: curl(1); gitleaks, curl-auth-user. */
const loginOptions = ["-u ", "--user ", "--proxy-user "];
const user = run(characters(/[^\s/:?#"'<>{}$`\\()]/), 1, 128);
const login: Format = judged(
  {
    ...format("password", loginOptions, words("")),
    mayFollow: beforeOption,
    match: ending(
      sequence(oneOf(...loginOptions.map((opener) => words(opener))), run(blank, 0, 4), quote, user, words(":")),
      typedValue(8),
    ),
  },
  (value) => !value.startsWith("/") && isSecretText(value),
);

/** The password of a connection string, between its other fields. Source: Microsoft's documentation of connection strings. */
const fields = ["password=", "pwd="];
const fieldLead = oneOf(...fields.map((field) => words(field, true)));
const fieldValue = run(typed, 6, 64);
const fieldEnd = notBefore(characters(/[^\s"'`;]/));
/** A member of an object, and comparisons: this is code. */
const code = /^[A-Za-z_]\w*\.[A-Za-z_]|[!=]=/;
const field = (mayFollow: Format["mayFollow"], isLikely: (value: string) => boolean): Format =>
  judged(
    { ...format("password", fields, words("")), mayFollow, match: ending(fieldLead, fieldValue, fieldEnd) },
    (value) => isSecretText(value) && !code.test(value) && isLikely(value),
  );
const laterField = field(
  (before) => before === 0x3b,
  () => true,
);
const firstField = field(
  (before) => isApart(before) && before !== 0x3b && before !== 0x3d,
  (value) => /[!@#%^*+~]/.test(value),
);

/** A cookie with the id of a session or a token. Source: OWASP, names of session ids; gitleaks, gitlab-session-cookie. */
const cookieName =
  /(?:^|[_.-])(?:sess|sessid|session|sessionid|sid|auth|token|jwt|phpsessid|jsessionid|remember_token|user_session)(?:[_.-]|$)/i;
const cookieHead = sequence(words("cookie", true), quote, blanks, words(":"), blanks, quote);
const cookieRest = restOf(characters(/[^\s"'`\\,<>{}$]/));
const pairName = run(characters(/[\w.-]/), 1, 64);
const pairText = characters(/[^\s"'`\\;,<>{}$]/);
const pairValue = run(pairText, 0, 512);
const pairSign = words("=");
const between = run(characters(/[; ]/), 0, 3);
/** The most cookies of a header before the cookie that is looked for. */
const mostCookies = 8;
const cookie: Format = {
  ...format("token", ["cookie"], words("")),
  match(text, at, isWhole) {
    let from = cookieHead(text, at, isWhole);
    for (let seen = 0; from >= 0 && seen < mostCookies; seen += 1) {
      const nameEnd = pairName(text, from, isWhole);
      if (nameEnd < 0) return nameEnd;
      const begin = pairSign(text, nameEnd, isWhole);
      if (begin < 0) return begin;
      const end = pairValue(text, begin, isWhole);
      if (end < 0) return end;
      if (
        cookieName.test(text.slice(from, nameEnd)) &&
        isRandom(text.slice(begin, end).replaceAll(/[.%]/g, ""), 16, 0.25)
      )
        return { from: begin, to: end, rest: cookieRest };
      from = between(text, end, isWhole);
      if (from === end) return no;
    }
    return from < 0 ? from : no;
  },
};

/** A constant of PHP. Source: WordPress's documentation of wp-config.php. */
const phpName = /(?:^|_)(?:password|passwd|secret|token|key|salt)$/i;
const phpHead = sequence(words("define("), blanks, oneOf(words("'"), words('"')));
const phpNameText = run(characters(/\w/), 3, 64);
const phpBlanks = run(blank, 0, 40);
const phpJoint = sequence(oneOf(words("'"), words('"')), blanks, words(","), phpBlanks, oneOf(words("'"), words('"')));
const phpValue = run(characters(/[^"'\\\r\n]/), 8, longest);
const phpDefinition: Format = {
  ...format("secret", ["define("], words("")),
  match(text, at, isWhole) {
    const from = phpHead(text, at, isWhole);
    if (from < 0) return from;
    const nameEnd = phpNameText(text, from, isWhole);
    if (nameEnd < 0) return nameEnd;
    if (!phpName.test(text.slice(from, nameEnd))) return no;
    const begin = phpJoint(text, nameEnd, isWhole);
    if (begin < 0) return begin;
    const to = phpValue(text, begin, isWhole);
    if (to < 0) return to;
    return isSecretText(text.slice(begin, to)) ? { from: begin, to } : no;
  },
};

/** All formats of credentials in lines. */
export const linesOfCredentials: readonly Format[] = [
  tokenOption,
  passwordOption,
  login,
  laterField,
  firstField,
  cookie,
  phpDefinition,
];
