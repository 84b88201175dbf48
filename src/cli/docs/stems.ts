// The words of a text as the search compares them: in small letters, names of code in parts, without the endings of English.

/** Words that say nothing about what a text is about. */
const empty = new Set(
  (
    "a about after all also am an and any are as at be been before but by can cannot could did do does doing don dont for from get gets had has have how i if in into is isn it its just me my no nor not of on one only or " +
    "other our out over should so some such than that the their them then there these they this those through to too up us very want was we were what when where which while who why will with without would you your"
  ).split(" "),
);

/** The stems of words that were seen: texts have the same words again and again. Its size and the length of its words are bounded. */
const seen = new Map<string, readonly string[]>();
const [mostSeen, longestSeen] = [50_000, 40];

/** The stems of a text, in its order. `toolChoice`, `tool_choice` and `tool-choice` are one stem, and so is each part. */
export function stemsOf(text: string): readonly string[] {
  return (text.normalize("NFKC").match(/[\p{L}\p{N}_$]+(?:-[\p{L}\p{N}]+)*/gu) ?? []).flatMap((word) => {
    const known = seen.get(word) ?? stemsOfWord(word);
    if (seen.size < mostSeen && word.length <= longestSeen) seen.set(word, known);
    return known;
  });
}

function stemsOfWord(word: string): readonly string[] {
  const parts = word.split(/[_$-]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u).filter((part) => part !== "");
  const whole = parts.length > 1 ? [parts.join("").toLowerCase()] : [];
  const words = parts.map((part) => part.toLowerCase()).filter((part) => !empty.has(part));
  return [...whole, ...words.map(stem)];
}

/** Endings that are cut, the first that fits; at least three letters stay. */
const endings: readonly (readonly [ending: RegExp, instead: string])[] = [
  [/(?<=...)(?:ss|us|is)$/, "$&"],
  [/(?<=...)(?:ations?|ators?)$/, "ate"],
  [/(?<=..)ies$/, "y"],
  [/(?<=...)(?:ings?|edly|ed|ers?|es|s|ly|ions?|ment|ments)$/, ""],
];

function stem(word: string): string {
  const fitting = endings.find(([ending]) => ending.test(word));
  const cut = fitting === undefined ? word : word.replace(fitting[0], fitting[1]);
  // "stopped" and "stop", "cache" and "caching" are one word.
  return cut.replace(/([^aeiouls])\1$/, "$1").replace(/(?<=..)e$/, "");
}
