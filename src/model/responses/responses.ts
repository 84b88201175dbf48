// The Responses API, used without state: each request holds the whole session. Replies are streamed or whole.

import type { ModelRequest } from "../../core/index.js";
import { isPlainObject } from "../../core/internal.js";
import { requestWriter, type Choice, type WrittenRequest } from "../wire/conversation.js";
import { restWriter } from "../wire/body-writer.js";
import { responseReader } from "./responses-events.js";
import { itemFormat } from "./responses-items.js";
import type { ResponsesBody, ResponsesTool } from "./responses-shapes.js";
import { withoutTools, type Manner, type Wire } from "../wire/wire.js";

/**
 * Makes the wire for one model at `address`. It keeps the bytes of conversations for their next requests. It has no XML dialect and writes
 * `auto` instead.
 */
export function responsesWire(model: string, address: string): Wire {
  const from = `${model} ${address}`;
  /** By the attachments that are sent. */
  const writers = new Map<readonly string[], Writer>();
  const rest = restWriter(
    (settings: Manner["settings"], system: string, tools: readonly ResponsesTool[], choice: Choice) =>
      ({
        ...translate(tools.length === 0 ? withoutTools(settings) : settings),
        model,
        instructions: system,
        ...(tools.length > 0 && { tools, tool_choice: choice }),
        // The server stores nothing, so the encrypted reasoning is sent with each request.
        store: false,
        include: ["reasoning.encrypted_content"],
        stream: true,
      }) satisfies Omit<ResponsesBody, "input">,
  );

  return {
    path: "/responses",
    write(request, { forcing, settings, takes }) {
      const write = writers.get(takes) ?? requestWriter("input", itemFormat(from), takes);
      writers.set(takes, write);
      const { system, list, tools, choice } = write(request, forcing === "required" ? "required" : "auto");
      return list.body(rest(settings, system, tools, choice));
    },
    reader: () => responseReader(address, from),
  };
}

type Writer = (request: ModelRequest, choice: Choice) => WrittenRequest<ResponsesTool>;

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
