// Requests as --verbose shows them: the system prompt and the tools' names once, then the messages that are new each time.

import { argumentsOf, type Hook, type Message, type ModelRequest } from "../../core/index.js";
import { count, detailLines, type Style } from "../words/quantities.js";

/** Lines and characters of one message that are shown. What the model said and was answered is in the log besides. */
const most = { own: { lines: 40, characters: 4000 }, other: { lines: 6, characters: 600 } };

/** A hook that shows each request to somebody as it is sent, and changes nothing. */
export function showRequests(show: (request: ModelRequest) => void): Hook {
  return {
    async *request(request, next) {
      show(request);
      return yield* next(request);
    },
  };
}

/** Makes what turns requests, in order, into lines. A message is new where it was not in the request before, by its identity. */
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

/** A text behind the role that it has, cut where it is long. */
function shown(role: "system" | "user" | "tool" | "assistant", text: string, style: Style): readonly string[] {
  const { lines, characters } = most[role === "system" || role === "user" ? "own" : "other"];
  const left = text.length - characters;
  const some = left > 0 ? `${text.slice(0, characters)} [... ${count(left, "more character")}]` : text;
  return detailLines(`${role}: ${some}`, style, lines);
}
