// Private keys in blocks of lines, as PEM, PGP and PuTTY write them.

import { format, newline } from "./build-format.js";
import type { Format } from "./format.js";
import { characters, isOf, no, optional, run, sequence, words, type Part } from "./match.js";
import { open, type Rest } from "./rest.js";

const title = characters(/[A-Z0-9 ]/);
const base64 = characters(/[A-Za-z0-9+/=]/);

const headers = sequence(
  words("Proc-Type: "),
  run(characters(/[\w,]/), 1, 40),
  newline,
  words("DEK-Info: "),
  run(characters(/[\w,-]/), 1, 100),
  newline,
  newline,
);
const armorHeader = optional(
  sequence(run(characters(/[A-Za-z]/), 1, 20), words(": "), run(characters(/[^\r\n\\]/), 0, 200), newline),
);
/** The headers of a PGP block and the blank line after them (RFC 9580, section 6.2). */
const armor = sequence(armorHeader, armorHeader, armorHeader, newline);
const pemEnd = sequence(words("-----END "), run(title, 0, 60), words("-----"));
const pemText = characters(/[A-Za-z0-9+/=\\\r\n\t]/);
/** The signs between a line number and its line. */
const numbering = characters(/[:|]/);
/** The characters after which a space may stand. */
const indenting = characters(/[ \n\t:|]/);

/** Reads the lines of a private key, up to its end marker or a character that a key can't contain. */
const pemRest: Rest = (text, at, isWhole, before) => {
  let last = before;
  for (let end = at; end < text.length; end += 1) {
    const code = text.charCodeAt(end);
    if (code === 0x2d) {
      const keyEnd = pemEnd(text, end, isWhole);
      return keyEnd === no ? end : keyEnd < 0 ? open(end) : keyEnd;
    }
    const isIndent = code === 0x20 && isOf(indenting, last);
    const isNumbered = isOf(numbering, code) && last >= 0x30 && last <= 0x39;
    if (!isIndent && !isNumbered && !isOf(pemText, code)) return end;
    last = code;
  }
  return isWhole ? text.length : open(text.length);
};

const pemTitle = run(title, 11, 60);
const pemName: Part = (text, at, isWhole) => {
  const end = pemTitle(text, at, isWhole);
  return end < 0 || /PRIVATE KEY(?: BLOCK)?$/.test(text.slice(at, end)) ? end : no;
};
const privateKey: Format = {
  ...format(
    "private key",
    ["-----BEGIN "],
    sequence(
      words("-----BEGIN "),
      pemName,
      words("-----"),
      newline,
      optional(headers),
      optional(armor),
      run(base64, 16),
    ),
    pemRest,
  ),
  mayFollow: () => true,
};

/** The private part of a PuTTY key (PuTTY's manual, appendix C.2). */
const puttyKey = format(
  "private key",
  ["Private-Lines: "],
  sequence(words("Private-Lines: "), run(characters(/\d/), 1, 4), newline, run(base64, 16)),
  pemRest,
);

export const privateKeys: readonly Format[] = [privateKey, puttyKey];
