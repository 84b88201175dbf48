// Changes a shell line by a word or two.

import { operand, spell } from "./words.mjs";

const insertions = [
  "-r",
  "-f",
  "--",
  "-e",
  "-n",
  "-",
  ".",
  "10",
  "2>/dev/null",
  "10</dev/null",
  "12>&1",
  "-uu",
  "--include=.env",
  "-h",
  "&&",
  "|",
  ";",
  "cat",
];

/** The line with up to three changes. */
export function mutate(random, line) {
  let text = line;
  for (let left = random.below(4); left > 0; left -= 1) text = change(random, text);
  return text;
}

function change(random, text) {
  const words = text.match(/'[^']*'|"[^"]*"|[^\s'"]+|\s+/g) ?? [text];
  const places = words.flatMap((word, index) => (/^\s/.test(word) ? [] : [index]));
  const at = random.pick(places);
  if (at === undefined) return text;
  const put = (word) => words.with(at, word).join("");
  return random.weighted([
    [5, () => put(operand(random, { isWrong: random.chance(0.3) }))],
    [3, () => put(`${words[at]} ${operand(random, { isWrong: random.chance(0.3) })}`)],
    [3, () => put(`${words[at]} ${random.pick(insertions)}`)],
    [2, () => put("")],
    [1, () => put(`${words[at]} ${words[random.pick(places)]}`)],
    [1, () => (/^[\w./-]+$/.test(words[at]) ? put(spell(random, words[at])) : text)],
    [1, () => `${text} | ${random.pick(["sort", "head -n 3", "wc -l", "cat", "uniq", "tr a b"])}`],
  ])();
}

/** Characters and words that shells take for something else than a part of a word, or not all shells. */
const noise = [
  ..."\r \v \f \u00a0 \u200b \u3000 \\\n # #x ^ ! !! { } % = : ~ ~+ ~- ~root $ $' `` '' \"\" \\ [ ] ( ) * ? < > & ; | - -- @ , + 0 10".split(
    " ",
  ),
  ...[
    " ",
    "\t",
    "\n",
    " #",
    " ~",
    " ! ",
    " {",
    "; }",
    " =",
    "\\ ",
    " -",
    "'",
    '"',
    " <",
    "<>",
    ">&",
    "<&",
    "<<",
    "<<<",
    ">|",
    "&>",
    "|&",
    ";;",
  ],
];

/** The line with something between two of its characters. */
export function withNoise(random, text) {
  const at = random.below(text.length + 1);
  return text.slice(0, at) + random.pick(noise) + text.slice(at);
}
