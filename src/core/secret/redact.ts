// Redact: texts without the secrets in them, whole or as they come, in linear time.

import { LastcallError } from "../data/fault.js";
import { isPlainObject } from "../data/json.js";
import { no, words } from "./match.js";
import { joined, lines, marker, scanningFor, type RedactedStream } from "./redact-stream.js";
import { formats } from "./formats.js";
import { type Format } from "./format.js";

/** Which secrets are looked for besides the known formats. */
export interface SecretOptions {
  /** Secrets as they are, at least 8 characters each: wherever one of them stands, it is left out. Default: none. */
  readonly values?: readonly string[] | undefined;
  /**
   * What they look like. A pattern is held against one line at a time, 4096 characters of it at most; how long it takes is yours to
   * see to. Default: none.
   */
  readonly patterns?: readonly RegExp[] | undefined;
}

/** Leaves secrets out: what stands in place of one is `[redacted: kind]`. */
export interface Redactor {
  /** The text without them. What was redacted before does not change. */
  text(text: string): string;
  /** Plain data with every text in it redacted; whatever has none stays the same object. */
  data<T>(value: T): T;
  /** Redacts a text that comes in pieces. */
  stream(): RedactedStream;
}

/**
 * Makes a redactor.
 * @throws LastcallError `configuration` for a value with less than 8 characters, or a pattern that is none.
 */
export function redactor({ values = [], patterns = [] }: SecretOptions = {}): Redactor {
  const sought = [redacted, ...values.flatMap(formsOf).sort(longestFirst).map(known), ...formats];
  const scanning = scanningFor(sought);
  const own = patterns.map(global);
  const stream = (): RedactedStream => (own.length === 0 ? scanning.stream() : joined(lines(own), scanning.stream()));
  const text = (whole: string): string => {
    if (own.length === 0 && !scanning.mayFind(whole)) return whole;
    const stage = stream();
    return stage.write(whole) + stage.end();
  };
  const data = <T>(value: T): T => new DataRedactor(text).redact(value) as T;
  return { text, data, stream };
}

/** Leaves everything as it is. */
export const noRedactor: Redactor = {
  text: (text) => text,
  data: (value) => value,
  stream: () => ({ write: (piece) => piece, end: () => "" }),
};

function longestFirst(a: string, b: string): number {
  return b.length - a.length;
}

/** The value, and as JSON and addresses write it. */
function formsOf(value: unknown): readonly string[] {
  if (typeof value !== "string" || value.length < 8) {
    const message =
      "A value in `secrets` has less than 8 characters: so short a text also stands where it is no secret.";
    throw new LastcallError("configuration", `${message} Leave it out, or give a longer one.`);
  }
  const written = /\p{Surrogate}/u.test(value) ? value : encodeURIComponent(value);
  return [...new Set([value, JSON.stringify(value).slice(1, -1), written])];
}

function known(value: string): Format {
  const part = words(value);
  return {
    kind: "value",
    openers: [value.slice(0, 16).toLowerCase()],
    mayFollow: () => true,
    see(text, at, isWhole) {
      const to = part(text, at, isWhole);
      return to < 0 ? to : { from: at, to };
    },
  };
}

/** What stands for a secret already: it is passed over, so that redacting again changes nothing. */
const redacted: Format = {
  kind: "",
  openers: ["[redacted: "],
  mayFollow: () => true,
  see(text, at, isWhole) {
    for (const kind of ["key", "token", "secret", "password", "private key", "value", "pattern"]) {
      const end = words(marker(kind))(text, at, isWhole);
      if (end !== no) return end < 0 ? end : { from: end, to: end };
    }
    return no;
  },
};

function global(pattern: unknown): RegExp {
  if (!(pattern instanceof RegExp)) {
    throw new LastcallError("configuration", "A pattern in `secrets` is no regular expression.");
  }
  return new RegExp(pattern.source, `${pattern.flags.replace(/[gy]/g, "")}g`);
}

/** Names under which a text is looked at with its name, as in an assignment. */
const telling = /pass|pwd|secret|token|key|credential|authorization/i;

/** Redacts within plain data, once where it holds itself. */
class DataRedactor {
  readonly #text: (text: string) => string;
  readonly #around = new Set<unknown>();

  constructor(text: (text: string) => string) {
    this.#text = text;
  }

  redact(value: unknown): unknown {
    if (typeof value === "string") return this.#text(value);
    if (this.#around.has(value) || !(Array.isArray(value) || isPlainObject(value))) return value;
    this.#around.add(value);
    const clear = Array.isArray(value) ? this.#list(value) : this.#object(value);
    this.#around.delete(value);
    return clear;
  }

  #list(value: readonly unknown[]): readonly unknown[] {
    const items = value.map((item) => this.redact(item));
    return items.every((item, index) => item === value[index]) ? value : items;
  }

  #object(value: Readonly<Record<string, unknown>>): unknown {
    const entries = Object.entries(value).map(([name, item]) => [name, this.#under(name, item)] as const);
    return entries.every(([name, item]) => item === value[name]) ? value : Object.fromEntries(entries);
  }

  #under(name: string, value: unknown): unknown {
    const clear = this.redact(value);
    if (clear !== value || typeof value !== "string" || !telling.test(name)) return clear;
    const assigned = JSON.stringify({ [name]: value });
    return this.#text(assigned) === assigned ? value : marker("secret");
  }
}
