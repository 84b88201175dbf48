// Recognizes secrets by the content of a file: keys, accounts and tokens in the forms in which programs keep them.

import { redactor } from "../../core/index.js";
import { suspicionOf } from "./secret-files.js";
import { isUnderstood, namesValue } from "./secret-settings.js";

/** The first bytes of a file. */
export interface Beginning {
  readonly bytes: Uint8Array;
  /** True if these are all of its bytes. */
  readonly isWhole: boolean;
}

/** The most bytes of a mixed file that are looked at, and of any other file. */
const maxMixed = 64 * 1024;
const maxBeginning = 4 * 1024;
/** The most characters in which the forms are looked for: some forms read a text to its end. */
const maxFormed = 8 * 1024;

/** The number of first bytes of a file of this name that `holdsSecret` looks at; 0 if its name tells all. */
export function bytesToLookAt(path: string): number {
  const suspicion = suspicionOf(path);
  return suspicion === "mixed" ? maxMixed : suspicion === "possible" ? maxBeginning : 0;
}

/**
 * True if a file of this name that begins so holds a secret. A mixed file that is too long, binary or not understood counts as one, but for
 * a list of certificates. For a file with a usual name only the first line counts: source code may quote a key further down.
 */
export function holdsSecret(path: string, { bytes, isWhole }: Beginning): boolean {
  const suspicion = suspicionOf(path);
  if (suspicion === "secret") return true;
  const text = textOf(bytes);
  if (suspicion === "mixed") return !isHarmless(path, text, isWhole);
  return suspicion === "possible" ? showsSecret(text) : beginsAsKey.test(text);
}

/** A key that follows its first line: documents name the line alone. */
const key =
  /-----? ?BEGIN (?:[A-Z0-9]+ )*(?:PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-? ?----[^]{0,400}?[A-Za-z0-9+/]{32}|PuTTY-User-Key-File-\d|AGE-SECRET-KEY-1[A-Z0-9]{20}|openssh-key-v1/;
const beginsAsKey = new RegExp(`^\\s*(?:${key.source})`);

/** A form in which programs keep keys and accounts, whatever the file is called, and words of which it has at least one. */
interface Form {
  readonly words: readonly string[];
  readonly form: RegExp;
}

const forms: readonly Form[] = [
  { words: ["PRIVATE KEY", "OpenVPN Static", "PuTTY-User", "AGE-SECRET", "openssh-key-v1"], form: key },
  // A service account, an OAuth client, a JWK
  { words: ["private_key"], form: /"private_key"\s*:\s*"[^"]{20}/ },
  { words: ["service_account"], form: /"type"\s*:\s*"service_account"/ },
  {
    words: ["client_secret", "refresh_token"],
    form: /"(?:client_secret|refresh_token)"\s*:\s*"(?!<|\$|your|xxx)[^"\s]{12}/i,
  },
  { words: ['"kty"'], form: /"kty"\s*:[^]{0,2000}?"d"\s*:\s*"[\w-]{20}|"d"\s*:\s*"[\w-]{20}[^]{0,2000}?"kty"\s*:/ },
  // npm, Yarn, git
  { words: ["_auth", "_password"], form: /^[^#;\n]*:(?:_authToken|_auth|_password)\s*=\s*(?!\$)\S{8}/m },
  { words: ["_auth", "_password"], form: /^\s*_(?:authToken|auth|password)\s*=\s*(?!\$)\S{8}/m },
  { words: ["npmAuth"], form: /^[ \t]*npmAuth(?:Token|Ident)\s*:\s*(?!["']?\$)\S{8}/m },
  { words: ["_auth", "_password"], form: /^"?[^\s"]*_(?:authToken|auth|password)"?[ \t]+(?!["']?\$)\S{8}/m },
  { words: ["://"], form: /^\[(?:url|http) "[^"\s:]*:\/\/[^"\s:@/]*:[^"\s@/]{4,}@/m },
  { words: ["://"], form: /^https?:\/\/[^\s:@/]+:[^\s@/]{4,}@\S+$/m },
  // Kubernetes, Docker, Terraform
  { words: ["client-key-data"], form: /^[ \t]*(?:- )?client-key-data\s*:\s*\S{20}/m },
  {
    words: ["Config"],
    form: /^kind[ \t]*:[ \t]*["']?Config\b[^]{0,4000}?\n[ \t]+(?:token|password)[ \t]*:[ \t]*["']?\S{8}/m,
  },
  {
    words: ["Secret"],
    form: /^kind[ \t]*:[ \t]*["']?Secret["']?\s*$[^]{0,4000}?\n(?:data|stringData)[ \t]*:[ \t]*\n[ \t]+[\w.-]+[ \t]*:[ \t]*(?!["']?(?:\{\{|\$|<))\S/m,
  },
  {
    words: ["Secret"],
    form: /^(?:data|stringData)[ \t]*:[ \t]*\n[ \t]+[\w.-]+[ \t]*:[ \t]*(?!["']?(?:\{\{|\$|<))\S[^]{0,4000}?\nkind[ \t]*:[ \t]*["']?Secret["']?\s*$/m,
  },
  { words: ['"auths"'], form: /"auths"\s*:\s*\{[^]{0,2000}?"(?:auth|identitytoken|password)"\s*:\s*"[^"]{6}/ },
  { words: ['"lineage"'], form: /"terraform_version"\s*:[^]{0,400}?"lineage"\s*:/ },
  // AWS, Azure, netrc, Bundler, htpasswd, WireGuard
  {
    words: ["aws_secret", "AWS_SECRET"],
    form: /aws_secret_access_key\s*[:=]\s*["']?[A-Za-z0-9/+]{30}/i,
  },
  { words: ["AccountKey=", "AccessKey="], form: /\b(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{30}/ },
  { words: ["machine"], form: /^[ \t]*machine[ \t]+\S+\s+(?:login[ \t]+\S+\s+)?password[ \t]+\S/m },
  { words: ["BUNDLE_"], form: /^BUNDLE_\w{0,200}__\w+\s*:\s*["']?[^\s"':]+:[^\s"']{4}/m },
  { words: [":$", "{SHA}"], form: /^[\w.@-]+:(?:\$(?:apr1|2[aby]|5|6|y)\$|\{SHA\})\S{10}/m },
  { words: ["PrivateKey"], form: /^[ \t]*PrivateKey\s*=\s*[A-Za-z0-9+/]{42,43}=/m },
  // Variables in a file of another name
  {
    words: ["SECRET", "TOKEN", "PASSWORD", "KEY="],
    form: /^(?:export\s+)?[A-Z][A-Z0-9_]{0,60}?(?:SECRET|TOKEN|PASSWORD|API_?KEY|PRIVATE_KEY|ACCESS_KEY)[A-Z0-9_]{0,60}=(?!["']?(?:\$|<|your|xxx|change))["']?[^\s"']{12}/m,
  },
];

/** Beginnings of tokens that makers give out. */
const token =
  /\b(?:A(?:KIA|SIA|Iza)|g(?:h[pos]_|ithub_pat_|lpat-)|xox[abps]-|[sr]k_live_|sk-\w|npm_\w|pypi-A|hf_\w|dop_v1_|SG\.\w|shpat_|eyJ\w)/;

function showsSecret(text: string): boolean {
  return hasForm(text) || (token.test(text) && isRedacted(text));
}

function hasForm(text: string): boolean {
  return forms.some(({ words, form }) => words.some((word) => text.includes(word)) && form.test(text));
}

function isRedacted(text: string): boolean {
  return redactor().text(text) !== text;
}

/** True for a mixed file that is understood, and in which no value is a secret. */
function isHarmless(path: string, text: string, isWhole: boolean): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (/\.(?:pem|key)\b/.test(name)) return isPublic(text);
  if (!isWhole || text.includes("\0")) return false;
  return isUnderstood(name, text) && !namesValue(text) && !hasForm(text.slice(0, maxFormed)) && !isRedacted(text);
}

/**
 * True for certificates, public keys and parameters, and for a presentation of Keynote, which is an archive. The certificates of all
 * authorities are too long to be read to their end.
 */
function isPublic(text: string): boolean {
  if (text.startsWith("PK\u0003\u0004")) return true;
  const blocks = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----/g)].map(([, label = ""]) => label);
  return blocks.length > 0 && blocks.every((label) => publicBlock.test(label)) && !key.test(text);
}

const publicBlock =
  /^(?:(?:TRUSTED |X509 )?CERTIFICATE|(?:NEW )?CERTIFICATE REQUEST|(?:RSA |EC |SSH2 )?PUBLIC KEY|PGP PUBLIC KEY BLOCK|DH PARAMETERS|X9\.42 DH PARAMETERS|EC PARAMETERS|X509 CRL|PKCS7|CMS|ATTRIBUTE CERTIFICATE)$/;

/** The text of the bytes. Windows writes some settings as UTF-16. */
function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder("utf-16be").decode(bytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString();
}
