// Messages for the model about invalid arguments: the path, the expected and the received value.

import { toJson, type ArgumentIssue, type StandardIssue } from "../core/internal.js";

/** A problem at one path. */
export interface Problem {
  readonly keys: readonly PropertyKey[];
  /** The expected value, if one or two words can describe it. */
  readonly expected?: string | undefined;
  readonly message: string;
  /** True if the value is not among the constants in `const` or `enum`, which usually distinguish the forms of a union. */
  readonly isOther?: boolean;
}

/** The path as text, such as `a.b[0]`; empty for the root. */
function pathOf(keys: readonly PropertyKey[]): string {
  return keys.reduce<string>((before, key) => {
    if (typeof key === "number") return `${before}[${String(key)}]`;
    return before === "" ? String(key) : `${before}.${String(key)}`;
  }, "");
}

/** The value at a path; undefined if there is none. */
export function valueAt(value: unknown, keys: readonly PropertyKey[]): unknown {
  let current = value;
  for (const key of keys) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return undefined;
    current = (current as Readonly<Record<PropertyKey, unknown>>)[key];
  }
  return current;
}

/** A message such as `expected string, received number`. */
export function mismatch(expected: string, received: unknown, shown: string = kindOf(received)): string {
  return received === undefined ? `expected ${expected}, but it is missing` : `expected ${expected}, received ${shown}`;
}

/** A short text for a value: the value itself if it is short, otherwise its type. */
export function shortly(value: unknown): string {
  const text = typeof value === "object" ? undefined : toJson(value);
  return text === undefined || text.length > 60 ? kindOf(value) : text;
}

/** Condenses the problems of the forms of a union if no form fits. */
export function ofForms(
  keys: readonly PropertyKey[],
  forms: readonly (readonly Problem[])[],
  received: unknown,
): readonly Problem[] {
  // If a form failed only in nested fields, it is probably the intended form, even more so if its distinguishing constants
  // fit.
  const near = forms.filter((problems) => problems.every((problem) => problem.keys.length > keys.length));
  const matching = near.filter((problems) => !problems.some(({ isOther }) => isOther));
  const [intended, ...others] = matching.length > 0 ? matching : near;
  if (intended !== undefined && others.length === 0) return intended;
  const expected = forms.map((problems) => (problems.length === 1 ? problems[0] : undefined));
  if (expected.every((problem) => problem?.expected !== undefined && problem.keys.length === keys.length)) {
    const words = [...new Set(expected.map((problem) => problem?.expected))].join(" or ");
    return [{ keys, expected: words, message: mismatch(words, received, shortly(received)) }];
  }
  const reasons = forms.map((problems) => problems.map((problem) => `(${inWords(problem)})`).join(" and "));
  return [{ keys, message: `it fits none of ${String(forms.length)} forms: ${reasons.join(", or ")}` }];
}

/** The issues that a library reports, completed with the received values. */
export function fromLibrary(issues: readonly StandardIssue[], input: unknown): readonly ArgumentIssue[] {
  return issues.flatMap((issue) => problemsOf(issue, input)).map(asIssue);
}

/** Converts a problem to the type that core expects. */
export function asIssue({ keys, message }: Problem): ArgumentIssue {
  return { path: pathOf(keys), message };
}

/** zod's issue codes for a value that is not one of the allowed values. */
const choices: readonly unknown[] = ["invalid_value", "invalid_literal", "invalid_enum_value"];

/** The fields of a zod issue beyond the fields of Standard Schema. */
interface ZodIssue extends StandardIssue {
  readonly code?: unknown;
  readonly expected?: unknown;
  /** zod 4: one list of issues per form of a union, with paths relative to the union. */
  readonly errors?: readonly (readonly ZodIssue[])[];
  /** zod 3: the same, with absolute paths. */
  readonly unionErrors?: readonly { readonly issues: readonly ZodIssue[] }[];
}

function problemsOf(issue: ZodIssue, input: unknown, above: readonly PropertyKey[] = []): readonly Problem[] {
  const keys = [...above, ...(issue.path ?? []).map((part) => (typeof part === "object" ? part.key : part))];
  const received = valueAt(input, keys);
  const forms =
    issue.errors?.map((issues) => issues.flatMap((inner) => problemsOf(inner, input, keys))) ??
    issue.unionErrors?.map(({ issues }) => issues.flatMap((inner) => problemsOf(inner, input, above)));
  if (issue.message === "Invalid input" && forms !== undefined && forms.length > 0)
    return ofForms(keys, forms, received);
  const expected = typeof issue.expected === "string" ? issue.expected : undefined;
  // The path is reported separately, so arktype's prefix is removed. zod says "undefined", which does not exist in JSON.
  const prefix = `${pathOf(keys)} `;
  const words = issue.message.startsWith(prefix) ? issue.message.slice(prefix.length) : issue.message;
  const coerced = /^(?:Invalid date$|.*, received (?:Date|NaN|Invalid Date)$)/.test(words);
  // A coercion made this of the value. The model wrote something else, so it reads that.
  if (coerced && received !== undefined) {
    const wanted = expected === "date" || expected === undefined ? "a date as text, such as 2026-01-31" : expected;
    return [{ keys, expected: wanted, message: mismatch(wanted, received, shortly(received)) }];
  }
  if (expected === undefined || /expected|must be/i.test(words)) {
    const message = words.replace(/, received undefined$/, ", but it is missing");
    return [{ keys, expected, message, isOther: choices.includes(issue.code) }];
  }
  return [{ keys, expected, message: `${words}: ${mismatch(expected, received)}` }];
}

function inWords({ keys, message }: Problem): string {
  return keys.length === 0 ? message : `${pathOf(keys)}: ${message}`;
}

function kindOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}
