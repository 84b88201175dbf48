// How the parts of a text look in the chat, in colours and without.

import { plain, type Style } from "../../words/quantities.js";

/** How pieces of a text look; each takes and gives a text of one line that holds no style yet. */
export interface Look extends Style {
  readonly italic: (text: string) => string;
  readonly underline: (text: string) => string;
  readonly struck: (text: string) => string;
  readonly code: (text: string) => string;
  readonly heading: (text: string) => string;
  /** Whether bold, italic, struck text and code keep the marks they were written with, because nothing else shows them. */
  readonly marks: boolean;
}

/** No colours at all. */
export const plainLook: Look = {
  ...plain,
  italic: (text) => text,
  underline: (text) => text,
  struck: (text) => text,
  code: (text) => text,
  heading: (text) => text,
  marks: true,
};

/** The sixteen colours that a person has chosen for the terminal. */
export const colouredLook: Look = {
  dim: styled(2, 22),
  bold: styled(1, 22),
  good: styled(32, 39),
  bad: styled(31, 39),
  italic: styled(3, 23),
  underline: styled(4, 24),
  struck: styled(9, 29),
  code: styled(36, 39),
  heading: (text) => styled(1, 22)(styled(4, 24)(text)),
  marks: false,
};

/** Written out, as `styleText` of Node goes by what standard output is, and the chat by where it is shown. */
function styled(on: number, off: number): (text: string) => string {
  return (text) => (text === "" ? "" : `\u001b[${String(on)}m${text}\u001b[${String(off)}m`);
}
