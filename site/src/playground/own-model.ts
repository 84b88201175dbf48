// The reader's own model: its address, key and name, kept in this tab.

import type { OwnModel } from "./messages.js";
import { button, el } from "./elements.js";

const place = "lastcall playground model";

/** The model that the reader has chosen; undefined while the scripts answer. */
export function chosenModel(): OwnModel | undefined {
  const kept = sessionStorage.getItem(place);
  return kept === null ? undefined : (JSON.parse(kept) as OwnModel);
}

/** Makes the dialog in which a model is chosen. `onChoice` is called after each choice. */
export function modelDialog(onChoice: () => void): HTMLDialogElement {
  const known = chosenModel();
  const baseURL = field("Base URL", {
    type: "url",
    value: known?.baseURL ?? "",
    placeholder: "https://api.openai.com/v1",
  });
  const model = field("Model", { type: "text", value: known?.model ?? "", placeholder: "gpt-5-mini" });
  const apiKey = field("Key", {
    type: "password",
    value: known?.apiKey ?? "",
    placeholder: "none for a server of your own",
  });
  baseURL.input.required = true;
  model.input.required = true;
  const dialog = el("dialog", "pg-dialog");
  const choose = (own: OwnModel | undefined): void => {
    if (own === undefined) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, JSON.stringify(own));
    dialog.close();
    onChoice();
  };
  const form = el(
    "form",
    "",
    el("h2", "", "Your own model"),
    el(
      "p",
      "",
      "Any server that speaks OpenAI's API and lets pages of other origins ask it. It answers in place of the scripts.",
    ),
    baseURL.label,
    model.label,
    apiKey.label,
    el("p", "pg-small", "The key stays in this tab, goes to this address alone, and is gone when the tab is closed."),
    el(
      "p",
      "pg-actions",
      el("button", "pg-button pg-primary", "Use this model"),
      button("pg-button", "Use the script", () => {
        choose(undefined);
      }),
      button("pg-button", "Cancel", () => {
        dialog.close();
      }),
    ),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    choose({ baseURL: baseURL.input.value.trim(), model: model.input.value.trim(), apiKey: apiKey.input.value.trim() });
  });
  dialog.setAttribute("aria-label", "Your own model");
  dialog.append(form);
  return dialog;
}

function field(
  name: string,
  attributes: Pick<HTMLInputElement, "type" | "value" | "placeholder">,
): { readonly label: HTMLElement; readonly input: HTMLInputElement } {
  const input = Object.assign(el("input", "pg-field"), attributes, { autocomplete: "off", spellcheck: false });
  return { label: el("label", "", el("span", "", name), input), input };
}
