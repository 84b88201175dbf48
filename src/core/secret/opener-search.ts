// Finds the openers of formats in a text, in a time per character that does not depend on their number.

/** The bits of a class of characters, and the number of keys that three classes make. */
const classBits = 5;
const keys = 1 << (3 * classBits);

/** The class of each character code: letters have one each, whatever their case. Signs share a few, everything else has class 0. */
const classes = new Uint8Array(0x10000);
for (let code = 0x21; code < 0x7f; code += 1) {
  const character = String.fromCharCode(code);
  if (/[a-z]/i.test(character)) classes[code] = code & 31;
  else if (/\d/.test(character)) classes[code] = 27;
  else classes[code] = ({ _: 28, "-": 29, "?": 30, "&": 30 } as Readonly<Record<string, number>>)[character] ?? 31;
}

function classAt(text: string, at: number): number {
  return at < text.length ? (classes[text.charCodeAt(at)] ?? 0) : 0;
}

/** Finds the next opener of a set. The case of ASCII letters does not matter. */
export class OpenerSearch {
  /** The length of the longest opener. */
  readonly longest: number;
  /** The classes of three characters lead to the openers that may begin there, by an index into `#lists`. The first list is empty. */
  readonly #listOf: Uint16Array;
  readonly #lists: (readonly string[])[];
  readonly #beginnings: Set<string>;
  readonly #base: OpenerSearch | undefined;

  /** Takes the openers, which are in lower case and not empty. They are found besides the openers of `base`, which stays as it is. */
  constructor(openers: readonly string[], base?: OpenerSearch) {
    this.longest = Math.max(base?.longest ?? 0, ...openers.map(({ length }) => length));
    this.#base = base;
    this.#listOf = base === undefined ? new Uint16Array(keys) : base.#listOf.slice();
    this.#lists = base === undefined ? [[]] : [...base.#lists];
    this.#beginnings = new Set(openers.flatMap((opener) => Array.from(opener, (_none, at) => opener.slice(0, at + 1))));
    for (const opener of openers) for (const key of keysOf(opener)) this.#add(key, opener);
  }

  /** The index of the first opener at or after `from`; -1 if there is none. */
  next(text: string, from: number): number {
    const listOf = this.#listOf;
    let key = (classAt(text, from) << classBits) | classAt(text, from + 1);
    for (let at = from; at < text.length; at += 1) {
      key = ((key << classBits) | classAt(text, at + 2)) & (keys - 1);
      const list = listOf[key];
      if (list !== 0 && list !== undefined && isAnyAt(this.#lists[list], text, at)) return at;
    }
    return -1;
  }

  /** True if an opener begins with this text, which is in lower case. */
  mayContinue(beginning: string): boolean {
    return this.#beginnings.has(beginning) || this.#base?.mayContinue(beginning) === true;
  }

  #add(key: number, opener: string): void {
    const list = this.#listOf[key] ?? 0;
    // A list is replaced, since the base may have it too.
    if (list === 0) this.#listOf[key] = this.#lists.push([opener]) - 1;
    else this.#lists[list] = [...(this.#lists[list] ?? []), opener];
  }
}

/** The keys of the first three characters. An opener that is shorter has many. */
function keysOf(opener: string): readonly number[] {
  let found = [0];
  for (let at = 0; at < 3; at += 1) {
    const known =
      at < opener.length ? [classAt(opener, at)] : Array.from({ length: 1 << classBits }, (_none, any) => any);
    found = found.flatMap((key) => known.map((one) => (key << classBits) | one));
  }
  return found;
}

function isAnyAt(openers: readonly string[] | undefined, text: string, at: number): boolean {
  for (const opener of openers ?? []) if (isAt(opener, text, at)) return true;
  return false;
}

function isAt(opener: string, text: string, at: number): boolean {
  // Reading beyond the end would make the engine give up its fast code for all later texts.
  if (at + opener.length > text.length) return false;
  for (let read = 0; read < opener.length; read += 1) {
    const code = text.charCodeAt(at + read);
    const isUpper = code >= 0x41 && code <= 0x5a;
    if ((isUpper ? code + 0x20 : code) !== opener.charCodeAt(read)) return false;
  }
  return true;
}
