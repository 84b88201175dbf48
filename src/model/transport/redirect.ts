// Redirects: a request goes to another place of the same server, and never to another server.

import { LastcallError } from "../../core/index.js";
import type { HttpAnswer, Transport } from "./http-answer.js";

/** The largest number of redirects of one request. */
const maxRedirects = 5;

/**
 * Makes a transport that follows the redirects 307 and 308 within one server. The key and the prompt go nowhere else.
 * The transport throws LastcallError `provider_rejected` for any other redirect.
 * @param carry a transport that gives redirects back as answers.
 */
export function withRedirects(carry: Transport): Transport {
  return async (request, signal) => {
    let { url } = request;
    for (let redirects = 0; ; redirects += 1) {
      const answer = await carry({ ...request, url }, signal);
      if (!isRedirect(answer)) return answer;
      const fault = new LastcallError("provider_rejected", redirected(url, answer, redirects));
      const next = redirects < maxRedirects ? target(url, answer) : undefined;
      answer.source.stop(fault);
      if (next === undefined) throw fault;
      url = next;
    }
  };
}

/** True for a redirect. A fetch function of a browser hides its status: it is 0. */
function isRedirect({ status }: HttpAnswer): boolean {
  return status === 0 || (status >= 300 && status < 400);
}

/** The place that the same request may be sent to again: on the same host and port, and never from https to http. */
function target(from: URL, { status, headers }: HttpAnswer): URL | undefined {
  const to = place(from, headers.get("location"));
  if ((status !== 307 && status !== 308) || to === undefined) return undefined;
  // Without a port in the addresses, these are 80 and 443, which belong to the same owner.
  const isUpgrade = to.protocol === "https:" && to.host === from.host;
  return to.origin === from.origin || isUpgrade ? to : undefined;
}

function redirected(from: URL, { status, headers }: HttpAnswer, redirects: number): string {
  if (status === 0)
    return `The provider at ${from.origin} redirects, and a browser does not tell where to. Pass the address that it redirects to as the base URL.`;
  const to = place(from, headers.get("location"));
  const where = to === undefined ? "nowhere" : to.origin + to.pathname;
  const what = `The provider at ${from.origin} redirects with status ${String(status)} to ${where}`;
  if (redirects >= maxRedirects) return `${what}, after ${String(redirects)} redirects.`;
  return `${what}. The key is not sent there; if the address is right, pass it as the base URL.`;
}

function place(from: URL, location: string | null): URL | undefined {
  return location !== null && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
}
