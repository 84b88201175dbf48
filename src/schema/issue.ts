// What is wrong with arguments, in words for the model: where it is, what was expected, what was received.

import { toJson, type ArgumentIssue, type StandardIssue } from "../core/internal.js";

/** Something wrong at one place. */
export interface Problem {
  readonly keys: readonly PropertyKey[];
  /** What should be there, where one word or two can say it. */
  readonly expected?: string | undefined;
  readonly message: string;
  /** True where it is not one of the values that tell a form from others. */
  readonly isOther?: boolean;
}

/** The place as `a.b[0]`; empty for the whole. */
function pathOf(keys: readonly PropertyKey[]): string {
  return keys.reduce<string>((before, key) => {
    if (typeof key === "number") return `${before}[${String(key)}]`;
    return before === "" ? String(key) : `${before}.${String(key)}`;
  }, "");
}

/** The value at a place; undefined where there is none. */
export function valueAt(value: unknown, keys: readonly PropertyKey[]): unknown {
  let found = value;
  for (const key of keys) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Readonly<Record<PropertyKey, unknown>>)[key];
  }
  return found;
}

/** `expected string, received number`. */
export function mismatch(expected: string, received: unknown, shown: string = kindOf(received)): string {
  return received === undefined ? `expected ${expected}, but it is missing` : `expected ${expected}, received ${shown}`;
}

/** A value in a few letters: itself if it is short, else its kind. */
export function shortly(value: unknown): string {
  const text = typeof value === "object" ? undefined : toJson(value);
  return text === undefined || text.length > 60 ? kindOf(value) : text;
}

/** Problems in each of several forms, none of which fits, as what is worth saying. */
export function ofForms(
  keys: readonly PropertyKey[],
  forms: readonly (readonly Problem[])[],
  received: unknown,
): readonly Problem[] {
  // A form that failed only further down is the one that was meant, the more so if the values that tell it fit.
  const near = forms.filter((problems) => problems.every((problem) => problem.keys.length > keys.length));
  const told = near.filter((problems) => !problems.some(({ isOther }) => isOther));
  const [meant, ...others] = told.length > 0 ? told : near;
  if (meant !== undefined && others.length === 0) return meant;
  const expected = forms.map((problems) => (problems.length === 1 ? problems[0] : undefined));
  if (expected.every((problem) => problem?.expected !== undefined && problem.keys.length === keys.length)) {
    const words = [...new Set(expected.map((problem) => problem?.expected))].join(" or ");
    return [{ keys, expected: words, message: mismatch(words, received, shortly(received)) }];
  }
  const readings = forms.map((problems) => problems.map((problem) => `(${inWords(problem)})`).join(" and "));
  return [{ keys, message: `it fits none of ${String(forms.length)} forms: ${readings.join(", or ")}` }];
}

/** What a library says is wrong, with what it leaves out. */
export function fromLibrary(issues: readonly StandardIssue[], input: unknown): readonly ArgumentIssue[] {
  return issues.flatMap((issue) => problemsOf(issue, input)).map(asIssue);
}

/** A problem as core takes it. */
export function asIssue({ keys, message }: Problem): ArgumentIssue {
  return { path: pathOf(keys), message };
}

/** zod's codes for a value that is none of those listed. */
const choices: readonly unknown[] = ["invalid_value", "invalid_literal", "invalid_enum_value"];

/** What zod's issues have beside Standard Schema's fields. */
interface ZodIssue extends StandardIssue {
  readonly code?: unknown;
  readonly expected?: unknown;
  /** One list for each form of a union, with paths inside the union: zod 4. */
  readonly errors?: readonly (readonly ZodIssue[])[];
  /** The same with whole paths: zod 3. */
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
  // arktype begins with the place, which is said anyway; zod says "undefined", which JSON has not.
  const place = `${pathOf(keys)} `;
  const words = issue.message.startsWith(place) ? issue.message.slice(place.length) : issue.message;
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
