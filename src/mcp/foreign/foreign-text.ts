// Foreign text: words of a server, made safe to read. Hidden characters are shown, control characters go, long texts are cut.

import { cutTo, escapeRoles, showHidden, headOf } from "../../core/internal.js";

/** Control characters besides newline and tab. */
const control = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;

/** Characters without any width, except the joiners that scripts and emoji need. */
const unseen =
  /[\u00AD\u061C\u115F\u1160\u180E\u200B\u200E\u200F\u2028\u2029\u2060-\u2064\u206A-\u206F\u3164\uFEFF\uFFA0]/gu;

/** A safe text, and what was wrong with the original. */
export interface ForeignText {
  readonly text: string;
  /** The parts of the original that are not there any more, as words such as `hidden characters`. Empty if nothing is missing. */
  readonly changes: readonly string[];
}

/** Makes the words of a server safe for the model and for a person. At most `most` characters stay. */
export function foreignText(given: string, most: number): ForeignText {
  const changes: string[] = [];
  let text = given;
  if (text.length > most) {
    text = `${headOf(text, most)} [... ${String(text.length - most)} characters are left out ...]`;
    changes.push(`${String(given.length)} characters, cut to ${String(most)}`);
  }
  const plain = text.replaceAll("\r\n", "\n").replace(control, "").replace(unseen, "");
  if (plain !== text.replaceAll("\r\n", "\n")) changes.push("control or invisible characters, which were removed");
  const visible = showHidden(plain);
  if (visible !== plain) changes.push("hidden characters, which are shown now");
  return { text: escapeRoles(visible), changes };
}

/** One line of a server's words, of at most `most` characters: for messages, names and errors. */
export function foreignLine(given: string, most: number): string {
  const { text } = foreignText(headOf(given, most * 4), most * 4);
  const line = text.replaceAll(/\s+/g, " ").trim();
  return cutTo(line, most);
}

/** True if the text has characters that a reader can't see, or that reorder the text around them. */
export function hidesCharacters(text: string): boolean {
  return foreignText(text, text.length).text !== escapeRoles(text);
}
