// Recognizes secrets by the content of a file: keys, accounts and tokens in the forms in which programs keep them.

import { redactor } from "../core/index.js";
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
/** The most characters in which the forms are looked for: some of them read a text to its end. */
const maxFormed = 8 * 1024;

/** The number of first bytes of a file of this name that `holdsSecret` looks at; 0 if its name tells all. */
export function bytesToLookAt(path: string): number {
  const suspicion = suspicionOf(path);
  return suspicion === "mixed" ? maxMixed : suspicion === "possible" ? maxBeginning : 0;
}

/**
 * True if a file of this name that begins so holds a secret. A mixed file that is too long, binary or not understood counts as one. For
 * a file with a usual name only the first line counts: source code may quote a key further down.
 */
export function holdsSecret(path: string, { bytes, isWhole }: Beginning): boolean {
  const suspicion = suspicionOf(path);
  if (suspicion === "secret") return true;
  const text = textOf(bytes);
  if (suspicion === "mixed") return !(isWhole && isHarmless(path, text));
  return suspicion === "possible" ? showsSecret(text) : beginsAsKey.test(text);
}

/** A key that follows its first line: documents name the line alone. */
const key =
  /-----? ?BEGIN (?:[A-Z0-9]+ )*(?:PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-? ?----[^]{0,400}?[A-Za-z0-9+/]{32}|PuTTY-User-Key-File-\d|AGE-SECRET-KEY-1[A-Z0-9]{20}|openssh-key-v1/;
const beginsAsKey = new RegExp(`^\\s*(?:${key.source})`);

/** The forms in which programs keep keys and accounts, whatever the file is called. */
const forms: readonly RegExp[] = [
  key,
  // A service account, an OAuth client, a JWK
  /"private_key"\s*:\s*"[^"]{20}/,
  /"type"\s*:\s*"service_account"/,
  /"(?:client_secret|refresh_token)"\s*:\s*"(?!<|\$|your|xxx)[^"\s]{12}/i,
  /"kty"\s*:[^]{0,2000}"d"\s*:\s*"[\w-]{20}|"d"\s*:\s*"[\w-]{20}[^]{0,2000}"kty"\s*:/,
  // npm, pip, git
  /^[^#;\n]*:(?:_authToken|_auth|_password)\s*=\s*(?!\$)\S{8}/m,
  /^\s*_(?:authToken|auth|password)\s*=\s*(?!\$)\S{8}/m,
  /^\s*npmAuth(?:Token|Ident)\s*:\s*(?!["']?\$)\S{8}/m,
  /^\s*"?[^\s"]*_(?:authToken|auth|password)"?\s+(?!["']?\$)\S{8}/m,
  /^\[(?:url|http) "[^"\s:]*:\/\/[^"\s:@/]*:[^"\s@/]{4,}@/m,
  /^https?:\/\/[^\s:@/]+:[^\s@/]{4,}@\S+$/m,
  // Kubernetes, Docker, Terraform
  /^\s*(?:- )?client-key-data\s*:\s*\S{20}/m,
  /^kind\s*:\s*["']?Config\b[^]*^\s+(?:token|password)\s*:\s*["']?\S{8}/m,
  /^kind\s*:\s*["']?Secret["']?\s*$[^]*^(?:data|stringData)\s*:\s*\n\s+[\w.-]+\s*:\s*(?!["']?(?:\{\{|\$|<))\S/m,
  /^(?:data|stringData)\s*:\s*\n\s+[\w.-]+\s*:\s*(?!["']?(?:\{\{|\$|<))\S[^]*^kind\s*:\s*["']?Secret["']?\s*$/m,
  /"auths"\s*:\s*\{[^]*"(?:auth|identitytoken|password)"\s*:\s*"[^"]{6}/,
  /"terraform_version"\s*:[^]{0,400}"lineage"\s*:/,
  // AWS, Azure, netrc, Bundler, htpasswd, WireGuard
  /aws_secret_access_key\s*[:=]\s*["']?[A-Za-z0-9/+]{30}/i,
  /\b(?:AccountKey|SharedAccessKey)=[A-Za-z0-9+/]{30}/,
  /^\s*machine\s+\S+\s+(?:login\s+\S+\s+)?password\s+\S/m,
  /^\s*login\s+\S+\s*\n\s*password\s+\S/m,
  /^BUNDLE_\w*__\w+\s*:\s*["']?[^\s"':]+:[^\s"']{4}/m,
  /^[\w.@-]+:(?:\$(?:apr1|2[aby]|5|6|y)\$|\{SHA\})\S{10}/m,
  /^\s*PrivateKey\s*=\s*[A-Za-z0-9+/]{42,43}=/m,
  // Variables in a file of another name
  /^(?:export\s+)?[A-Z][A-Z0-9_]*(?:SECRET|TOKEN|PASSWORD|API_?KEY|PRIVATE_KEY|ACCESS_KEY)[A-Z0-9_]*=(?!["']?(?:\$|<|your|xxx|change))["']?[^\s"']{12}/m,
];

/** Words of one of the forms: a text without any of them is looked at no further. */
const hint =
  /PRIVATE KEY|OpenVPN Static|PuTTY-User|AGE-SECRET|openssh-key|private_key|service_account|client_secret|refresh_token|"kty"|_auth|_password|npmAuth|:\/\/[^\s/]*:[^\s/]*@|client-key-data|kind\s*:|"auths"|"lineage"|aws_secret|AccountKey=|AccessKey=|\bpassword\s|BUNDLE_|:\$|\{SHA\}|PrivateKey|SECRET|TOKEN|PASSWORD|_?KEY\w*=/i;

/** Beginnings of tokens that makers give out. */
const token =
  /\b(?:AKIA|ASIA|ghp_|gho_|ghs_|github_pat_|glpat-|xox[abprs]-|sk-|sk_live_|rk_live_|npm_|pypi-|AIza|hf_|dop_v1_|SG\.|shpat_|eyJ[\w-]{10})/;

function showsSecret(text: string): boolean {
  if (hint.test(text) && forms.some((form) => form.test(text))) return true;
  return token.test(text) && isRedacted(text);
}

function isRedacted(text: string): boolean {
  return redactor().text(text) !== text;
}

/** True for a mixed file that is understood, and in which no value is a secret. */
function isHarmless(path: string, text: string): boolean {
  const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
  if (/\.(?:pem|key)\b/.test(name)) return isPublic(text);
  if (text.includes("\0")) return false;
  return isUnderstood(name, text) && !namesValue(text) && !forms.some((form) => form.test(text.slice(0, maxFormed))) && !isRedacted(text);
}

/** True for certificates, public keys and parameters, and for a presentation of Keynote, which is an archive. */
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
