// Request errors: what the package threw about a request, told apart by codes and statuses.

import { LastcallError } from "../../core/index.js";
import { explain, isPlainObject } from "../../core/internal.js";

/** The code of an error: a number of the protocol, or a word of the package or of Node. */
export function codeOf(thrown: unknown): unknown {
  return (thrown as { readonly code?: unknown } | null)?.code;
}

/** The status of an answer over HTTP that is no success; undefined for any other error. */
export function statusOf(thrown: unknown): number | undefined {
  const { status, data } = (thrown ?? {}) as { readonly status?: unknown; readonly data?: unknown };
  const given = isPlainObject(data) && codeOf(thrown) !== undefined ? (data["status"] ?? status) : status;
  return typeof given === "number" ? given : undefined;
}

/** Codes of errors that come before a request leaves this machine, or before its server takes it. */
const unsentCodes =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_.*|CERT_.*|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_.*|ERR_SSL_.*)$/;

/** True if no part of the request reached its server: the connection was refused, or there is no such host. */
export function wasNotSent(thrown: unknown): boolean {
  return causes(thrown).some((error) => {
    const { code, errors } = error as { readonly code?: unknown; readonly errors?: unknown };
    if (Array.isArray(errors) && errors.length > 0) return errors.every(wasNotSent);
    return typeof code === "string" && unsentCodes.test(code);
  });
}

/** True if the server says that the session of the connection is over. It did not look at the request. */
export function isSessionOver(thrown: unknown): boolean {
  const status = statusOf(thrown);
  return status === 404 || ((status === 400 || codeOf(thrown) === -32_001) && /session/i.test(explain(thrown)));
}

/** The message of an error, and the message of its innermost cause, in which `fetch` says what failed. */
export function reasonOf(thrown: unknown): string {
  const inner = causes(thrown).at(-1);
  return inner === undefined || inner === thrown || thrown instanceof LastcallError
    ? explain(thrown)
    : `${explain(thrown)}: ${explain(inner)}`;
}

/** The error and its causes, from the outside. */
function causes(thrown: unknown): readonly Error[] {
  const found: Error[] = [];
  for (let one = thrown; one instanceof Error && found.length < 6; one = one.cause) found.push(one);
  return found;
}
