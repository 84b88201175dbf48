// Names the character of a line that looks like another one: a no-break space, a letter with its accent apart, a curly quote.

/** The parts of a text that a person sees as one character each. */
const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Characters that people and models write for one another. */
const alike: readonly (readonly [RegExp, string])[] = [
  [/\s/gu, " "],
  [/[\u2018\u2019\u201a\u201b\u2032]/gu, "'"],
  [/[\u201c\u201d\u201e\u201f\u2033]/gu, '"'],
  [/[\u2010-\u2015\u2212]/gu, "-"],
];

/**
 * Says which character looks alike and differs, if the line has the search but for that; else an empty text. Differences within ASCII are
 * seen without it.
 */
export function lookAlike(line: string, search: string): string {
  const [there, sought] = [partsOf(line), partsOf(search)];
  const from = there.findIndex((_part, at) =>
    sought.every(({ folded }, index) => there[at + index]?.folded === folded),
  );
  const at = from < 0 ? -1 : sought.findIndex(({ text }, index) => there[from + index]?.text !== text);
  const [has, wants] = [there[from + at]?.text ?? "", sought[at]?.text ?? ""];
  if (at < 0 || !/[^\0-\x7f]/.test(has + wants)) return "";
  return ` They look alike: the file has ${codes(has)} where the search has ${codes(wants)}.`;
}

/** The characters of a text, each with its plain form. What shows nothing belongs to the character before it. */
function partsOf(text: string): readonly { readonly text: string; readonly folded: string }[] {
  const parts: { text: string; folded: string }[] = [];
  for (const { segment } of segmenter.segment(text)) {
    const folded = plain(segment);
    const last = parts.at(-1);
    if (folded === "" && last !== undefined) last.text += segment;
    else parts.push({ text: segment, folded });
  }
  return parts;
}

function plain(character: string): string {
  const shown = character.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  return alike.reduce((text, [pattern, sign]) => text.replace(pattern, sign), shown);
}

function codes(text: string): string {
  const code = (character: string): string =>
    (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  return Array.from(text, (character) => `U+${code(character)}`).join(" ");
}
