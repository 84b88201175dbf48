// A page with tools of its own, over the protocol's own client.

import { randomUUID } from "node:crypto";
import { Client } from "./agui-client.js";

/** A tool of the page that shows a map. */
export const showMap = {
  name: "show_map",
  description: "Shows a map",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

/** The tools of the page. */
const tools = [
  showMap,
  { name: "get_selection", description: "The selected text", parameters: { type: "object", properties: {} } },
];

/** A page that carries calls out as clients of the protocol do: it looks for calls without a result once a run has ended. */
export class Page extends Client {
  readonly carriedOut: string[] = [];
  tools: readonly (typeof tools)[number][] = tools;

  open(): readonly { readonly id: string; readonly name: string; readonly text: string }[] {
    const ids = new Set(this.messages.flatMap((message) => (message.role === "tool" ? [message.toolCallId] : [])));
    return this.messages
      .flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []))
      .filter(({ id, function: { name } }) => !ids.has(id) && tools.some((one) => one.name === name))
      .map(({ id, function: { name, arguments: text } }) => ({ id, name, text }));
  }

  override async run(parameters: Parameters<Client["run"]>[0] = {}): Promise<this> {
    return super.run({ tools: this.tools as never, ...parameters });
  }

  /** Its user says something. */
  hears(id: string, content: string): this {
    this.agent.addMessage({ id, role: "user", content });
    return this;
  }

  carryOut(limit = Infinity): this {
    for (const { id, name, text } of this.open().slice(0, limit)) {
      this.carriedOut.push(`${name} ${text}`);
      this.agent.addMessage({ id: randomUUID(), role: "tool", toolCallId: id, content: `${name} is done` });
    }
    return this;
  }
}
