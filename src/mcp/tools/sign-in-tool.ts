// Sign-in tool: the tool of a server that lists its tools for people alone who signed in.

import { tool } from "../../core/index.js";
import type { ForeignTool } from "./foreign-tool.js";
import { elicitedQuestions } from "./elicitation.js";
import type { People } from "./people.js";

/** Makes the tool. It asks the person to sign in, unless they have, and reads the list of tools as that person. */
export function signInTool(people: People): ForeignTool {
  const { name } = people.settings;
  return tool({
    name: `${name}__sign_in`,
    description: `Connects the user's account at the MCP server ${name}, which shows its tools only then. The user is asked to sign in. Call it when the task needs this server and its tools are not there.`,
    input: { type: "object", properties: {}, additionalProperties: false },
    effect: "read",
    idempotent: true,
    readsOutside: true,
    asks: elicitedQuestions,
    run: (_input: Readonly<Record<string, unknown>>, context) =>
      people.as(context, async (server) => {
        await server.ready(context.signal);
        const names = server.listing.tools.map((one) => one.name);
        return `The user is signed in. The server has ${names.length === 0 ? "no tools" : `these tools: ${names.join(", ")}`}.`;
      }),
  });
}
