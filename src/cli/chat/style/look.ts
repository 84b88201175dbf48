// The styles of a text in the chat, with and without colours.

import { plain, type Style } from "../../display/quantities.js";

/** Styles for parts of a text. Each function takes one line without styles and returns it styled. */
export interface Look extends Style {
  readonly italic: (text: string) => string;
  readonly underline: (text: string) => string;
  readonly struck: (text: string) => string;
  readonly code: (text: string) => string;
  readonly heading: (text: string) => string;
  /** True: bold, italic, struck text and code keep their Markdown marks, because no style shows them. */
  readonly marks: boolean;
}

/** The look without colours. */
export const plainLook: Look = {
  ...plain,
  italic: (text) => text,
  underline: (text) => text,
  struck: (text) => text,
  code: (text) => text,
  heading: (text) => text,
  marks: true,
};

/** The look with the sixteen colours of the terminal, which its user has chosen. */
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

/** Not `styleText` of Node: it checks standard output, but the chat may be shown elsewhere. */
function styled(on: number, off: number): (text: string) => string {
  return (text) => (text === "" ? "" : `\u001b[${String(on)}m${text}\u001b[${String(off)}m`);
}
