// Decides where requests go, and which API key may be sent there.

import { LastcallError, redactor } from "../../core/index.js";
import { isLoopback } from "../transport/loopback.js";
import { defaultBaseURL } from "./defaults.js";

/** The address and the API key of a server. */
export interface Endpoint {
  readonly baseURL: string;
  /** The base URL without user, password and query: for messages, and as the provider's identity. */
  readonly address: string;
  readonly apiKey: string;
}

/** The key sent to a server that needs none, because the client insists on one. */
const noKey = "none";

/**
 * Determines the address and the key. A key from the environment is sent only to api.openai.com, to the host that
 * `OPENAI_BASE_URL` names, and to this machine. Any other host gets a key only if the caller passes it.
 * @throws LastcallError `configuration` for an invalid base URL, `authentication` if a key is needed and none is given.
 */
export function endpoint(
  given: { readonly baseURL?: string | undefined; readonly apiKey?: string | undefined },
  env: Readonly<Record<string, string | undefined>>,
): Endpoint {
  const fromEnv = env["OPENAI_BASE_URL"] === "" ? undefined : env["OPENAI_BASE_URL"];
  const baseURL = given.baseURL ?? fromEnv ?? defaultBaseURL;
  const url = parse(baseURL);
  const address = shown(url);
  if (given.apiKey !== undefined && given.apiKey !== "") return { baseURL, address, apiKey: given.apiKey };
  const isDefault = url.origin === new URL(defaultBaseURL).origin;
  const mayHaveKey = isLoopback(url) || isDefault || (fromEnv !== undefined && sameOrigin(url, fromEnv));
  const apiKey = mayHaveKey ? env["OPENAI_API_KEY"] : undefined;
  if (apiKey !== undefined && apiKey !== "") return { baseURL, address, apiKey };
  if (isLoopback(url)) return { baseURL, address, apiKey: noKey };
  const elsewhere = isDefault
    ? " For another server set OPENAI_BASE_URL or pass baseURL; one on this machine needs no key."
    : "";
  throw new LastcallError(
    "authentication",
    mayHaveKey
      ? `There is no key for ${url.origin}: set OPENAI_API_KEY or pass apiKey.${elsewhere}`
      : `There is no key for ${url.origin}: pass apiKey. (OPENAI_API_KEY is not sent to hosts other than api.openai.com, OPENAI_BASE_URL's and this machine.)`,
  );
}

/**
 * The address of a server without user, password and query.
 * @throws LastcallError `configuration` for an invalid base URL.
 */
export function addressOf(baseURL: string): string {
  return shown(parse(baseURL));
}

function shown({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/$/, "");
}

function sameOrigin(url: URL, other: string): boolean {
  return URL.canParse(other) && new URL(other).origin === url.origin;
}

function parse(baseURL: string): URL {
  const url = URL.canParse(baseURL) ? new URL(baseURL) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new LastcallError(
    "configuration",
    `The base URL ${JSON.stringify(redactor().text(baseURL))} is no http or https address; give one like http://127.0.0.1:11434/v1.`,
  );
}
