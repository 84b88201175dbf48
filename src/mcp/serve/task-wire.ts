// Task wire: the tasks of served agents in the words of the Tasks extension of MCP, schema 2026-07-28.

import {
  LastcallError,
  type Input,
  type JsonObject,
  type ParkedCall,
  type Principal,
  type WaitingCall,
} from "../../core/index.js";
import { explain, headOf, isPlainObject, toJson, valueWords } from "../../core/internal.js";
import { withoutPaths } from "../../guard/index.js";
import { answerOf, wordsOf } from "./serve-call.js";
import { isApproval, type ServedTasks, type ToldTask } from "./served-tasks.js";
import type { TaskPlace } from "./task-runs.js";
import type { CallContext, PackageServer, ServerPackage, ToolAnswer } from "./server-package.js";

const extension = "io.modelcontextprotocol/tasks";

/** The capabilities of the caller, as its request has them. */
export function capabilitiesIn({ envelope }: CallContext["mcpReq"]): unknown {
  return envelope?.["io.modelcontextprotocol/clientCapabilities"];
}

/** True if the request says that its caller knows tasks. */
function knowsTasks({ mcpReq }: CallContext): boolean {
  const capabilities = capabilitiesIn(mcpReq);
  const { extensions } = isPlainObject(capabilities) ? capabilities : {};
  return isPlainObject(extensions) && isPlainObject(extensions[extension]);
}

/** A call of an agent, and its caller. */
export interface TaskCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly principal: Principal | undefined;
  readonly context: CallContext;
}

/** The result of a call that became a task; undefined for a caller that does not know tasks, and for a session that can't be one's. */
export async function taskFor(
  tasks: ServedTasks,
  { name, input, principal, context }: TaskCall,
): Promise<object | undefined> {
  if (!knowsTasks(context)) return undefined;
  const known = typeof input["session"] === "string" ? input["session"] : undefined;
  const place = tasks.placeFor(name, principal, known);
  if (place === undefined) return undefined;
  const begun = await tasks.begin(place, String(input["task"]), context.mcpReq.signal);
  if (!("state" in begun)) return begun;
  // Seen from the wire a new task is always at work: `tasks/get` tells the rest. The package wants a result to have content.
  const { createdAt, updatedAt } = begun;
  const task = fieldsOf(place, { createdAt, updatedAt, state: { is: "working", words: "The agent is at work." } });
  return { resultType: "task", content: [], ...task, _meta: { "lastcall/session": place.session } };
}

/** The parts that the methods of tasks need. */
export interface TaskParts {
  readonly tasks: ServedTasks;
  readonly principal: Principal | undefined;
  readonly canAsk: (context: CallContext) => boolean;
}

/** Answers the methods of the extension, and says that the server has it. */
export function registerTasks(
  sdk: ServerPackage,
  { server }: PackageServer,
  { tasks, principal, canAsk }: TaskParts,
): void {
  const params = sdk.fromJsonSchema({
    type: "object",
    properties: { taskId: { type: "string" } },
    required: ["taskId"],
  });
  const method = (
    name: string,
    answer: (place: TaskPlace, context: CallContext) => Promise<object | undefined>,
  ): void => {
    server.setRequestHandler(name, { params }, async ({ taskId }, context) => {
      if (!knowsTasks(context)) throw missing();
      const place = tasks.placeOf(String(taskId), principal);
      const answered = place === undefined ? undefined : await told(answer(place, context));
      if (answered === undefined) throw fault(invalidParams, "There is no such task.");
      return answered;
    });
  };
  server.registerCapabilities({ extensions: { [extension]: {} } });
  method("tasks/get", async (place, context) => {
    const task = await tasks.get(place, canAsk(context));
    return task && getResult(sdk, place, task, canAsk(context));
  });
  method("tasks/update", async (place, context) => {
    const task = await tasks.get(place, true);
    if (task?.state.is === "asks") await answer(tasks, place, task.state.call, context);
    return task && {};
  });
  method("tasks/cancel", async (place) => ((await tasks.cancel(place)) ? {} : undefined));
}

/** The state of a task as the answer to `tasks/get`. */
function getResult(sdk: ServerPackage, place: TaskPlace, task: ToldTask, canAsk: boolean): object {
  const fields = fieldsOf(place, task);
  const { state } = task;
  switch (state.is) {
    case "working":
    case "cancelled":
      return fields;
    case "done":
      return { ...fields, result: completed(state.answer) };
    case "asks":
      if (canAsk)
        return { ...fields, inputRequests: { [keyOf(state.call)]: sdk.inputRequired.elicit(formOf(state.call)) } };
      return { ...fields, status: "completed", result: completed(answerOf(questionOf(place, state.call))) };
  }
}

/** The result as the call itself would have sent it. */
function completed(answer: ToolAnswer): object {
  return { resultType: "complete", ...answer };
}

const statuses = { working: "working", asks: "input_required", done: "completed", cancelled: "cancelled" } as const;

/** The fields that a task has in every status. Its session is kept as long as the store keeps it, so nothing is said about its end. */
function fieldsOf({ session, inputId }: TaskPlace, { createdAt, updatedAt, state }: ToldTask): object {
  return {
    taskId: `${session}.${inputId}`,
    status: statuses[state.is],
    ...("words" in state && { statusMessage: state.words }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ttlMs: null,
    pollIntervalMs: pollInterval(Date.now() - createdAt),
  };
}

/**
 * Milliseconds until the next look at a task of this age: a tenth of the age, so that a short task is told soon and a long task costs
 * little.
 */
function pollInterval(age: number): number {
  return Math.round(Math.min(Math.max(age / 10, 250), 5000));
}

/** The key of a question in its task. A call that needs several people has a key for each person. */
function keyOf({ id, approval }: WaitingCall | ParkedCall): string {
  const yeses = approval?.quorum?.given.length ?? 0;
  return yeses === 0 ? id : `${id}/yes:${String(yeses)}`;
}

/** The maximum number of characters of a call that an approval shows. */
const longestCall = 4000;

/** The question or the approval as a form. */
function formOf(call: WaitingCall | ParkedCall): object {
  if (call.approval === undefined && call.approves === undefined) {
    const answer = { type: "object", properties: { answer: { type: "string" } }, required: ["answer"] };
    return { mode: "form", message: wordsOf(call.value), requestedSchema: answer };
  }
  const properties = {
    allowed: { type: "boolean", title: "Allow this call" },
    reason: { type: "string", title: "The reason" },
  };
  const yesOrNo = { type: "object", properties, required: ["allowed"] };
  return { mode: "form", message: approvalWords(call), requestedSchema: yesOrNo };
}

function approvalWords(call: WaitingCall | ParkedCall): string {
  if (call.approval === undefined) return valueWords(call.value);
  const { by, approval, input } = call;
  const shown = headOf(approval.preview ?? toJson(input) ?? "", longestCall);
  return `The agent asks for an approval of ${by}: ${approval.why}\n${shown}`;
}

function questionOf({ session }: TaskPlace, call: WaitingCall | ParkedCall) {
  return {
    is: "question",
    text: call.approval === undefined ? wordsOf(call.value) : call.by,
    session,
    call: call.id,
  } as const;
}

/** Gives the answer that the caller has sent to the call that waits. Answers to other questions are passed over. */
async function answer(
  tasks: ServedTasks,
  place: TaskPlace,
  call: WaitingCall | ParkedCall,
  { mcpReq }: CallContext,
): Promise<void> {
  const response = mcpReq.inputResponses?.[keyOf(call)];
  if (!isPlainObject(response)) return;
  const { action, content } = response;
  const input = isApproval(call) ? verdictIn(action, content, call) : wordsIn(action, content);
  if (input !== undefined) await tasks.answer(place, call, input);
}

/** The words of an answer; undefined if nobody answered, and the question stays. */
function wordsIn(action: unknown, content: unknown): string | undefined {
  if (action !== "accept") return undefined;
  const { answer: words } = isPlainObject(content) ? content : {};
  if (typeof words !== "string" || words === "") throw fault(invalidParams, "The answer is empty: give words.");
  return words;
}

/** The yes or no of an answer; undefined if nobody answered. A form that is declined is a no. */
function verdictIn(action: unknown, content: unknown, call: WaitingCall | ParkedCall): Input | undefined {
  const digest = call.approval === undefined ? call.approves : call.approval.digest;
  const about = digest === undefined ? {} : { digest };
  if (action === "decline") return { allowed: false, ...about };
  if (action !== "accept") return undefined;
  const { allowed, reason } = isPlainObject(content) ? content : {};
  if (typeof allowed !== "boolean") throw fault(invalidParams, "The answer is neither a yes nor a no: give allowed.");
  return { allowed, ...(typeof reason === "string" && reason !== "" && { reason }), ...about } satisfies JsonObject;
}

const invalidParams = -32602;
const internal = -32603;
const missingCapability = -32021;

/** An error in the words of JSON-RPC, which the package sends as it is. */
function fault(code: number, message: string, data?: object): Error {
  return Object.assign(new Error(withoutPaths(message)), { code }, data && { data });
}

function missing(): Error {
  const requiredCapabilities = { extensions: { [extension]: {} } };
  return fault(missingCapability, "The request does not say that its caller knows tasks.", { requiredCapabilities });
}

/** The answer, or its fault in the words of JSON-RPC. */
async function told<Answer>(answering: Promise<Answer>): Promise<Answer> {
  try {
    return await answering;
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown && typeof thrown.code === "number") throw thrown;
    const isRefused =
      thrown instanceof LastcallError && (thrown.code === "configuration" || thrown.code === "not_allowed");
    throw fault(isRefused ? invalidParams : internal, explain(thrown));
  }
}
