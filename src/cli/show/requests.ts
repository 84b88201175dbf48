// Requests as `--verbose` shows them: the system prompt and the tools' names once, then the new messages of each request.

import { argumentsOf, type Hook, type Message, type ModelRequest } from "../../core/index.js";
import { count, detailLines, type Style } from "../display/quantities.js";
import { headOf } from "../../core/internal.js";

/** Lines and characters shown of one message. Replies and results get fewer, because the log shows them, too. */
const limits = { own: { lines: 40, characters: 4000 }, other: { lines: 6, characters: 600 } };

/** A hook that passes each request to `show`, and does not change it. */
export function showRequests(show: (request: ModelRequest) => void): Hook {
  return {
    async *request(request, next) {
      show(request);
      return yield* next(request);
    },
  };
}

/** Makes a function that turns requests, in their order, into lines. A message is new if the previous request did not have that object. */
export function requestLog(style: Style): (request: ModelRequest) => readonly string[] {
  let system: string | undefined;
  let tools: string | undefined;
  let before: ReadonlySet<Message> = new Set();
  return (request) => {
    const names = request.tools.map(({ name }) => name).join(", ");
    const lines = [
      ...(request.system === system ? [] : shown("system", request.system, style)),
      ...(names === tools ? [] : detailLines(`tools: ${names}`, style)),
      ...request.messages.filter((message) => !before.has(message)).flatMap((message) => messageLines(message, style)),
    ];
    system = request.system;
    tools = names;
    before = new Set(request.messages);
    return lines;
  };
}

function messageLines(message: Message, style: Style): readonly string[] {
  switch (message.role) {
    case "user":
      return shown("user", message.text, style);
    case "tool":
      return shown("tool", message.text, style);
    case "assistant": {
      const { text, calls } = message.reply;
      const called = calls.map((call) => `calls ${call.name} ${argumentsOf(call)}`);
      return shown("assistant", [...(text === "" ? [] : [text]), ...called].join("\n"), style);
    }
  }
}

/** A text after its role, cut if it is long. */
function shown(role: "system" | "user" | "tool" | "assistant", text: string, style: Style): readonly string[] {
  const { lines, characters } = limits[role === "system" || role === "user" ? "own" : "other"];
  const left = text.length - characters;
  const some = left > 0 ? `${headOf(text, characters)} [... ${count(left, "more character")}]` : text;
  return detailLines(`${role}: ${some}`, style, lines);
}
