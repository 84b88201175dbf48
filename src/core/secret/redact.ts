// Redaction: replaces secrets in texts, in plain data and in streams, in linear time.

import { LastcallError } from "../data/fault.js";
import { isPlainObject } from "../data/json.js";
import { checkOptions, listOf, type OptionKinds } from "../data/settings.js";
import { no, words } from "./match.js";
import { joined, lines, marker, Scanning, type RedactedStream } from "./redact-stream.js";
import { formats } from "./formats.js";
import { type Format } from "./format.js";

/** The secrets to redact besides the known formats. */
export interface SecretOptions {
  /** Secret values of at least 8 characters each. Every occurrence is redacted. Default: none. */
  readonly values?: readonly string[] | undefined;
  /**
   * Patterns of secrets. A pattern is applied to one line at a time, in sections of at most 4096 characters. The caller is
   * responsible for its running time. Default: none.
   */
  readonly patterns?: readonly RegExp[] | undefined;
}

/** Replaces each secret with `[redacted: kind]`. */
export interface Redactor {
  /** Redacts a text. Redacting it again changes nothing. */
  text(text: string): string;
  /** Redacts every text in plain data. Data without secrets is returned as the same object. */
  data<T>(value: T): T;
  /** Redacts a text that comes in pieces. */
  stream(): RedactedStream;
}

/**
 * Makes a redactor for the known formats and the given secrets.
 * @throws LastcallError `configuration` for a value with less than 8 characters, or a pattern that is not a regular expression.
 */
export function redactor(options: SecretOptions = {}): Redactor {
  checkOptions("secrets", options, {
    values: listOf("text"),
    patterns: listOf("object"),
  } satisfies OptionKinds<SecretOptions>);
  const { values = [], patterns = [] } = options;
  if (values.length === 0 && patterns.length === 0) return (knownFormats ??= redactorFor(scanningFor([]), []));
  return redactorFor(scanningFor(values.flatMap(formsOf).sort(longestFirst)), patterns);
}

/** The redactor of the known formats: one per process, so that two agents with it redact once. */
let knownFormats: Redactor | undefined;

function redactorFor(scanning: Scanning, patterns: readonly RegExp[]): Redactor {
  const ownPatterns = patterns.map(global);
  const stream = (): RedactedStream =>
    ownPatterns.length === 0 ? scanning.stream() : joined(lines(ownPatterns), scanning.stream());
  const text = (whole: string): string => {
    if (ownPatterns.length === 0 && !scanning.mayFind(whole)) return whole;
    const stage = stream();
    return stage.write(whole) + stage.end();
  };
  const data = <T>(value: T): T => new DataRedactor(text).redact(value) as T;
  return { text, data, stream };
}

let known: Scanning | undefined;

/** Makes a scanning for the known formats and these values. What does not depend on the values is made once per process. */
function scanningFor(values: readonly string[]): Scanning {
  known ??= new Scanning([redacted, ...formats]);
  return values.length === 0 ? known : new Scanning([redacted, ...values.map(valueFormat)], known);
}

/** A redactor that changes nothing. */
export const noRedactor: Redactor = {
  text: (text) => text,
  data: (value) => value,
  stream: () => ({ write: (piece) => piece, end: () => "" }),
};

/** A redactor that does what all of these do. */
export function everyRedactor(redactors: readonly Redactor[]): Redactor {
  const [first = noRedactor, ...others] = [...new Set(redactors)].filter((one) => one !== noRedactor);
  return others.reduce(
    (before, next) => ({
      text: (text) => next.text(before.text(text)),
      data: (value) => next.data(before.data(value)),
      stream: () => joined(before.stream(), next.stream()),
    }),
    first,
  );
}

function longestFirst(a: string, b: string): number {
  return b.length - a.length;
}

/** The value in its plain, JSON and URL-encoded forms. */
function formsOf(value: unknown): readonly string[] {
  if (typeof value !== "string" || value.length < 8) {
    const message =
      "A value in `secrets` has less than 8 characters: so short a text also stands where it is no secret.";
    throw new LastcallError("configuration", `${message} Leave it out, or give a longer one.`);
  }
  const encoded = /\p{Surrogate}/u.test(value) ? value : encodeURIComponent(value);
  return [...new Set([value, JSON.stringify(value).slice(1, -1), encoded])];
}

function valueFormat(value: string): Format {
  const part = words(value);
  return {
    kind: "value",
    openers: [value.slice(0, 16).toLowerCase()],
    mayFollow: () => true,
    match(text, at, isWhole) {
      const to = part(text, at, isWhole);
      return to < 0 ? to : { from: at, to };
    },
  };
}

/** Matches existing markers and skips them, so that redacting again changes nothing. */
const redacted: Format = {
  kind: "",
  openers: ["[redacted: "],
  mayFollow: () => true,
  match(text, at, isWhole) {
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

/** Field names that announce a secret. Their texts are examined together with the name, as in an assignment. */
const secretNames = /pass|pwd|secret|token|key|credential|auth/i;

/** Redacts plain data. A circular reference stays unchanged. */
class DataRedactor {
  readonly #text: (text: string) => string;
  /** The objects and arrays that contain the current value. */
  readonly #ancestors = new Set<unknown>();

  constructor(text: (text: string) => string) {
    this.#text = text;
  }

  redact(value: unknown): unknown {
    if (typeof value === "string") return this.#text(value);
    if (this.#ancestors.has(value) || !(Array.isArray(value) || isPlainObject(value))) return value;
    this.#ancestors.add(value);
    const redactedValue = Array.isArray(value) ? this.#list(value) : this.#object(value);
    this.#ancestors.delete(value);
    return redactedValue;
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
    const redactedValue = this.redact(value);
    if (redactedValue !== value || typeof value !== "string" || !secretNames.test(name)) return redactedValue;
    const assigned = JSON.stringify({ [name]: value });
    return this.#text(assigned) === assigned ? value : marker("secret");
  }
}
