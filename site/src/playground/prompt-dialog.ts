// The exact prompt of one request.

import type { Message, ToolDescription } from "lastcall";
import type { Prompt } from "./messages.js";
import { button, el, written } from "./elements.js";

/** Makes the dialog with a prompt. */
export function promptDialog({ system, messages, tools }: Prompt): HTMLDialogElement {
  const dialog = el(
    "dialog",
    "pg-dialog pg-prompt",
    el(
      "header",
      "",
      el("h2", "", "The prompt"),
      button("pg-button", "Close", () => {
        dialog.close();
      }),
    ),
    part("system", system),
    ...(messages as readonly Message[]).map(messagePart),
    ...(tools as readonly ToolDescription[]).map((tool) => part(`tool ${tool.name}`, written(tool, 72))),
  );
  dialog.setAttribute("aria-label", "The prompt of a request");
  dialog.addEventListener("close", () => {
    dialog.remove();
  });
  return dialog;
}

function messagePart(message: Message): HTMLElement {
  if (message.role !== "assistant") return part(message.role === "tool" ? "result" : message.role, message.text);
  const { text, calls } = message.reply;
  const made = calls.map((call) => `${call.name}(${call.type === "call" ? written(call.input) : call.source})`);
  return part("model", [text, ...made].filter((line) => line !== "").join("\n"));
}

function part(label: string, text: string): HTMLElement {
  return el("section", "", el("h3", "", label), el("pre", "", text));
}
