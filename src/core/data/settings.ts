// Settings: checks of the names and the numbers of options that a caller gives, before anything depends on them.

import { LastcallError } from "./fault.js";

/** The longest delay of a timer, in milliseconds: almost 25 days. */
export const maxTimerDelay: number = 2 ** 31 - 1;

/**
 * Checks a count and returns it.
 * @throws LastcallError `configuration` unless `value` is a whole number of at least `least`, by default 1.
 */
export function wholeNumber(name: string, value: number, least = 1): number {
  if (Number.isInteger(value) && value >= least) return value;
  throw new LastcallError(
    "configuration",
    `${name} is ${String(value)}: give a whole number of at least ${String(least)}.`,
  );
}

/**
 * Checks a time in milliseconds and returns it.
 * @throws LastcallError `configuration` unless `value` is a valid delay of a timer: from 0 to 2^31 - 1.
 */
export function milliseconds(name: string, value: number): number {
  if (value >= 0 && value <= maxTimerDelay) return value;
  throw new LastcallError(
    "configuration",
    `${name} is ${String(value)}: give milliseconds from 0 to ${String(maxTimerDelay)}, or leave it out.`,
  );
}

/**
 * Checks a value of a closed list and returns it. Undefined counts as left out.
 * @throws LastcallError `configuration` that names the values, and the nearest value.
 */
export function checkChoice<Value>(name: string, value: Value, known: readonly (string | boolean)[]): Value {
  const choice = choiceOf(...known);
  return value === undefined ? value : expectKind(name, value, { ...choice, give: `${choice.give}, or leave it out` });
}

/** A value that an option may have: in words for the message, and as a test. */
export interface ValueKind {
  /** The words after "give", such as `a model, for example openai({ model: "..." })`. */
  readonly give: string;
  /** The mistake of a value as words after the option's name, such as `is 5`; undefined for a value of this kind. */
  wrong(value: unknown): string | undefined;
  /** The value of this kind that was probably meant. Default: nobody can tell. */
  near?(value: unknown): string | undefined;
}

/** The kinds of plain values. `any` is a value that the option's reader checks. */
export type PlainKind = "text" | "flag" | "number" | "function" | "list" | "object" | "signal" | "any";

/** The kind of an option's value, or the kinds that it may have. */
export type Kind = PlainKind | ValueKind | readonly (PlainKind | ValueKind)[];

/** The kind of an option that must be given. */
export interface Needed {
  readonly needed: Kind;
}

/** The kinds of all options of a type. An option that the type demands is `needed`. */
export type OptionKinds<Options> = {
  readonly [Name in keyof Options]-?: undefined extends Options[Name] ? Kind : Needed;
};

const plainKinds: Readonly<Record<PlainKind, ValueKind>> = {
  text: plain("a text", (value) => typeof value === "string"),
  flag: choiceOf(true, false),
  number: plain("a number", (value) => typeof value === "number"),
  function: plain("a function", (value) => typeof value === "function"),
  list: plain("a list", (value) => Array.isArray(value)),
  object: plain("an object", isObject),
  signal: objectWith("an AbortSignal, for example AbortSignal.timeout(60_000)", "addEventListener"),
  any: plain("a value", () => true),
};

/** The kind of an option that must be given. */
export function needed(kind: Kind): Needed {
  return { needed: kind };
}

/** An object, or a function, that has all of these methods. */
export function objectWith(give: string, ...methods: readonly string[]): ValueKind {
  return plain(give, (value) => methods.every((name) => hasMethod(value, name)));
}

/** An object that has at least one of these methods. */
export function withOneOf(give: string, methods: readonly string[]): ValueKind {
  return plain(give, (value) => methods.some((name) => hasMethod(value, name)));
}

/** An object that has a list under the name. */
export function holding(give: string, name: string): ValueKind {
  return plain(give, (value) => isObject(value) && Array.isArray((value as Readonly<Record<string, unknown>>)[name]));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** True for an object without a class, of whichever realm. */
function isBare(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

function hasMethod(value: unknown, name: string): boolean {
  if ((typeof value !== "object" && typeof value !== "function") || value === null) return false;
  return typeof (value as Readonly<Record<string, unknown>>)[name] === "function";
}

/** One value of a closed list. */
export function choiceOf(...known: readonly (string | boolean | number)[]): ValueKind {
  const give = `one of ${known.map((one) => JSON.stringify(one)).join(", ")}`;
  const texts = known.filter((one) => typeof one === "string");
  return {
    give,
    wrong: (value) => {
      if (known.some((one) => one === value)) return undefined;
      return `is ${typeof value === "string" ? JSON.stringify(value) : inWords(value)}`;
    },
    near: (value) => (typeof value === "string" ? nearest(value, texts) : undefined),
  };
}

/** A list whose members are all of the kind. */
export function listOf(kind: Kind): ValueKind {
  const give = `a list: each member is ${giveOf(kind)}`;
  const members = (value: unknown): [string, unknown][] =>
    Array.from(value as readonly unknown[], (one, at) => [`the member ${String(at)}`, one]);
  return collection(give, plainKinds.list, members, kind);
}

/** An object whose fields are all of the kind. */
export function recordOf(kind: Kind): ValueKind {
  const give = `an object: each field is ${giveOf(kind)}`;
  const fields = (value: unknown): [string, unknown][] =>
    Object.entries(value as object).map(([name, one]) => [`the field "${name}"`, one]);
  return collection(give, plainKinds.object, fields, kind);
}

/**
 * Checks that the options are an object that has only known options, each with a value of its kind. Options that are undefined do not
 * count.
 * @param where The function or the option that takes the object, for the message.
 * @throws LastcallError `configuration` that names the option, and says what to give: for an unknown option the nearest known option, or
 * all options.
 */
export function checkOptions(where: string, given: object, known: Readonly<Record<string, Kind | Needed>>): void {
  const names = Object.keys(known);
  // A caller without types may leave them out.
  // An object of a class is no object of options: a host instead of { host }, for example.
  if (!isObject(given) || !isBare(given))
    throw new LastcallError("configuration", `${where} needs an object of options. It has: ${names.join(", ")}.`);
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || Object.hasOwn(known, name)) continue;
    const near = nearest(name, names);
    const remedy = near === undefined ? `It has: ${names.join(", ")}.` : `Did you mean "${near}"?`;
    throw new LastcallError("configuration", `${where} has no option "${name}". ${remedy}`);
  }
  for (const [name, kindOrNeeded] of Object.entries(known)) {
    const isNeeded = isNeededKind(kindOrNeeded);
    const value = (given as Readonly<Record<string, unknown>>)[name];
    if (value === undefined && isNeeded) {
      const remedy = `${where} needs the option ${name}: give ${giveOf(kindOrNeeded.needed)}.`;
      throw new LastcallError("configuration", remedy);
    }
    if (value !== undefined)
      expectKind(`The option ${name} of ${where}`, value, isNeeded ? kindOrNeeded.needed : kindOrNeeded);
  }
}

/**
 * Checks that a value is of a kind and returns it.
 * @param name The name of the value as the subject of the message, such as `The agent of delegate`.
 * @throws LastcallError `configuration` that tells the value, and what to give.
 */
export function expectKind<Value>(name: string, value: Value, kind: Kind): Value {
  const wrong = wrongIn(kind, value);
  if (wrong === undefined) return value;
  const near = kindsIn(kind)
    .map((one) => one.near?.(value))
    .find((one) => one !== undefined);
  const remedy = near === undefined ? "" : ` Did you mean "${near}"?`;
  throw new LastcallError("configuration", `${name} ${wrong}: give ${giveOf(kind)}.${remedy}`);
}

function plain(give: string, is: (value: unknown) => boolean): ValueKind {
  return { give, wrong: (value) => (is(value) ? undefined : `is ${inWords(value)}`) };
}

function collection(
  give: string,
  outer: ValueKind,
  membersOf: (value: unknown) => readonly [string, unknown][],
  kind: Kind,
): ValueKind {
  return {
    give,
    wrong: (value) => {
      const wrong = outer.wrong(value);
      if (wrong !== undefined) return wrong;
      for (const [name, member] of membersOf(value)) {
        const problem = wrongIn(kind, member);
        if (problem !== undefined) return `has ${name}, which ${problem}`;
      }
      return undefined;
    },
  };
}

function isNeededKind(kind: Kind | Needed): kind is Needed {
  return typeof kind === "object" && "needed" in kind;
}

function wrongIn(kind: Kind, value: unknown): string | undefined {
  const wrongs = kindsIn(kind).map((one) => one.wrong(value));
  return wrongs.includes(undefined) ? undefined : wrongs[0];
}

function giveOf(kind: Kind): string {
  return kindsIn(kind)
    .map(({ give }) => give)
    .join(", or ");
}

function kindsIn(kind: Kind): readonly ValueKind[] {
  const kinds = typeof kind === "string" || "give" in kind ? [kind] : kind;
  return kinds.map((one) => (typeof one === "string" ? plainKinds[one] : one));
}

/** The value in words. A text is not repeated: it may be a key. */
function inWords(value: unknown): string {
  if (value === null || value === undefined || typeof value === "number" || typeof value === "boolean")
    return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object")
    return typeof (value as Partial<PromiseLike<unknown>>).then === "function"
      ? "a promise (await it first)"
      : "an object";
  return typeof value === "string" ? "a text" : `a ${typeof value}`;
}

/** The known name that is most like the given name; undefined if no name is like it. Case does not count. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const [best] = known
    .map((one) => ({ one, distance: distanceOf(name.toLowerCase(), one.toLowerCase()) }))
    .filter(({ one, distance }) => distance <= Math.max(1, Math.floor(Math.min(one.length, name.length) / 3)))
    .sort((a, b) => a.distance - b.distance);
  return best?.one;
}

/** The number of characters to insert, delete or replace to turn one text into the other. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_none, index) => index);
  for (const [index, character] of Array.from(a).entries()) {
    const next = [index + 1];
    for (const [at, other] of Array.from(b).entries()) {
      const replaced = (row[at] ?? 0) + (character === other ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
