// The status of an error that came without one: in a stream of status 200, a number or a word in the error says of what kind it is.

/** Keys under which servers put a status. */
const statusKeys = ["status", "status_code", "statusCode", "http_code", "http_status", "code"] as const;

/** Words of errors that pass: no status follows from them. */
const passing =
  /^(?:overloaded|server|internal|api_error|unavailable|service|engine|upstream|timeout|deadline|bad_gateway)/;

/** The beginnings of words that servers name errors by, in small letters, and the status that they stand for. */
const words: readonly (readonly [RegExp, number])[] = [
  [/^(?:rate_limit|too_many_requests|resource_exhausted|throttl|insufficient_quota|exceeded_current_quota)/, 429],
  [/^(?:authentication|unauthenticated|unauthorized|invalid_api_key|invalid_authentication)/, 401],
  [/^(?:permission|forbidden|access_denied)/, 403],
  [/^(?:\w+_)?not_found/, 404],
  [/^request_too_large/, 413],
  [/^(?:unprocessable|validation)/, 422],
  [/^(?:invalid_(?!response|completion)|bad_request|unsupported_|failed_precondition|bio_policy|cyber_policy)/, 400],
];

/** The status that an error states, as a number or in words. Its code is believed before its type. Undefined if it states none. */
export function statusOf(error: Readonly<Record<string, unknown>>): number | undefined {
  const numbers = statusKeys.map((key) => Number(error[key]));
  const stated = numbers.find((number) => Number.isInteger(number) && number >= 400 && number < 600);
  if (stated !== undefined) return stated;
  for (const key of ["code", "type", "status"]) {
    const value = error[key];
    if (typeof value !== "string") continue;
    const word = value.replaceAll(/([a-z])([A-Z])/g, "$1_$2").toLowerCase();
    if (passing.test(word)) return undefined;
    const known = words.find(([beginning]) => beginning.test(word));
    if (known !== undefined) return known[1];
  }
  return undefined;
}
