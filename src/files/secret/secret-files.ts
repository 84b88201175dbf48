// Recognizes files that are likely to hold keys and passwords, by their names. `secret-content.ts` looks into them.

import { isSecretDocument, isSecretWord, secretFolders, secretKinds, type SecretKind } from "./secret-kinds.js";

/**
 * The meaning of a name. `secret`: the file is one. `mixed`: it is one unless its content is understood and harmless. `possible`: only its
 * content tells, and it is worth a look.
 */
export type Suspicion = "secret" | "mixed" | "possible";

/** The plainest names of secrets, for a place that knows files by patterns alone. `*` is any part of a name. */
export const secretNames: readonly string[] = [
  ...[".env", ".env.*", ".netrc", ".pgpass", ".git-credentials", ".ssh", ".gnupg", ".aws", "id_rsa", "id_ecdsa"],
  ...["id_ed25519", "*.pem", "*.p12", "*.pfx"],
];

/** Samples look like secret files and are made to be read. */
const samples = /\.(?:example|sample|template|dist|defaults?|schema)$/;

/** Samples with the mark before the ending or at the beginning. Names that begin with `.env` are none. */
const markedSamples =
  /^(?!\.env)(?:(?:example|sample|template)[._-].*|.*[._-](?:examples?|samples?|templates?|dist|defaults?|schema)\.(?:json5?|jsonc|ya?ml|toml|ini|properties|conf|cfg|cnf|xml|env|php|tfvars|txt)|.*\.(?:tpl|tmpl|j2|erb|mustache))$/;

/** Endings of source code, documents and pictures. A pattern does not match them, only a whole name does. */
const works = new Set(
  "ts tsx mts cts js jsx mjs cjs py pyi rb go rs java kt kts scala swift c h cc cpp hpp cs fs vb php pl pm lua r jl dart ex exs erl hs clj cljs elm vue svelte astro html htm css scss sass less md mdx rst adoc tex svg png jpg jpeg gif webp ico pdf woff woff2 ttf otf eot wasm map snap lock sum mod ipynb graphql gql proto tf hcl bicep rego feature pub".split(
    " ",
  ),
);

/** Endings of files that are worth a look. */
const looked = new Set(
  "json json5 jsonc yml yaml toml ini conf cfg cnf config properties xml plist txt crt cer der csr asc gpg pgp jwk jwks pass rc auth login cred session credential npmrc netrc data dat".split(
    " ",
  ),
);

/** Documents of a project that are long, frequent, and hold no secrets. */
const neverLooked = new Set([
  "package.json",
  "package-lock.json",
  "npm-shrinkwrap.json",
  "pnpm-lock.yaml",
  "tsconfig.json",
]);

/** Marks of a copy that a person or an editor made. */
const copies = /(?:~|\.(?:bak|bkp|old|orig|save|saved|swp|swo|backup|copy|tmp|disabled|\d{1,2}))$/;

const mayBeCopy = /^[.#]#|[~\d#]$|\.(?:b|o|s|c|t|d)[a-z]+$/;

/** Folders with the name of a secret file have been secret from the beginning on. */
const oldFolders =
  /^(?:\.env(?:\..*)?|\.netrc|\.pgpass|\.git-credentials|id_rsa|id_ecdsa|id_ed25519|.*\.(?:pem|p12|pfx))$/;

/** Names of the kinds, sorted by how they are compared. */
interface Known {
  readonly names: ReadonlyMap<string, Suspicion>;
  readonly endings: ReadonlyMap<string, Suspicion>;
  readonly forms: readonly (readonly [form: RegExp, is: Suspicion])[];
  /** Ends of paths, by their last name. */
  readonly paths: ReadonlyMap<string, readonly (readonly [path: string, is: Suspicion])[]>;
}

let known: Known | undefined;

/**
 * The meaning of the name of a file; undefined for a usual file. The path has slashes; case is ignored. A file in a folder of secrets
 * is a secret.
 */
export function suspicionOf(path: string): Suspicion | undefined {
  const folded = path.toLowerCase();
  const cut = folded.lastIndexOf("/");
  const name = folded.slice(cut + 1);
  if (cut > 0 && isInSecretFolder(folded.slice(0, cut))) return samples.test(folded) ? undefined : "secret";
  const own = ofName(folded, name);
  return own === undefined || own === "possible" ? (ofCopy(folded, name) ?? own) : own;
}

/** True if the name of a file is the name of a secret, as long as nobody looks into it. The path has slashes; case is ignored. */
export function isSecretFile(path: string): boolean {
  const suspicion = suspicionOf(path);
  return suspicion === "secret" || suspicion === "mixed";
}

/** True if a folder is one of secrets, with all that is in it. The path has slashes; case is ignored. */
export function isSecretFolder(path: string): boolean {
  return isInSecretFolder(path.toLowerCase());
}

function ofName(path: string, name: string): Suspicion | undefined {
  known ??= sorted(secretKinds);
  const exact = known.names.get(name);
  if (exact !== undefined) return exact;
  const ofPath = known.paths.get(name)?.find(([end]) => path === end || path.endsWith(`/${end}`));
  if (ofPath !== undefined) return ofPath[1];
  const dot = name.lastIndexOf(".");
  const ending = dot <= 0 ? "" : name.slice(dot + 1);
  const isEnvironment = name.startsWith(".env.");
  // Most files of a project end here.
  if ((works.has(ending) && !isEnvironment) || neverLooked.has(name)) return undefined;
  if (samples.test(name) || markedSamples.test(name)) return undefined;
  if (isEnvironment) return "secret";
  const ofEnding = known.endings.get(ending);
  if (ofEnding !== undefined && dot > 0) return ofEnding;
  const form = known.forms.find(([one]) => one.test(name));
  if (form !== undefined) return form[1];
  if (isSecretWord(name)) return "secret";
  if (isSecretDocument(name)) return "mixed";
  const isBare = ending === "" || ending === "txt";
  if (isInFolderOfData(path)) return isBare ? "secret" : looked.has(ending) ? "mixed" : undefined;
  return ending === "" || looked.has(ending) || name.endsWith("rc") ? "possible" : undefined;
}

/** A copy of a secret is one. What is left of a name without the mark of a copy may be source code. */
function ofCopy(path: string, name: string): Suspicion | undefined {
  if (!mayBeCopy.test(name)) return undefined;
  const plain = name
    .replace(/^(?:\.#|#)/, "")
    .replace(/#$/, "")
    .replace(copies, "");
  if (plain === name || plain === "") return undefined;
  return (
    suspicionOf(path.slice(0, path.length - name.length) + plain) ??
    (works.has(plain.split(".").at(-1) ?? "") ? undefined : "possible")
  );
}

/** The last folder that was asked about: a walk asks about each of its files. */
let last = { folder: "", isSecret: false };

/** True for the path of a folder that is one of secrets, or in one. */
function isInSecretFolder(folder: string): boolean {
  if (last.folder !== folder) last = { folder, isSecret: hasSecretFolder(folder) };
  return last.isSecret;
}

function hasSecretFolder(folder: string): boolean {
  let end = folder.length;
  while (end > 0) {
    const start = folder.lastIndexOf("/", end - 1) + 1;
    const name = folder.slice(start, end);
    if ((folders.has(name) || oldFolders.test(name)) && !samples.test(name)) return true;
    const upTo = folder.slice(0, end);
    if (folderPaths.some((path) => upTo === path || upTo.endsWith(`/${path}`))) return true;
    end = start - 1;
  }
  return false;
}

const folderNames = secretKinds.flatMap(({ by, names }) => (by === "folder" ? names : []));
const folders = new Set(folderNames.filter((name) => !name.includes("/")));
const folderPaths = folderNames.filter((name) => name.includes("/"));

/** True for a file right in a folder whose files are values: `secrets/db_password`. */
function isInFolderOfData(path: string): boolean {
  const parts = path.split("/");
  return parts.length > 1 && secretFolders.has(parts.at(-2) ?? "");
}

function sorted(kinds: readonly SecretKind[]): Known {
  const names = new Map<string, Suspicion>();
  const endings = new Map<string, Suspicion>();
  const forms: [RegExp, Suspicion][] = [];
  const paths = new Map<string, [string, Suspicion][]>();
  for (const { by, names: patterns } of kinds) {
    if (by === "folder") continue;
    const is = by === "name" ? "secret" : "mixed";
    for (const pattern of patterns) {
      if (pattern.includes("/")) {
        const last = pattern.slice(pattern.lastIndexOf("/") + 1);
        paths.set(last, [...(paths.get(last) ?? []), [pattern, is]]);
      } else if (/^\*\.\w+$/.test(pattern)) endings.set(pattern.slice(2), is);
      else if (pattern.includes("*")) forms.push([formOf(pattern), is]);
      else names.set(pattern, is);
    }
  }
  return { names, endings, forms: joined(forms), paths };
}

/** One form for all patterns of a suspicion: a name is compared twice, not a hundred times. */
function joined(forms: readonly (readonly [RegExp, Suspicion])[]): readonly (readonly [RegExp, Suspicion])[] {
  return (["secret", "mixed"] as const).map((is) => {
    const sources = forms.filter(([, one]) => one === is).map(([form]) => form.source);
    return [new RegExp(`^(?:${sources.join("|")})$`), is] as const;
  });
}

function formOf(pattern: string): RegExp {
  return new RegExp(pattern.replace(/[.+?^${}()|[\]\\]/g, "\\$&").replaceAll("*", "[^/]*"));
}
