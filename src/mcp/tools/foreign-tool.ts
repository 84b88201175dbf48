// Foreign tool: a tool of a server as a tool of an agent.

import { tool, type AsksUser, type JsonObject, type Tool } from "../../core/index.js";
import { toJson } from "../../core/internal.js";
import { readResult } from "../foreign/result-content.js";
import type { ForeignName } from "../foreign/foreign-name.js";
import { foreignLine } from "../foreign/foreign-text.js";
import type { ServerCall } from "./foreign-server.js";
import { answerFrom, elicitedQuestions, replySchemaFor, type ElicitedQuestion } from "./elicitation.js";
import type { ListedTool } from "./listing.js";
import { Latest } from "./latest.js";
import type { People } from "./people.js";

/** A tool of the server of this name. It never ends a run. `Question` is never if a call asks the run nothing. */
export type ForeignTool<Server extends string = string, Question = ElicitedQuestion> = Tool<
  ForeignName<Server>,
  JsonObject,
  string,
  "never"
> &
  AsksUser<Question>;

/**
 * Makes the tool. Its results are untrusted content from outside, and its progress are lines of text. A question of the server becomes one
 * of the run.
 */
export function foreignTool(people: People, listed: ListedTool): ForeignTool {
  const { name, description, schema, effect, isIdempotent } = listed;
  return tool({
    name,
    description,
    input: schema,
    effect,
    idempotent: isIdempotent,
    readsOutside: true,
    definition: listed.digest,
    asks: elicitedQuestions,
    preview: (input) => previewOf(people.settings.name, listed, input),
    async *run(input, context) {
      const { signal, attach, ask } = context;
      const progress = new Latest();
      const call: ServerCall = {
        tool: listed,
        input: input,
        signal,
        ask: async (question) => {
          const { server: name, message } = question;
          return answerFrom(await ask({ server: name, message }, { replySchema: replySchemaFor(question) }), question);
        },
        onProgress: (sent) => {
          progress.put(progressLine(sent));
        },
      };
      const answering = people
        .as(context, (server) => server.call(call))
        .finally(() => {
          progress.end();
        });
      answering.catch(() => undefined);
      yield* progress.read();
      const { text, files, isError } = readResult(await answering);
      if (isError) throw new Error(text);
      for (const file of files) attach(file);
      return text;
    },
  });
}

/** Says whose tool it is, in whose words it is described, and the whole input. */
function previewOf(server: string, { original, description, effect }: ListedTool, input: JsonObject): string {
  const hint = effect === "read" ? " The server says that it only reads." : "";
  return [
    `Calls ${original} of the MCP server ${server}.${hint} What it does is known from the server alone:`,
    description,
    "With these arguments:",
    toJson(input) === "{}" ? "none" : JSON.stringify(input, null, 2),
  ].join("\n");
}

function progressLine({
  progress,
  total,
  message,
}: {
  progress: number;
  total?: number | undefined;
  message?: string | undefined;
}): string {
  const count = total === undefined ? String(progress) : `${String(progress)} of ${String(total)}`;
  return `${count}${message === undefined ? "" : `: ${foreignLine(message, 500)}`}\n`;
}
