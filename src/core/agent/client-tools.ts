// Client tools: tools that the caller's client carries out, a page for example. Their calls wait for its result as for an answer.

import { LastcallError } from "../data/fault.js";
import type { ClientTool } from "../data/definition.js";
import type { StandardSchema } from "../data/tool-schema.js";
import { tool, type Tool } from "../ports/tool.js";

/** The question of such a call is its input: the client knows what it means. */
const anything: StandardSchema = {
  "~standard": { version: 1, vendor: "lastcall", validate: (value) => ({ value }) },
};

/**
 * Makes the tools. `own` are the names of the agent's tools. A tool with one of these names is left out, unless the caller has just given
 * it.
 * @throws LastcallError `configuration` if the caller has given one.
 */
export function clientTools(
  given: readonly ClientTool[],
  own: ReadonlySet<string>,
  { isNew }: { readonly isNew: boolean },
): readonly Tool[] {
  const clash = given.find(({ name }) => own.has(name));
  if (clash !== undefined && isNew)
    throw new LastcallError(
      "configuration",
      `The client brings a tool "${clash.name}", and the agent has a tool of that name: rename one of them.`,
    );
  return given.filter(({ name }) => !own.has(name)).map(toolOf);
}

function toolOf({ name, description, parameters }: ClientTool): Tool {
  return tool({
    name,
    description,
    input: { ...parameters, type: "object" } as const,
    effect: "none",
    // A page reads whatever it shows.
    readsOutside: true,
    asks: anything,
    run: (input, { ask }) => ask(input),
  });
}
