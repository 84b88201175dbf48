// The Responses API: stateless, the whole session in every request, replies streamed or whole.

import { isPlainObject } from "../../core/internal.js";
import { requestWriter } from "../wire/conversation.js";
import { listWriter } from "../wire/list-text.js";
import { responseReader } from "./responses-events.js";
import { itemFormat } from "./responses-items.js";
import type { Manner, Wire } from "../wire/wire.js";

/** Makes the wire for one model at `address`. It keeps what it has encoded. It has no XML: there `auto` is written. */
export function responsesWire(model: string, address: string): Wire {
  const from = `${model} ${address}`;
  const write = requestWriter(itemFormat(from));
  const listText = listWriter();

  return {
    path: "/responses",
    write(request, { forcing, settings }) {
      const { system, messages, tools, choice } = write(request, forcing === "required" ? "required" : "auto");
      const rest = {
        ...translate(settings),
        model,
        instructions: system,
        tools,
        tool_choice: choice,
        // Nothing is kept there, so reasoning has to travel; only its author can read it.
        store: false,
        include: ["reasoning.encrypted_content"],
        stream: true,
      };
      // The history is written once and not with every request.
      return `{"input":${listText(messages)},${JSON.stringify(rest).slice(1)}`;
    },
    reader: () => responseReader(address, from),
  };
}

/** The caller's settings by the names they have here; one that is there under both names stays as it is. */
function translate(settings: Manner["settings"]): Manner["settings"] {
  const { input: _ours, max_completion_tokens, max_tokens, reasoning_effort: effort, ...given } = settings;
  const most = max_completion_tokens ?? max_tokens;
  const reasoning = isPlainObject(given["reasoning"]) ? given["reasoning"] : {};
  return {
    ...(most !== undefined && { max_output_tokens: most }),
    ...given,
    ...(effort !== undefined && { reasoning: { effort, ...reasoning } }),
  };
}
