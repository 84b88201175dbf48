// Tools of a page: reading them from a body, and finding their calls in the records of a session.

import { LastcallError, type ClientTool, type JournalRecord, type JsonObject } from "../../core/index.js";
import { isBlank, isPlainObject } from "../../core/internal.js";

/** The result of a call about which its page says nothing. */
const noResult = "It was carried out, and there is nothing to say about it.";

/** The result of a call as the model gets it. */
export function resultWords(text: string): string {
  return isBlank(text) ? noResult : text;
}

/**
 * A tool of a page as its body has it.
 * @throws LastcallError `configuration` that says what is wrong and what to do.
 */
export function readClientTool(name: string, tool: unknown): ClientTool {
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(name))
    throw wrong(
      `The tool ${JSON.stringify(name)} in tools can't be sent: name it with 1 to 64 letters, digits, _ or -.`,
    );
  if (!isPlainObject(tool)) throw wrong(`The tool ${name} in tools is no object: send its description and parameters.`);
  const { description = "", parameters } = tool;
  if (typeof description !== "string") throw wrong(`The description of the tool ${name} is no text.`);
  const schema = parameters ?? { type: "object", properties: {} };
  if (!isPlainObject(schema)) throw wrong(`The parameters of the tool ${name} are no JSON Schema: send an object.`);
  return { name, description, parameters: { type: "object", properties: {}, ...(schema as JsonObject) } };
}

/** True for the id of a call in the journal of a tool that a page has brought. */
export function isClientCall(records: readonly JournalRecord[], callId: string): boolean {
  const calls = records.flatMap((record) => (record.type === "reply" ? record.reply.calls : []));
  const tool = calls.find(({ id }) => id === callId)?.name;
  return records.some(
    (record) => "definition" in record && record.definition.clientTools?.some(({ name }) => name === tool) === true,
  );
}

/** The calls that a page carries out, record by record: their questions are no questions for people, and their answers are no words. */
export class ClientCalls {
  #tools: ReadonlySet<string> = new Set();
  readonly #questions = new Set<string>();

  /** Takes the next record. */
  take(record: JournalRecord): void {
    if ("definition" in record) this.#tools = new Set(record.definition.clientTools?.map(({ name }) => name));
    if (record.type === "question" && this.#tools.has(record.name)) this.#questions.add(record.id);
  }

  /** True for the id of a question that such a call asked. */
  asked(question: string): boolean {
    return this.#questions.has(question);
  }
}

function wrong(message: string): LastcallError {
  return new LastcallError("configuration", message);
}
