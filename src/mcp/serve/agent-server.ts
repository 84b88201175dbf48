// Agent server: agents as the tools of a server of the package, and their questions in the words of each protocol.

import { randomBytes } from "node:crypto";
import type { Principal } from "../../core/index.js";
import { isPlainObject, maxTimerDelay } from "../../core/internal.js";
import { ownVersion } from "../../packages/index.js";
import { answerOf, serveCall, type QuestionState, type ServedEnd } from "./serve-call.js";
import type { ServedAgents } from "./served-agents.js";
import type { ServedTasks } from "./served-tasks.js";
import type { CallContext, ServerMaker, ServerPackage } from "./server-package.js";
import { capabilitiesIn, registerTasks, taskFor } from "./task-wire.js";

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

/**
 * Makes the function that makes a server with the agents as its tools. `asksOlder`: true if a caller with the older protocol can be asked
 * during a call, which is not possible over HTTP.
 */
export function serverMaker(
  sdk: ServerPackage,
  { agents, sessions, key = randomBytes(32), answerTimeout = oneDay, budget }: ServedAgents,
  { asksOlder, tasks }: { readonly asksOlder: boolean; readonly tasks: ServedTasks },
): ServerMaker {
  const codec = sdk.createRequestStateCodec({ key, ttlSeconds: Math.ceil(answerTimeout / 1000) });
  return ({ era, authInfo }) => {
    const principal = authInfo?.extra["principal"] as Principal | undefined;
    const settings = {
      requestState: { verify: codec.verify },
      inputRequired: { roundTimeoutMs: Math.min(answerTimeout, maxTimerDelay) },
    };
    const server = new sdk.McpServer({ name: "lastcall", version: ownVersion() }, settings);
    const isModern = era === "modern";
    // In the newest protocol each request says what its caller can do.
    const canAsk = ({ mcpReq }: CallContext): boolean =>
      isModern ? asksForms(capabilitiesIn(mcpReq)) : asksOlder && asksForms(server.server.getClientCapabilities());
    if (isModern) registerTasks(sdk, server, { tasks, principal, canAsk });
    for (const [name, served] of Object.entries(agents)) {
      const tool = { description: served.description, inputSchema: sdk.fromJsonSchema(inputSchema) };
      server.registerTool(name, tool, async (input, context) => {
        // The package has verified that this server made it.
        const state = context.mcpReq.requestState?.() as QuestionState | undefined;
        const given = sdk.acceptedContent(context.mcpReq.inputResponses, "answer")?.["answer"];
        const answer = typeof given === "string" && given !== "" ? given : undefined;
        const answered = state === undefined ? undefined : { state, answer };
        const task =
          answered === undefined && isModern ? await taskFor(tasks, { name, input, principal, context }) : undefined;
        if (task !== undefined) return task;
        const end = await serveCall({ name, served, sessions, input, context, answered, principal, budget });
        return end.is === "question" && canAsk(context) ? question(sdk, codec, end, context) : answerOf(end);
      });
    }
    return server;
  };
}

/** True for a caller that shows forms to a person: it says so, or it names no mode. */
function asksForms(capabilities: unknown): boolean {
  const { elicitation } = isPlainObject(capabilities) ? capabilities : {};
  return isPlainObject(elicitation) && (elicitation["form"] !== undefined || elicitation["url"] === undefined);
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
