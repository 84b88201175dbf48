// mcpHandler: agents as tools of other agents, over streamable HTTP.

import { LastcallError } from "../../core/index.js";
import { atCaller, checkOptions, needed, listOf, portKinds, type OptionKinds } from "../../core/internal.js";
import { serverMaker } from "./agent-server.js";
import { checkServed, type ServedAgents, sessionOpener } from "./served-agents.js";
import { admittedBy, refusalOf, thisMachine, unauthorized, type Admitted, type Sender } from "../../guard/index.js";
import { ServedTasks } from "./served-tasks.js";
import { loadServer, type ServerPackage } from "./server-package.js";

/** The options of `mcpHandler`. */
export interface McpHandlerOptions extends ServedAgents {
  /** The host names under which the handler is reached. Default: this machine, as localhost, 127.0.0.1 and [::1]. */
  readonly hosts?: readonly string[] | undefined;
  /**
   * The token that each request has to bring, as `authorization: Bearer <token>`. Default: none, so only callers whose socket is on this
   * machine may ask, and no proxy.
   */
  readonly token?: string | undefined;
  /**
   * Says who sends a request, in place of a token, as for `createHandler`. A principal goes on with its own sessions alone, and stands in
   * their journals as `by`. True: the caller has no name. False or undefined: the request is refused with 401. Default: the token decides.
   */
  readonly authenticate?: ((request: Request) => Sender | Promise<Sender>) | undefined;
}

const handlerOptions = {
  agents: needed("object"),
  sessions: needed(sessionOpener),
  hosts: listOf("text"),
  token: "text",
  authenticate: "function",
  key: "object",
  answerTimeout: "number",
  budget: portKinds.budget,
} satisfies OptionKinds<McpHandlerOptions>;

/**
 * Makes a fetch function that serves agents as the tools of an MCP server. A call is a run: it tells its progress, ends with the caller's
 * abort, and names its session in the result. A question of the run becomes `input_required` in the newest protocol. In the older
 * protocol, and for a caller that can't be asked, it is the result, and a call with the session goes on. An approval is never asked of the
 * caller. A caller that knows the Tasks extension of MCP gets a task for each call: it may leave and come back, to any process over the
 * same sessions, and the principal of the task is asked about approvals. Tasks need sessions with `toJSON`, as `openSession` opens them.
 * @throws LastcallError `configuration` for a wrong option. Without the package `@modelcontextprotocol/server` each request rejects so.
 */
export function mcpHandler(options: McpHandlerOptions): (request: Request) => Promise<Response> {
  atCaller(mcpHandler, () => {
    checkOptions("mcpHandler", options, handlerOptions);
    checkServed("mcpHandler", options);
    const { hosts, token, authenticate } = options;
    if (hosts !== undefined && token === undefined && authenticate === undefined)
      throw new LastcallError(
        "configuration",
        "mcpHandler with hosts of its own needs a token or `authenticate`: anybody who reaches them could run the agents.",
      );
    if (token !== undefined && authenticate !== undefined)
      throw new LastcallError("configuration", "mcpHandler takes a token or `authenticate`: give one of the two.");
    if (token?.trim() === "")
      throw new LastcallError("configuration", "The token of mcpHandler is empty: give one that nobody guesses.");
  });
  const { token, authenticate } = options;
  const hosts = (options.hosts ?? thisMachine).map((host) => host.toLowerCase());
  const tasks = new ServedTasks(options);
  let loading: Promise<ReturnType<ServerPackage["createMcpHandler"]>> | undefined;
  return async (request) => {
    const onlyHere = token === undefined && authenticate === undefined;
    const refusal = refusalOf(request, { hosts, token, onlyHere });
    if (refusal !== undefined) return refusal;
    const sender = authenticate === undefined ? nobody : await admittedBy(authenticate, request);
    if (sender === undefined) return unauthorized();
    loading ??= loadServer().then((sdk) =>
      sdk.createMcpHandler(serverMaker(sdk, options, { asksOlder: false, tasks })),
    );
    // The package passes on what it gets with a request, and looks at nothing of it.
    return (await loading).fetch(request, { authInfo: { token: "", clientId: "", scopes: [], extra: { ...sender } } });
  };
}

const nobody: Admitted = { principal: undefined };
