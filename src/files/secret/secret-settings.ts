// Reads a settings file just far enough to tell that no value in it is a password, a key or a token.

/** Names of values that are secrets. The word is the last word of the name: `token_url` and `passwordFile` are no secrets. */
const secretName =
  /(?:(?:^|[._-])pass|pass(?:word|wd|phrase|code)|pwd|secrets?|tokens?|credentials?|authorization|auth(?:_?ident)?|bearer|cookie|extraheader|(?:api|secret|private|access|account|encryption|signing|master|client|shared|license|app)[._-]?keys?|key[._-]?base|connection[._-]?string)$/i;

/** Names that end so and are none. */
const harmlessName =
  /(?:max|min|num|total|prompt|completion|input|output|stop|eos|bos|pad|unk|design)_?tokens?$|always[._-]?auth$/i;

/** Values that stand for another value, or are the usual values of a local service. */
const placeholder =
  /^(?:\$.*|%.*|<.*|\{.*|\[.*|\*+|[x#._-]+|enc[([].*|vault:.*|op:\/\/.*|arn:.*|!.*|@microsoft\..*|[&|>].*|env[:(.].*|process\.env.*|\/[\w./-]+|~?\.{0,2}\/[\w./-]+|(?:your|my|change|replace|insert|enter|put|add|set)(?:[ _-]?(?:me|this|here|own|your).*|[ _-].*)|todo.*|none|null|nil|undefined|true|false|yes|no|on|off|basic|bearer|token|auto|required|optional|disabled|enabled|string|example\w*|sample\w*|placeholder|dummy|fake|test\w{0,4}|password|passwd|pass|secret|postgres|postgresql|mysql|root|admin|guest|user|dev|local|localhost|default|changeit|android|store|cache|osxkeychain|manager(?:-core)?|libsecret|wincred|pass-through|ci|\d{1,5})$/i;

/** A name and its value, as JSON, YAML, TOML, properties and programs' own forms write them. */
const pair =
  /([\p{L}_][\w./:@[\]*-]{0,100}?)["']?[ \t]{0,40}(?::[ \t]{0,40}|=>?[ \t]{0,40}|:\s{0,80})\[?\s{0,80}(?:"((?:[^"\\\n]|\\.)*)"|'([^'\n]*)'|([^\s"',;}\]#<][^\n,;}\]]*))/gu;

/** The same in XML: an element, or two attributes. */
const element = /<([\w.:-]{1,100})(?:\s[^<>]{0,200})?>([^<>\s][^<>]{0,500})<\//g;
const attribute = /\b([\w.:-]{1,100})\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const attributes = /\b(?:key|name)\s*=\s*["']([^"']+)["'][^<>]{0,300}?\bvalue\s*=\s*["']([^"']*)["']/gi;

/** A part of a connection string. */
const part = /\b(?:password|pwd|accountkey|sharedaccesskey|sharedaccesssignature|secret)\s*=\s*([^\s;"'&<>]+)/gi;

/** An account in an address: `https://NAME:…@host`, and a token without a user. */
const account = /[a-z][a-z0-9+.-]{0,20}:\/\/(?:[^\s:@/"'<>]{0,200}:([^\s@/"'<>]{1,300})|([^\s:@/"'<>]{16,300}))@/gi;

/** True if a value in the text is likely to be a secret. */
export function namesValue(text: string): boolean {
  for (const [, name = "", double, single, bare] of text.matchAll(pair))
    if (isSecretPair(name, double ?? single ?? bare ?? "")) return true;
  for (const [, name = "", value = ""] of text.matchAll(element)) if (isSecretPair(name, value)) return true;
  for (const [, name = "", double, single] of text.matchAll(attribute))
    if (isSecretPair(name, double ?? single ?? "")) return true;
  for (const [, name = "", value = ""] of text.matchAll(attributes)) if (isSecretPair(name, value)) return true;
  for (const [, value = ""] of text.matchAll(part)) if (isValue(value)) return true;
  for (const [, password, token] of text.matchAll(account)) if (isValue(password ?? token ?? "")) return true;
  return false;
}

function isSecretPair(name: string, given: string): boolean {
  const value = given.replace(/\s+#.*$/, "").trim();
  // A name may have a host or a number in front, and case marks its words: `//host/:_authToken`, `dbPassword`.
  const last = name.replace(/\[\d*\]$/, "");
  if (/^(?:proxy[_-]?)?user(?:name)?$/i.test(last))
    return /^[^\s:/]+:[^\s:/]{4,}$/.test(value) && !/^\d+:\d+$/.test(value);
  // A block of YAML follows.
  if (/^[|>][+-]?$/.test(value)) return secretName.test(last) && !harmlessName.test(last);
  return secretName.test(last) && !harmlessName.test(last) && isValue(value);
}

/** True for a value that may be a secret: no placeholder, no words for a person, no name of a thing. */
function isValue(text: string): boolean {
  const value = text.trim();
  if (value.length < 4 || placeholder.test(value)) return false;
  if (/^(?:authorization\s*:\s*)?(?:basic|bearer|token)\s+\S{8}/i.test(value)) return true;
  return !/\s/.test(value) && !/^\p{Lu}[\p{Ll}\p{M}]+[.:!?…]*$/u.test(value);
}

/** True if each line of the text has the form that a file of this name has. */
export function isUnderstood(name: string, text: string): boolean {
  if (/\.(?:jsonc?|json5)$|^\.dockercfg$/.test(name)) return isJson(text);
  if (/\.(?:xml|config|plist)$/.test(name))
    return (
      text.trim() === "" ||
      text
        .trimStart()
        .replace(/^\ufeff|^ï»¿/, "")
        .startsWith("<")
    );
  const isLine =
    name === ".yarnrc" ? isLineOfYarn : /^\.?env|(?<!npm)rc$|\.sh$/.test(name) ? isLineOfProgram : isLineOfSettings;
  return text.split(/\r?\n/).every((line) => isLine(line));
}

/** A comment, a continued line, a section, a bracket, or a name with a value. */
function isLineOfSettings(line: string): boolean {
  return /^(?:\s|$|[#;!"'[\]{}()<>,*|&%@-]|\/\/|\.\.\.)|[:=]/.test(line);
}

/** A line of Yarn 1: a name and one value, with a blank between them. */
function isLineOfYarn(line: string): boolean {
  return /^(?:\s*$|#|(?:"[^"]+"|[\w.@:/-]+) (?:"[^"]*"|\S+)$)/.test(line);
}

/** The same for scripts and settings of commands, with the functions of direnv. */
function isLineOfProgram(line: string): boolean {
  return (
    isLineOfSettings(line) ||
    /^(?:use|layout|source\w*|dotenv\w*|PATH_add|path_add|MANPATH_add|watch_\w+|export|unset|eval|strict_env|direnv_\w+|has|if|then|else|elif|fi|for|do|done|set|log_\w+|PATH_rm|expand_path|find_up|on_git_branch|env_vars_required|rvm|nvm|pyenv|asdf|mise|guix|lorri|nix\w*|echo|alias|cd|return|exit|--?[\w-]+)\b/.test(
      line,
    )
  );
}

/** JSON, also with comments and commas at the end. */
function isJson(text: string): boolean {
  if (text.trim() === "") return true;
  const plain = text.replace(/^(?:\ufeff|ï»¿)/, "");
  const bare = plain
    .replace(/("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[^]*?\*\//g, "$1")
    .replace(/("(?:[^"\\\n]|\\.)*")|,(?=\s*[}\]])/g, "$1");
  return [plain, bare].some((one) => {
    try {
      const value: unknown = JSON.parse(one);
      return typeof value === "object" && value !== null;
    } catch {
      return false;
    }
  });
}
