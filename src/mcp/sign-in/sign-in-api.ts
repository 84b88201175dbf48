// An API that tools of one's own call with the token of the person whose call it is.

import { LastcallError, type StandardSchema } from "../../core/index.js";
import { atCaller, checkOptions, isPlainObject, listOf, needed, type OptionKinds } from "../../core/internal.js";
import { signInNeededBy } from "../connect/sign-in-needed.js";
import { Asker, type BeginsSignIns, type SignInContext, type SignInQuestion } from "./asker.js";
import type { Grants, Place } from "./server-grants.js";
import { signedFetch } from "./signed-fetch.js";

/** The options of `api` of sign-ins. */
export interface SignInApiOptions {
  /** The name of the API, which people see when they are asked. 1 to 64 characters. */
  readonly name: string;
  /** The address of the API: https, or http on this machine. Tokens go to its origin alone, and are kept by this address. */
  readonly url: string;
  /**
   * The issuer of its authorization server, exactly as its metadata says (RFC 8414 or OpenID Connect). Default: the API names it in
   * metadata of its own (RFC 9728).
   */
  readonly issuer?: string | undefined;
  /**
   * The scopes that calls need. A person whose grant was asked for without one of them is asked again. Default: the scopes that the API
   * names when it refuses, or in its metadata.
   */
  readonly scopes?: readonly string[] | undefined;
  /**
   * The name of the API in requests for tokens (RFC 8707). Default: the name in its own metadata; with `issuer` none, since not every
   * authorization server takes one.
   */
  readonly resource?: string | undefined;
}

/** An API at which people sign in. */
export interface SignInApi {
  /** The questions of a tool that calls the API: `asks` of the tool. */
  readonly asks: StandardSchema<unknown, SignInQuestion>;
  /**
   * Makes the fetch function for one call of a tool. It brings the token of the person whose call it is, refreshed if it is about to end,
   * and takes that token out of each answer. If there is none, if the API answers 401, or 403 with `insufficient_scope`, the run ends
   * with the question for a sign-in, and the call runs again from its start after the answer. Requests to other origins get no token. It
   * stops with the call.
   */
  fetchFor(context: SignInContext): typeof fetch;
}

const apiOptions = {
  name: needed("text"),
  url: needed("text"),
  issuer: "text",
  scopes: listOf("text"),
  resource: "text",
} satisfies OptionKinds<SignInApiOptions>;

/** The schema of the questions. */
const signInQuestions: StandardSchema<unknown, SignInQuestion> = {
  "~standard": {
    version: 1,
    vendor: "lastcall",
    validate: (value) =>
      isPlainObject(value) && value["kind"] === "sign_in"
        ? { value: value as unknown as SignInQuestion }
        : { issues: [{ message: "it is no question for a sign-in" }] },
  },
};

/** Makes the API. */
export function signInApi(desk: BeginsSignIns & { readonly grants: Grants }, options: SignInApiOptions): SignInApi {
  const place = atCaller(signInApi, () => readPlace(options));
  const made = new WeakMap<SignInContext, typeof fetch>();
  return {
    asks: signInQuestions,
    fetchFor(context) {
      const known = made.get(context);
      if (known !== undefined) return known;
      const seat = { ...place, principal: context.principal };
      const asker = new Asker(desk, seat, context);
      const signed = signedFetch(desk.grants, seat);
      const fetchAs: typeof fetch = async (input, init) => {
        await asker.answered();
        const given = init?.signal ?? (input instanceof Request ? input.signal : undefined);
        const signal = given ? AbortSignal.any([given, context.signal]) : context.signal;
        try {
          return await signed(input, { ...init, signal });
        } catch (thrown) {
          const signIn = signInNeededBy(thrown);
          if (signIn === undefined) throw thrown;
          return asker.ask(signIn);
        }
      };
      made.set(context, fetchAs);
      return fetchAs;
    },
  };
}

/** @throws LastcallError `configuration` that names the wrong option. */
function readPlace(options: SignInApiOptions): Place {
  checkOptions("api", options, apiOptions);
  const { name, url, issuer, scopes, resource } = options;
  const wrong = (problem: string): LastcallError => new LastcallError("configuration", `api: ${problem}.`);
  if (!/^[^\p{Cc}\p{Cs}]{1,64}$/u.test(name))
    throw wrong("name has 1 to 64 characters, none of them a control character");
  for (const [option, text] of Object.entries({ url, issuer })) {
    if (text === undefined || isSafe(text)) continue;
    throw wrong(
      `${option} is ${JSON.stringify(text)}: give an https address, or http on this machine, without a password`,
    );
  }
  const odd = scopes?.find((scope) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope));
  if (odd !== undefined) throw wrong(`scopes has ${JSON.stringify(odd)}, which is no scope: give one scope a text`);
  return { what: "API", server: name, url: new URL(url), issuer, scopes, resource };
}

function isSafe(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const isHere = ["localhost", "127.0.0.1", "[::1]"].includes(hostname);
  return username === "" && password === "" && (protocol === "https:" || (protocol === "http:" && isHere));
}
