// The wait that the body of an error asks for, and whether waiting helps at all.

import { isPlainObject } from "../../core/internal.js";

type Fields = Readonly<Record<string, unknown>>;

/** The milliseconds of each unit of time, by the first letters of its name. */
const units: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|milli)/i, 1],
  [/^s/i, 1000],
  [/^m/i, 60_000],
  [/^h/i, 3_600_000],
  [/^d/i, 86_400_000],
];

const amount = String.raw`\d+(?:\.\d+)?\s*(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)(?![a-z])`;

/** A duration after words that ask for it: "Please try again in 7m12.5s", "retry after 20 seconds", `"retryDelay": "34s"`. */
const asked = new RegExp(
  String.raw`\b(?:(?:try again|retry|wait|resets?)(?: again| your request)?(?: in| after| for)?(?: at least| about)? |retry_?-?(?:delay|after)"?\s*[:=]\s*"?)(${amount}(?:(?:,? and |,? ?)${amount})*)`,
  "i",
);

/**
 * The wait in milliseconds that the error in a body asks for: Google's `RetryInfo`, fields such as `retry_after`, the headers that a
 * router passes on, or a duration in its words. Undefined if it names none.
 */
export function statedWait(error: Fields, message: string): number | undefined {
  const { metadata } = error;
  const router = isPlainObject(metadata) ? metadata : {};
  const headers = isPlainObject(router["headers"]) ? router["headers"] : {};
  const inner = behind(router);
  const fields = [...detailsOf(error), error, router, headers, ...detailsOf(inner), inner];
  for (const field of fields) {
    const wait = waitIn(field);
    if (wait !== undefined) return wait;
  }
  const words = asked.exec(message)?.[1];
  return words === undefined ? undefined : durationOf(words);
}

function detailsOf({ details }: Fields): readonly Fields[] {
  return Array.isArray(details) ? details.filter(isPlainObject) : isPlainObject(details) ? [details] : [];
}

/** The error of the provider behind a router, which passes it on as a text. */
function behind({ raw }: Fields): Fields {
  try {
    const body: unknown = typeof raw === "string" ? JSON.parse(raw) : raw;
    if (!isPlainObject(body)) return {};
    return isPlainObject(body["error"]) ? { ...body, ...body["error"] } : body;
  } catch {
    // Words that are no JSON are a part of the message already.
    return {};
  }
}

/** The wait that a field of this object names; of several names the first that can be read. */
function waitIn(fields: Fields): number | undefined {
  for (const [key, value] of Object.entries(fields)) {
    const name = key.toLowerCase().replaceAll(/[_-]/g, "");
    const wait =
      name === "retrydelay" || name === "retryafter" || name === "retryafterseconds"
        ? waitOf(value, 1000)
        : name === "retryafterms"
          ? waitOf(value, 1)
          : name === "xratelimitreset"
            ? untilReset(Number(value))
            : undefined;
    if (wait !== undefined) return wait;
  }
  return undefined;
}

/** A number in this unit, a duration in words, or Google's object of seconds and nanoseconds. */
function waitOf(value: unknown, unit: number): number | undefined {
  if (isPlainObject(value)) return waitOf(Number(value["seconds"] ?? 0) + Number(value["nanos"] ?? 0) / 1e9, 1000);
  if (typeof value === "string" && !/^\s*[\d.]+\s*$/.test(value)) return durationOf(value);
  const number = typeof value === "string" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) && number > 0 ? Math.ceil(number * unit) : undefined;
}

/** The wait until a time that is stated in milliseconds or seconds since 1970, or as seconds from now. */
function untilReset(reset: number): number | undefined {
  if (!Number.isFinite(reset) || reset <= 0) return undefined;
  if (reset < 1e9) return Math.ceil(reset * 1000);
  return Math.max(0, (reset > 1e11 ? reset : reset * 1000) - Date.now());
}

/** The sum of the amounts in a text such as `1h2m3s` or "6 minutes and 30 seconds". */
function durationOf(text: string): number | undefined {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi)].map(([, number, unit = ""]) => {
    const known = units.find(([beginning]) => beginning.test(unit));
    return known === undefined ? NaN : Number(number) * known[1];
  });
  const sum = parts.reduce((all, part) => all + part, 0);
  return parts.length === 0 || Number.isNaN(sum) ? undefined : Math.ceil(sum);
}

/** Codes of accounts that have nothing left, and words of servers that give no such code. */
const emptyCode =
  /insufficient_(?:quota|balance|credit|funds)|exceeded_current_quota|billing|payment_required|credit_balance/i;
const emptyAccount =
  /plan and billing|credit balance|insufficient (?:balance|credits?|funds|quota)|out of credits|add (?:\d+ )?(?:more )?credits|billing hard limit/i;

/** A limit that begins again tomorrow. */
const daily = /per[ _-]?day|\bdaily\b|\b[TR]PD\b|PerDay/i;

/** The facts of an error that tell a limit that passes from an account that has nothing left. */
export interface LimitFacts {
  readonly error: Fields;
  readonly codes: readonly unknown[];
  readonly message: string;
  /** The wait that the provider asks for; undefined if it names none. */
  readonly wait: number | undefined;
}

/**
 * True if waiting does not help: the account has nothing left, or the limit of a day is reached and no wait is named. Google names a short
 * wait even for the limit of a day, so there the name of the quota decides.
 */
export function isUsedUp({ error, codes, message, wait }: LimitFacts): boolean {
  if (codes.some((code) => typeof code === "string" && emptyCode.test(code))) return true;
  if (quotasOf(error).some((quota) => daily.test(quota)) || /\blimit: 0(?![.\d])/.test(message)) return true;
  return wait === undefined && (emptyAccount.test(message) || daily.test(message));
}

/** The names of the quotas that Google says are exceeded. */
function quotasOf(error: Fields): readonly string[] {
  const violations = detailsOf(error).flatMap(({ violations: all }) =>
    Array.isArray(all) ? (all as readonly unknown[]) : [],
  );
  return violations.filter(isPlainObject).map(({ quotaId }) => String(quotaId));
}
