// The guard of the handler: who may ask, from where, and in what form.

import { LastcallError } from "../../core/index.js";
import {
  admittedBy,
  refusalOf,
  thisMachine,
  unauthorized,
  type Admitted,
  type GuardSettings,
  type Sender,
} from "../../guard/index.js";
import { problem } from "../answer/json-answer.js";

/** The options of a handler that say who may ask. */
export interface GuardOptions {
  /** The host names under which the handler is reached. Default: this machine, as localhost, 127.0.0.1 and [::1]. */
  readonly hosts?: readonly string[] | undefined;
  /** The origins of web pages that may ask besides the handler's own, such as `https://app.example.com`. Default: none. */
  readonly origins?: readonly string[] | undefined;
  /**
   * The token that each request has to bring, as `authorization: Bearer <token>`. Its bearer sees and uses all sessions. Default: none.
   * Without `authenticate` either, only callers whose socket is on this machine may ask, and no proxy.
   */
  readonly token?: string | undefined;
  /**
   * Says who sends a request, in place of a token. A principal sees and uses its own sessions alone. True: the caller has no name, and sees
   * and uses all sessions, as the bearer of a token does. False or undefined: the request is refused with 401. Default: the token decides.
   */
  readonly authenticate?: ((request: Request) => Sender | Promise<Sender>) | undefined;
  /** True if requests can only look. Default false. */
  readonly readOnly?: boolean | undefined;
}

/** The guard of the routes, and the guard of the files of a page, which a browser asks for without a token. */
export interface Guard {
  /** Returns the refusal of a request, or its sender. */
  admit(request: Request): Promise<Response | Admitted>;
  /** Returns the refusal of a request for a file of a page; undefined if it may pass. */
  pageRefusal(request: Request): Promise<Response | undefined>;
  /** Returns the refusal of a request of a browser that another site sends here, or its sender. A browser brings no token. */
  admitLink(request: Request): Promise<Response | Admitted>;
}

/**
 * Makes the guard. A page that its name server bound to this machine has another host in its requests. A page of another origin says so
 * itself, and can't send JSON unasked.
 * @throws LastcallError `configuration` for hosts that anybody reaches without a token, and for an empty token.
 */
export function guard(options: GuardOptions): Guard {
  const { hosts = thisMachine, origins = [], token, authenticate, readOnly = false } = options;
  if (token === undefined && authenticate === undefined && hosts.some((host) => !thisMachine.includes(host)))
    throw new LastcallError(
      "configuration",
      "A handler with hosts of its own needs a token or `authenticate`: anybody who reaches them could run the agents.",
    );
  if (token !== undefined && authenticate !== undefined)
    throw new LastcallError("configuration", "A handler takes a token or `authenticate`: give one of the two.");
  if (token?.trim() === "")
    throw new LastcallError(
      "configuration",
      "The token of a handler is empty: give one that nobody guesses, or leave it out.",
    );
  const names = hosts.map((host) => host.toLowerCase());
  const known = { hosts: names, origins, onlyHere: token === undefined && authenticate === undefined };
  const senderOf = async (
    request: Request,
    asked: Pick<GuardSettings, "token" | "isPage">,
  ): Promise<Response | Admitted> => {
    const refused = refusalOf(request, { ...known, ...asked });
    if (refused !== undefined) return refused;
    if (authenticate === undefined) return { principal: undefined };
    return (await admittedBy(authenticate, request)) ?? unauthorized();
  };
  const admitLink: Guard["admitLink"] = (request) => senderOf(request, { token: undefined, isPage: true });
  return {
    admitLink,
    async pageRefusal(request) {
      const sender = await admitLink(request);
      return "principal" in sender ? undefined : sender;
    },
    async admit(request) {
      const admitted = await senderOf(request, { token });
      if (!("principal" in admitted)) return admitted;
      if (request.method === "GET" || request.method === "HEAD") return admitted;
      if (readOnly) return problem(403, "This server only shows: it takes no inputs.");
      const type = request.headers.get("content-type") ?? "";
      if (!/^application\/json\s*(?:;|$)/i.test(type)) return problem(415, "Send the body as application/json.");
      return admitted;
    },
  };
}
