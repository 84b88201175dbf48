// Sends requests to an address with a key, over undici or the caller's fetch.

import { validateHeaderName, validateHeaderValue } from "node:http";
import { LastcallError } from "../../core/index.js";
import { transportOf, type Carrying } from "../transport/transport-of.js";
import { refusal } from "./refusal.js";
import type { Sender } from "./sender.js";
import { withoutKey } from "./without-key.js";

/** The server that requests go to. */
export interface Receiver {
  readonly baseURL: string;
  readonly apiKey: string;
  /** More headers for each request. They replace the headers of lastcall. */
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds until a response must begin. */
  readonly timeout: number;
}

/**
 * Makes a sender to this server.
 * @throws LastcallError `configuration` for a header that can't be sent, and for both a dispatcher and a fetch function.
 */
export function addressSender(receiver: Receiver, carrying: Carrying): Sender {
  const { baseURL, apiKey, timeout } = receiver;
  const carry = transportOf(carrying);
  const headers = headersOf(receiver);
  const root = baseURL.replace(/\/$/, "");

  const urls = new Map<string, URL>();
  const urlOf = (path: string): URL => {
    const known = urls.get(path);
    if (known !== undefined) return known;
    const url = new URL(root + path);
    // The key is the identity. Node's fetch refuses an address with a password.
    url.username = "";
    url.password = "";
    urls.set(path, url);
    return url;
  };

  return {
    send: (path, body, signal) => carry({ url: urlOf(path), headers, body, timeout }, signal),
    refusal,
    clean: withoutKey(apiKey, receiver.headers),
  };
}

/** The headers of each request, by their names in lower case. */
function headersOf({ apiKey, headers: more }: Receiver): Readonly<Record<string, string>> {
  const authorization = `Bearer ${apiKey}`;
  const own = {
    authorization,
    accept: "application/json",
    "content-type": "application/json",
    "user-agent": "lastcall",
  };
  const headers: Record<string, string> = {};
  for (const [name, value] of [...Object.entries(own), ...Object.entries(more)]) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch {
      const message = `The header ${JSON.stringify(name)} can't be sent: its name or its value has a character that HTTP does not allow.`;
      // The cause would repeat the value, which may be a key.
      throw new LastcallError("configuration", message);
    }
    headers[name.toLowerCase()] = value;
  }
  return headers;
}
