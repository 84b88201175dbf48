// mcpHandler: agents as tools of other agents, over streamable HTTP.

import { randomBytes } from "node:crypto";
import { LastcallError, type OpenSession } from "../../core/index.js";
import { atCaller, checkOptions } from "../../core/internal.js";
import { refusalOf } from "./guard.js";
import { linkTo, serveCall, type QuestionState, type ServedAgent, type ServedEnd } from "./serve-call.js";
import { loadServer, type CallContext, type ServerPackage, type ToolAnswer } from "./server-package.js";

/** The options of `mcpHandler`. */
export interface McpHandlerOptions {
  /** The agents by the names of their tools: 1 to 40 letters, digits, `_` or `-`. */
  readonly agents: Readonly<Record<string, ServedAgent>>;
  /** Opens the session with this id: `(id) => openSession({ store, id })`. */
  readonly sessions: (id: string) => OpenSession;
  /** The host names under which the handler is reached. Default: this machine, as localhost, 127.0.0.1 and [::1]. */
  readonly hosts?: readonly string[] | undefined;
  /** The token that each request has to bring, as `authorization: Bearer <token>`. Default: none, which only suits this machine. */
  readonly token?: string | undefined;
  /**
   * The secret that signs the state of a question, at least 32 bytes; the same for all processes behind one address. Default: a random one.
   */
  readonly key?: Uint8Array | undefined;
  /** Milliseconds during which the answer to a question is taken. Default: one day. */
  readonly answerWithin?: number | undefined;
}

const handlerOptions = {
  agents: true,
  sessions: true,
  hosts: true,
  token: true,
  key: true,
  answerWithin: true,
} satisfies Record<keyof McpHandlerOptions, true>;

/**
 * Makes a fetch function that serves agents as the tools of an MCP server. A call is a run: it tells its progress, ends with the caller's
 * abort, and returns its session as a resource. A question of the run becomes `input_required` in the newest protocol. In the older one it
 * is the result, and a call with the session goes on. An approval is never asked of the caller.
 * @throws LastcallError `configuration` for a wrong option. Without the package `@modelcontextprotocol/server` each request rejects so.
 */
export function mcpHandler(options: McpHandlerOptions): (request: Request) => Promise<Response> {
  atCaller(mcpHandler, () => {
    checkHandler(options);
  });
  const { hosts = ["localhost", "127.0.0.1", "[::1]"], token } = options;
  let loading: Promise<(request: Request) => Promise<Response>> | undefined;
  return async (request) => {
    const refusal = refusalOf(request, { hosts, token });
    if (refusal !== undefined) return refusal;
    loading ??= loadServer().then((sdk) => handlerOf(sdk, options));
    return (await loading)(request);
  };
}

function checkHandler(options: McpHandlerOptions): void {
  checkOptions("mcpHandler", options, handlerOptions);
  const { agents, sessions, key, hosts, token } = options;
  const names = Object.keys(agents);
  const bad = names.find((name) => !/^[\w-]{1,40}$/.test(name));
  const problem =
    names.length === 0
      ? "mcpHandler has no agents: give at least one, by the name of its tool"
      : bad !== undefined
        ? `mcpHandler has an agent named ${JSON.stringify(bad)}: give 1 to 40 letters, digits, _ or -`
        : typeof sessions !== "function"
          ? "mcpHandler needs sessions: (id) => openSession({ store, id })"
          : key !== undefined && key.length < 32
            ? "The key of mcpHandler is shorter than 32 bytes: give randomBytes(32), for example"
            : hosts !== undefined && token === undefined
              ? "mcpHandler with hosts of its own needs a token: anybody who reaches them could run the agents"
              : undefined;
  if (problem !== undefined) throw new LastcallError("configuration", `${problem}.`);
}

const oneDay = 24 * 3_600_000;

const inputSchema = {
  type: "object",
  properties: {
    task: { type: "string", description: "The task in words; or the answer, if `session` names a run that asked." },
    session: { type: "string", description: "The session to go on with. Leave it out for a new task." },
  },
  required: ["task"],
  additionalProperties: false,
};

const answerSchema = { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] };

type Codec = ReturnType<ServerPackage["createRequestStateCodec"]>;

function handlerOf(sdk: ServerPackage, options: McpHandlerOptions): (request: Request) => Promise<Response> {
  const { agents, sessions, key = randomBytes(32), answerWithin = oneDay } = options;
  const codec = sdk.createRequestStateCodec({ key, ttlSeconds: Math.ceil(answerWithin / 1000) });
  const handler = sdk.createMcpHandler(({ era }) => {
    const server = new sdk.McpServer({ name: "lastcall", version: "1" }, { requestState: { verify: codec.verify } });
    for (const [name, served] of Object.entries(agents)) {
      const settings = { description: served.description, inputSchema: sdk.fromJsonSchema(inputSchema) };
      server.registerTool(name, settings, async (input, context) => {
        // The package has verified that this handler made it.
        const state = context.mcpReq.requestState?.() as QuestionState | undefined;
        const given = sdk.acceptedContent(context.mcpReq.inputResponses, "answer")?.["answer"];
        const answer = typeof given === "string" && given !== "" ? given : undefined;
        const answered = state === undefined ? undefined : { state, answer };
        const end = await serveCall({ name, served, sessions, input, context, answered });
        if (end.is === "answer") return end.answer;
        return era === "modern" ? question(sdk, codec, end, context) : questionInWords(end);
      });
    }
    return server;
  });
  return (request) => handler.fetch(request);
}

type Question = Extract<ServedEnd, { readonly is: "question" }>;

async function question(sdk: ServerPackage, codec: Codec, end: Question, context: CallContext): Promise<unknown> {
  const { text, session, call } = end;
  const state: QuestionState = { session, call };
  return sdk.inputRequired({
    inputRequests: { answer: sdk.inputRequired.elicit({ mode: "form", message: text, requestedSchema: answerSchema }) },
    requestState: await codec.mint(state, context),
  });
}

/** A question to a caller that can't be asked: it is the result, and says how to answer. */
function questionInWords({ text, session }: Question): ToolAnswer {
  const how = `The agent asks a question and waits: ${text}\nTo answer, call this tool again with session ${JSON.stringify(session)} and the answer as task.`;
  return { content: [{ type: "text", text: how }, linkTo(session)] };
}
