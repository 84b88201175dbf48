// The questions that a running call asks the user: the run ends with the question, and the call runs again when it is answered.

import type { Json } from "../data/json.js";
import { isPlainObject, sameJson, toJson, type JsonObject } from "../data/json.js";
import type { Principal } from "../data/principal.js";
import { LastcallError } from "../data/fault.js";
import type { StandardSchema } from "../data/tool-schema.js";
import type { QuestionRecord } from "../journal/record.js";
import type { AskedQuestion } from "../journal/state.js";
import type { AskTerms } from "../ports/tool.js";
import type { Tool } from "../ports/tool.js";
import type { Run } from "../run/run.js";

/** The questions of one run of a tool. */
export class Questions {
  readonly #run: Run;
  readonly #tool: Tool;
  readonly #callId: string;
  /** The questions that were answered, and that this run of the tool has not asked again yet. */
  readonly #answered: AskedQuestion[];
  /** The number of questions that the call has asked in its earlier runs. */
  readonly #before: number;
  #recorded: Promise<QuestionRecord> | undefined;
  #answeredBy: Principal | undefined;

  constructor(run: Run, tool: Tool, callId: string) {
    this.#run = run;
    this.#tool = tool;
    this.#callId = callId;
    const call = run.state.unanswered.find((unanswered) => unanswered.callId === callId);
    const questions = call?.questions ?? [];
    this.#answered = questions.filter(({ answer }) => answer !== undefined);
    this.#before = questions.length;
  }

  /**
   * The question that this run of the tool ended with, once it is recorded; undefined if it asked none. The time of the call may be up
   * meanwhile: a call that has a question gets no result.
   */
  async recorded(): Promise<QuestionRecord | undefined> {
    return this.#recorded;
  }

  /** The principal of the answer that the tool got last; undefined if nobody said who it is. */
  get answeredBy(): Principal | undefined {
    return this.#answeredBy;
  }

  /** The state that came with the question that was answered last; undefined without one. */
  get state(): Json | undefined {
    return this.#answered.at(-1)?.question.state;
  }

  /**
   * The answer to a question that was asked before, in order; undefined if the question has to be asked now.
   * @throws LastcallError `configuration` if the tool may not ask, or if the tool does not declare the question.
   */
  async answerTo(value: unknown): Promise<Json | undefined> {
    const { asks } = this.#tool as { readonly asks?: StandardSchema };
    if (asks === undefined) {
      throw this.#refuse("asks the user, and does not declare it: give the tool `asks`, the schema of its questions");
    }
    if (!this.#run.parts.interactive) {
      throw this.#refuse("asks the user, and nobody can answer: the agent is not interactive");
    }
    const { issues } = await asks["~standard"].validate(value);
    if (issues !== undefined)
      throw this.#refuse(`asks what its schema does not have: ${issues.map(({ message }) => message).join("; ")}`);
    const question = this.#redacted(value);
    const index = this.#answered.findIndex((one) => sameJson(one.question.value, question));
    const [found] = index < 0 ? [] : this.#answered.splice(index, 1);
    if (found !== undefined) this.#answeredBy = found.answer?.by;
    return found?.answer?.value;
  }

  /** Records the question. The run ends with it. */
  async ask(value: unknown, terms: AskTerms = {}): Promise<void> {
    const { replySchema, approves, expiresAfter, expiresAt, state } = terms;
    if (replySchema !== undefined && approves !== undefined)
      throw this.#refuse("asks for an approval and for a reply with a schema: leave one of them out");
    if (replySchema !== undefined && !isPlainObject(replySchema))
      throw this.#refuse("asks with a replySchema that is no JSON Schema: give an object schema");
    const end = expiresAt ?? (expiresAfter === undefined ? undefined : this.#run.now + expiresAfter);
    const question: QuestionRecord = {
      type: "question",
      callId: this.#callId,
      id: `${this.#callId}/ask:${String(this.#before)}`,
      name: this.#tool.name,
      value: this.#redacted(value),
      ...(replySchema !== undefined && { replySchema: copied(replySchema) as JsonObject }),
      ...(approves !== undefined && { approves }),
      ...(end !== undefined && { expiresAt: end }),
      ...(state !== undefined && { state: copied(state) }),
    };
    this.#recorded = this.#run.append(question).then(() => question);
    await this.#recorded;
  }

  #redacted(value: unknown): Json {
    return this.#run.parts.secrets.data(copied(value));
  }

  #refuse(what: string): LastcallError {
    return new LastcallError("configuration", `The tool "${this.#tool.name}" ${what}.`);
  }
}

/** A copy by way of JSON. */
function copied(value: unknown): Json {
  return JSON.parse(toJson(value) ?? "null") as Json;
}
