// The Responses API, used without state: each request holds the whole session. Replies are streamed or whole.

import { isPlainObject } from "../../core/internal.js";
import { requestWriter } from "../wire/conversation.js";
import { listWriter } from "../wire/list-text.js";
import { responseReader } from "./responses-events.js";
import { itemFormat } from "./responses-items.js";
import type { Manner, Wire } from "../wire/wire.js";

/** Makes the wire for one model at `address`. It caches encoded messages. It has no XML dialect and writes `auto` instead. */
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
        // The server stores nothing, so the encrypted reasoning is sent with each request.
        store: false,
        include: ["reasoning.encrypted_content"],
        stream: true,
      };
      // The text of the history is cached and not serialized again with each request.
      return `{"input":${listText(messages)},${JSON.stringify(rest).slice(1)}`;
    },
    reader: () => responseReader(address, from),
  };
}

/** Translates the caller's settings to the names of this API. A setting that already has the name of this API takes precedence. */
function translate(settings: Manner["settings"]): Manner["settings"] {
  const { input: _ours, max_completion_tokens, max_tokens, reasoning_effort: effort, ...given } = settings;
  const maxOutputTokens = max_completion_tokens ?? max_tokens;
  const reasoning = isPlainObject(given["reasoning"]) ? given["reasoning"] : {};
  return {
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    ...given,
    ...(effort !== undefined && { reasoning: { effort, ...reasoning } }),
  };
}
