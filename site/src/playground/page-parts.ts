// The parts of the page by their names, and what is done with them.

import { el } from "./elements.js";

/** The part of the page with this name. */
export function part(name: string): HTMLElement {
  const found = document.getElementById(`pg-${name}`);
  if (found === null) throw new Error(`The page has no part ${name}.`);
  return found;
}

/** Says if the button can be pressed. */
export function enable(name: string, isEnabled: boolean): void {
  (part(name) as HTMLButtonElement).disabled = !isEnabled;
}

/** The number that is chosen in a list. */
export function numberIn(name: string): number {
  return Number((part(name) as HTMLSelectElement).value);
}

/** A sentence with the words between backquotes as code. */
export function inCode(text: string): readonly (Node | string)[] {
  return text.split("`").map((words, index) => (index % 2 === 1 ? el("code", "", words) : words));
}
