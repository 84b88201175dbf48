// The model: a real one if there is a key or an address, else a script that needs neither.

import { openai } from "lastcall/model";
import { call, scriptedModel } from "lastcall/testing";

const { OPENAI_API_KEY, OPENAI_BASE_URL } = process.env;
export const isReal = Boolean(OPENAI_API_KEY) || Boolean(OPENAI_BASE_URL);

/** Plays the model by the last words of the conversation: the result of the tool, or a ticket. */
export const script = () =>
  scriptedModel(({ lastText }) =>
    lastText.startsWith("billing:")
      ? [call("file_ticket", { team: "billing", urgency: "now", summary: "Invoices fail since 09:40." })]
      : [call("status_of", { part: "billing" })],
  );

export const model = isReal ? openai() : script();
