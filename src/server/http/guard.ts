// The guard of the handler: who may ask, from where, and in what form.

import { LastcallError } from "../../core/index.js";
import { refusalOf, thisMachine, type GuardSettings } from "../../guard/index.js";
import { problem } from "../answer/json-answer.js";

/** The options of a handler that say who may ask. */
export interface GuardOptions {
  /** The host names under which the handler is reached. Default: this machine, as localhost, 127.0.0.1 and [::1]. */
  readonly hosts?: readonly string[] | undefined;
  /** The origins of web pages that may ask besides the handler's own, such as `https://app.example.com`. Default: none. */
  readonly origins?: readonly string[] | undefined;
  /**
   * The token that each request has to bring, as `authorization: Bearer <token>`. Default: none. Without `authorize` either, only callers
   * whose socket is on this machine may ask, and no proxy.
   */
  readonly token?: string | undefined;
  /** Decides in place of a token whether the sender of a request may ask. Default: the token alone decides. */
  readonly authorize?: ((request: Request) => boolean | Promise<boolean>) | undefined;
  /** True if requests can only look. Default false. */
  readonly readOnly?: boolean | undefined;
}

/** Returns the refusal of a request, or undefined if it may pass. */
type Refusal = (request: Request) => Promise<Response | undefined>;

/** The guard of the routes, and the guard of the files of a page, which a browser asks for without a token. */
export interface Guard {
  readonly refusal: Refusal;
  readonly pageRefusal: Refusal;
}

/**
 * Makes the guard. A page that its name server bound to this machine has another host in its requests. A page of another origin says so
 * itself, and can't send JSON unasked.
 * @throws LastcallError `configuration` for hosts that anybody reaches without a token, and for an empty token.
 */
export function guard(options: GuardOptions): Guard {
  const { hosts = thisMachine, origins = [], token, authorize, readOnly = false } = options;
  if (token === undefined && authorize === undefined && hosts.some((host) => !thisMachine.includes(host)))
    throw new LastcallError(
      "configuration",
      "A handler with hosts of its own needs a token or `authorize`: anybody who reaches them could run the agents.",
    );
  if (token?.trim() === "")
    throw new LastcallError(
      "configuration",
      "The token of a handler is empty: give one that nobody guesses, or leave it out.",
    );
  const names = hosts.map((host) => host.toLowerCase());
  const onlyHere = token === undefined && authorize === undefined;
  const known = { hosts: names, origins, onlyHere };
  const senderRefusal = async (
    request: Request,
    asked: Pick<GuardSettings, "token" | "isPage">,
  ): Promise<Response | undefined> => {
    const refusal = refusalOf(request, { ...known, ...asked });
    if (refusal !== undefined) return refusal;
    if (authorize !== undefined && !(await authorize(request))) return problem(401, "The request is not authorized.");
    return undefined;
  };
  return {
    pageRefusal: async (request) => senderRefusal(request, { token: undefined, isPage: true }),
    async refusal(request) {
      const refused = await senderRefusal(request, { token });
      if (refused !== undefined || request.method === "GET" || request.method === "HEAD") return refused;
      if (readOnly) return problem(403, "This server only shows: it takes no inputs.");
      const type = request.headers.get("content-type") ?? "";
      if (!/^application\/json\s*(?:;|$)/i.test(type)) return problem(415, "Send the body as application/json.");
      return undefined;
    },
  };
}
